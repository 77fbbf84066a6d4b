"""A lit format that runs the examples of README.md, docs/ and examples/, so that they stay true.

A fenced code block is run if it carries a command, in one of two spellings:

    ```mlir {run="tang-opt %s --tang-import | FileCheck %s"}
    ...
    ```

    <!-- run: tang-opt %s --tang-import -->
    ```mlir
    ...
    ```

The second does not show on a rendered page. The command is bash (with pipefail), its directory is fresh, and Tang's,
LLVM's and MLIR's tools are on PATH. In it %s is the block as a file (block.mlir: the language is the suffix), %t a
scratch name, %root the project's folder, %python a Python with numpy. A block of language sh, bash or console may say
`run` without a command: the block itself is the script (in console blocks the lines that begin with `$ `). Extras,
in either spelling (`<!-- run exit=2: command -->`):

    exit=2             the exit status that is right, if it is not 0
    name=matmul.mlir   also puts the block under that name into the directory of every example of the same page
                       (works without run too)
    requires=opencl    a target without which the example is reported as unsupported

An output block, the next fenced block after a line `<!-- output -->`, is what the command must print on stdout
(on both stdout and stderr for `<!-- output all -->`). Trailing white space does not count; a line `...` stands for any
lines, and `...` inside a line for any text on it.

One lit test is one marked block, named Docs/PAGE/line-N.
"""
import glob
import os
import re
import shutil

import lit.formats
import lit.Test

from process import run

FENCE = re.compile(r"^(\s*)(`{3,}|~{3,})\s*([\w+-]*)\s*(\{.*\})?\s*$")
COMMENT = re.compile(r"^\s*<!--\s*(run|name|output)\b(.*?)-->\s*$")
EXTRA = re.compile(r"\b(exit|name|requires)=(\S+?)(?=[\s}:]|$)")
SHELLS = ("sh", "bash", "shell", "console")
SECONDS = 300


class Block:
    def __init__(self, line, language, text, marks):
        self.line, self.language, self.text = line, language, text
        self.command = marks.get("command")
        self.exit = int(marks.get("exit", 0))
        self.name = marks.get("name")
        self.requires = marks.get("requires")
        self.output = None  # (text, with stderr)

    def script(self):
        if self.command:
            return self.command
        if self.language == "console":
            return "\n".join(l[2:] for l in self.text.splitlines() if l.startswith("$ "))
        return self.text


def _attributes(text):
    """{run="..." exit=2} of an info string."""
    marks = {}
    found = re.search(r'\brun="((?:[^"\\]|\\.)*)"', text)
    if found:
        marks["command"] = found.group(1).replace('\\"', '"')
        text = text[: found.start()] + text[found.end() :]
    elif re.search(r"\brun\b", text):
        marks["command"] = ""
    marks.update((k, v.strip('"')) for k, v in EXTRA.findall(text))
    return marks


def blocks(page):
    """The marked blocks of a page, with their expected output."""
    result, marks, output = [], {}, None
    lines = page.splitlines()
    i = 0
    while i < len(lines):
        comment = COMMENT.match(lines[i])
        fence = FENCE.match(lines[i])
        if comment:
            kind, rest = comment.groups()
            if kind == "output":
                output = "all" if "all" in rest else "stdout"
            elif kind == "run":
                head, colon, command = rest.partition(":")
                marks = dict(EXTRA.findall(head))
                marks["command"] = command.strip() if colon else ""
            else:
                marks = {"name": rest.strip().lstrip("=: ")}
        elif fence:
            indent, ticks, language, info = fence.groups()
            start, body = i, []
            i += 1
            while i < len(lines) and not re.match(rf"^\s*{re.escape(ticks[0])}{{{len(ticks)},}}\s*$", lines[i]):
                body.append(lines[i][len(indent) :] if lines[i].startswith(indent) else lines[i])
                i += 1
            text = "\n".join(body) + "\n"
            if output and result:
                result[-1].output = (text, output == "all")
            else:
                marks.update(_attributes(info) if info else {})
                if "command" in marks or "name" in marks:
                    result.append(Block(start + 1, language or "txt", text, marks))
            marks, output = {}, None
        elif lines[i].strip():
            marks, output = {}, None
        i += 1
    return result


def output_failure(got, want):
    clean = lambda text: [l.rstrip() for l in text.strip("\n").splitlines()]
    pattern = []
    for line in clean(want):
        if line.strip() == "...":
            pattern.append(r"(?:.*\n)*?")
        else:
            pattern.append(r"[^\n]*".join(re.escape(part) for part in line.split("...")) + r"\n")
    text = "".join(l + "\n" for l in clean(got))
    return None if re.fullmatch("".join(pattern), text) else f"--- printed\n{text}--- should print\n{want}"


class DocsFormat(lit.formats.TestFormat):
    def pages(self, root):
        for pattern in ("*.md", "docs/**/*.md", "examples/**/*.md"):
            yield from sorted(glob.glob(os.path.join(root, pattern), recursive=True))

    def getTestsInDirectory(self, testSuite, path_in_suite, litConfig, localConfig):
        root = localConfig.tang_src_root
        for page in self.pages(root):
            with open(page, encoding="utf-8") as f:
                text = f.read()
            for block in blocks(text):
                if block.command is not None:
                    name = os.path.relpath(page, root).replace(os.sep, ".")
                    test = lit.Test.Test(testSuite, path_in_suite + (name, f"line-{block.line}"), localConfig)
                    test.file_path = page
                    yield test

    def execute(self, test, litConfig):
        config, line = test.config, int(test.path_in_suite[-1].split("-")[1])
        with open(test.file_path, encoding="utf-8") as f:
            page = blocks(f.read())
        block = next(b for b in page if b.line == line)
        if block.requires in config.tang_lacking:
            return lit.Test.Result(lit.Test.UNSUPPORTED, config.tang_lacking[block.requires])
        if not block.command and block.language not in SHELLS:
            return lit.Test.Result(lit.Test.UNRESOLVED, "run without a command stands only on shell blocks")
        work = test.getExecPath() + ".d"
        shutil.rmtree(work, ignore_errors=True)
        os.makedirs(work)
        file = os.path.join(work, "block." + ("sh" if block.language in SHELLS else block.language))
        for other in page:
            if other.name:
                with open(os.path.join(work, os.path.basename(other.name)), "w") as f:
                    f.write(other.text)
        with open(file, "w") as f:
            f.write(block.text)
        script = block.script()
        values = {"s": file, "t": os.path.join(work, "tmp"), "root": config.tang_src_root, "python": config.python}
        script = re.sub(r"%(python|root|s|t)\b", lambda m: values[m.group(1)], script)
        with_err = bool(block.output and block.output[1])
        prologue = "set -eo pipefail\n" + ("exec 2>&1\n" if with_err else "")
        done = run(["bash", "-c", prologue + script], SECONDS, config.environment, work)
        where = f"{os.path.relpath(test.file_path, config.tang_src_root)}:{line}: "
        if done.code != block.exit or done.timed_out:
            return lit.Test.Result(lit.Test.FAIL, done.describe(where + f"exit {done.code}, want {block.exit}"))
        bad = output_failure(done.out, block.output[0]) if block.output else None
        if bad:
            return lit.Test.Result(lit.Test.FAIL, where + "other output\n" + bad)
        shutil.rmtree(work, ignore_errors=True)
        return lit.Test.Result(lit.Test.PASS, "")
