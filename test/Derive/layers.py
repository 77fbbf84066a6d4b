#!/usr/bin/env python3
"""Prints a model of N decoder layers, to see how the time of derivation grows with the size of a module.

  layers.py N >model.mlir
  layers.py --time --tools=DIR [N ...]       times tang-opt --tang-import --tang-derive (by default for 1, 6 and 36)

A layer is the body of a frontend's export of one, qwen3_layer_tiny of the suite of inputs (or qwen3_layer_real, which
has the same operations), repeated with names and weights of its own; its first argument is the result of the layer
before. So it is what a frontend exports that unrolls its layers, down to constants and masks that each layer repeats.
"""
import argparse
import os
import re
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(HERE, "..", "suites"))

from process import run

NAME = re.compile(r"%([A-Za-z0-9_$.-]+)")


def find_layer():
    """The export of one layer: where the suite of inputs finds its folders."""
    folders = [os.environ.get("TANG_INPUTS"), os.path.join(os.path.dirname(ROOT), "shared", "inputs")]
    folders.append(os.path.join(ROOT, "test", "suites", "copies", "inputs"))
    for name in ("qwen3_layer_tiny", "qwen3_layer_real"):
        for folder in filter(None, folders):
            path = os.path.join(folder, name, name + ".mlir")
            if os.path.exists(path):
                return path
    sys.exit("layers.py: no export of a layer; name one with --layer")


def repeat(text, count):
    """The module of `count` layers, from the text of a module whose one function maps a stream to itself."""
    function = r"^( *)func\.func public @main\((.*?)\) -> \((tensor<[^>]*>)[^)]*\) \{\n(.*?)^\1\}$"
    found = re.search(function, text, re.M | re.S)
    if not found:
        sys.exit("layers.py: no function @main with one result")
    _, arguments, stream, body = found.groups()
    weights = re.findall(r"%(\w+): (tensor<[^>]*>)", arguments)
    if weights[0][1] != stream:
        sys.exit(f"layers.py: the first argument is {weights[0][1]}, the result {stream}")
    first = weights.pop(0)[0]
    body, last = re.fullmatch(r"(.*)^ *return %(\w+) : [^\n]*\n", body, re.M | re.S).groups()
    names, parts, at = [f"%x: {stream}"], [], "%x"
    for i in range(count):
        names += [f"%layer{i}_{name}: {kind}" for name, kind in weights]
        parts.append(NAME.sub(lambda m: at if m.group(1) == first else f"%layer{i}_{m.group(1)}", body))
        at = f"%layer{i}_{last}"
    head = text[: found.start()].split("module ")[0]
    signature = f"func.func @main({', '.join(names)}) -> {stream} {{\n"
    return f"{head}{signature}{''.join(parts)}    return {at} : {stream}\n}}\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--layer", help="the .mlir file of one layer")
    parser.add_argument("--time", action="store_true")
    parser.add_argument("--tools", help="folder of tang-opt")
    parser.add_argument("--work", default=os.environ.get("TMPDIR", "/tmp"))
    parser.add_argument("counts", nargs="*", type=int)
    options = parser.parse_args()
    with open(options.layer or find_layer(), encoding="utf-8") as f:
        text = f.read()
    if not options.time:
        if len(options.counts) != 1:
            parser.error("one number of layers")
        print(repeat(text, options.counts[0]), end="")
        return
    if not options.tools:
        parser.error("--time needs --tools")
    os.makedirs(options.work, exist_ok=True)
    opt = os.path.join(options.tools, "tang-opt")
    print("layers   parse   import   derive  seconds of CPU; operations of linalg, then of tang after derivation; MiB")
    for count in options.counts or (1, 6, 36):
        source, out = (os.path.join(options.work, f"layers-{count}{end}.mlir") for end in ("", "-derived"))
        module = repeat(text, count)
        with open(source, "w", encoding="utf-8") as f:
            f.write(module)
        passes = ([], ["--tang-import"], ["--tang-import", "--tang-derive"])
        stages = [run([opt, source, *names, "-o", out], 600) for names in passes]
        for done in stages:
            if done.crash() or done.code:
                sys.exit(done.describe(f"{count} layers: {done.crash() or 'failed'}"))
        parse, imported, derived = (done.cpu for done in stages)  # the clock would count other work
        with open(out, encoding="utf-8") as f:
            operations = len(re.findall(r"= tang\.(?:map|reduce|kernel|scan|scatter)\b", f.read()))
        print(
            f"{count:6} {parse:7.2f} {imported - parse:8.2f} {derived - imported:8.2f}           "
            f"{len(re.findall('= linalg', module)):6} {operations:6} {stages[2].mib:6.0f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
