"""What can be said of generated kernels without a GPU, by ptxas.

    bench/gates.py [--tool=tang-compile] [FILTER...]

Compiles the cases of dense.py whose names contain a FILTER (all without one) for h200 and prints one line a kernel:
registers, bytes of shared memory, of spills, CPU seconds of the compiler. Exit 1 if a kernel spills, if ptxas warns of lost
performance (C75xx), if an asynchronous schedule did not become wgmma, or if compiling one took more than 5 seconds.
"""
import argparse
import json
import os
import re
import resource
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import dense

SECONDS = 5.0


def children():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def read(*path):
    with open(os.path.join(*path), errors="replace") as f:
        return f.read()


def check(tool, name, text, work):
    """(lines, complaints) of one case."""
    source, bundle, stages = (os.path.join(work, x) for x in (name + ".mlir", name, name + ".stages"))
    with open(source, "w") as f:
        f.write(text)
    start = children()
    done = subprocess.run([tool, source, "--target=h200", "--dump-dir=" + stages, "-o", bundle], capture_output=True, text=True)
    seconds = children() - start
    if done.returncode:
        return [], [done.stderr.strip()[:500]]
    lines, bad = [], []
    scheduled = next(x for x in os.listdir(stages) if "scheduled" in x)
    wanted = len(re.findall(r"#tang\.schedule<[^>]*\basync = ", read(stages, scheduled)))
    entries = re.split(r"\.entry\s+", read(bundle, "kernels.ptx"))[1:]
    made = sum("wgmma.mma_async" in entry for entry in entries)
    if made < wanted:
        bad.append(f"{wanted} asynchronous schedules, {made} kernels with wgmma")
    for kernel in json.loads(read(bundle, "manifest.json"))["kernels"]:
        registers, spills = kernel.get("registers"), kernel.get("spill_bytes")
        lines.append(f"{name:44s} {kernel['name']:16s} registers {registers} shared {kernel.get('shared_bytes', 0)} "
                     f"spills {spills} seconds {seconds:.2f}")
        if registers is None or spills is None:
            bad.append(f"{kernel['name']} was not assembled")
        elif spills:
            bad.append(f"{kernel['name']} spills {spills} bytes")
    bad += sorted(set(re.findall(r"\(C75\d\d\)[^\n]*", done.stderr)))
    if seconds > SECONDS:
        bad.append(f"took {seconds:.1f} s")
    return lines, bad


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tool", default=os.environ.get("TANG_COMPILE", "tang-compile"))
    parser.add_argument("--scale", type=float, default=1, help="of the limit of time")
    parser.add_argument("filters", nargs="*")
    args = parser.parse_args()
    global SECONDS
    SECONDS *= args.scale
    cases = kernels = failures = 0
    with tempfile.TemporaryDirectory() as work:
        for name, _, text, _ in dense.cases():
            if args.filters and not any(f in name for f in args.filters):
                continue
            lines, bad = check(args.tool, name, text, work)
            cases, kernels = cases + 1, kernels + len(lines)
            print(*lines, *(f"{name}: FAILED: {b}" for b in bad), sep="\n", flush=True)
            failures += bool(bad)
    print(f"{cases} cases, {kernels} kernels, {failures} failed")
    return failures > 0 or not cases


if __name__ == "__main__":
    sys.exit(main())
