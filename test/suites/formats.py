"""lit formats of the suites over whole folders: frontend exports (inputs) and public bug reports (cases).

One lit test is one (folder, form, target), named suites/inputs/FOLDER/FORM/TARGET or suites/cases/FOLDER/case/TARGET, so
that `lit --filter` picks any part and the counts are true. shared/inputs/README.md and shared/cases/README.md say what
must hold. Known failures are in xfail.txt; one that passes is a failure (XPASS). All work besides the tools themselves
happens inside lit's own worker processes: numpy is loaded once.
"""
import fnmatch
import json
import os
import re
import shutil

import lit.formats
import lit.Test
import numpy as np

import numeric
from process import run
from targets import EMULATED, SUITE_TARGETS, TARGETS

FORMS = {"linalg": ".mlir", "tosa": ".tosa.mlir", "named": ".named.mlir", "raw": ".raw.mlir", "calls": ".calls.mlir"}
RUN_SECONDS = 60
COMPILE_SECONDS = 60
COMPILE_MIB = 1536


def read_xfails(path):
    """[(pattern, reason, line number)] of xfail.txt."""
    entries = []
    with open(path) as f:
        for number, line in enumerate(f, 1):
            line = line.split("#", 1)[0].strip()
            if line:
                pattern, _, reason = line.partition(" ")
                entries.append((pattern, reason.strip(), number))
    return entries


def _result(code, text=""):
    return lit.Test.Result(code, text)


class FolderFormat(lit.formats.TestFormat):
    """Common part of the two suites."""

    suite = ""

    def __init__(self, root, xfail_file):
        self.root = root
        self.xfails = read_xfails(xfail_file)

    def keys(self):
        """All (folder, form, target) of the suite."""
        raise NotImplementedError

    def getTestsInDirectory(self, testSuite, path_in_suite, litConfig, localConfig):
        for key in self.keys():
            test = lit.Test.Test(testSuite, path_in_suite + key, localConfig)
            name = "/".join((self.suite,) + key)
            for pattern, _, _ in self.xfails:
                if fnmatch.fnmatchcase(name, pattern):
                    test.xfails = ["*"]
            yield test

    def execute(self, test, litConfig):
        folder, form, target = test.path_in_suite[-3:]
        config = test.config
        if target in config.tang_lacking:
            return _result(lit.Test.UNSUPPORTED, f"no {target} here: {config.tang_lacking[target]}")
        work = test.getExecPath()
        shutil.rmtree(work, ignore_errors=True)
        os.makedirs(work)
        failure = self.check(config, folder, form, target, work)
        if failure is None:
            shutil.rmtree(work, ignore_errors=True)
            return _result(lit.Test.PASS)
        for pattern, reason, _ in self.xfails:
            if fnmatch.fnmatchcase("/".join((self.suite, folder, form, target)), pattern):
                failure = f"expected to fail: {reason}\n{failure}"
        return _result(lit.Test.FAIL, failure)

    def check(self, config, folder, form, target, work):
        """None, or what is wrong."""
        raise NotImplementedError

    # -- the two ways to drive Tang

    def tang_run(self, config, module, target, inputs, outputs, tolerances, work):
        """One tang-run that writes its results to `work` and compares them itself.

        outputs: paths of the expected results; tolerances: [(rtol, atol)] a result.
        """
        runs = [f"--target={target}"]
        if target in EMULATED:
            failed = self.emulate(config, module, target, work)
            if failed:
                return failed
            module, runs = os.path.join(work, "bundle"), []
        join = lambda values: ",".join(f"{v:g}" for v in (values[:1] if len(set(values)) == 1 else values))
        command = [os.path.join(config.tang_tools_dir, "tang-run"), module] + runs
        command += [f"--input=@{path}" for path in inputs]
        command += [f"--output=@{os.path.join(work, os.path.basename(path))}" for path in outputs]
        command += [f"--expected-output=@{path}" for path in outputs]
        if outputs:
            command += ["--rtol=" + join([t[0] for t in tolerances]), "--atol=" + join([t[1] for t in tolerances])]
        return run(command, RUN_SECONDS * config.tang_time_scale, config.environment, work)

    def emulate(self, config, module, target, work):
        """Leaves a bundle of the module's kernels, compiled for this machine; or gives the step that failed."""
        done = self.tang_compile(config, module, target, work)
        if done.crash() or done.code:
            return done
        script = os.path.join(config.test_source_root, "Target", EMULATED[target][1], "emulate.py")
        done = run([config.python, script, os.path.join(work, "bundle")], COMPILE_SECONDS, config.environment)
        return done if done.code else None

    def tang_compile(self, config, module, target, work):
        bundle = os.path.join(work, "bundle")
        options = EMULATED[target][0] if target in EMULATED else [f"--target={target}"]
        command = [os.path.join(config.tang_tools_dir, "tang-compile"), module] + options + ["-o", bundle]
        return run(command, COMPILE_SECONDS * config.tang_time_scale, config.environment, work)

    def compile_failure(self, config, done, work):
        if done.crash() or done.code:
            return done.describe(done.crash() or "does not compile")
        if not os.path.exists(os.path.join(work, "bundle", "manifest.json")):
            return done.describe("exit 0, but there is no bundle/manifest.json")
        if not config.tang_sanitize and done.mib > COMPILE_MIB:
            return done.describe(f"{done.mib:.0f} MiB of memory, more than {COMPILE_MIB}")
        return None

    def values_failure(self, done, results, work):
        """Judges a finished tang_run by its own verdict and, independently, by the files that it wrote.

        results: [(path of the expected result, element type or None for the file's, rtol, atol, median bound or None)].
        """
        if done.crash():
            return done.describe(done.crash())
        if done.code not in (0, 1):
            return done.describe("refused")
        wrong = []
        for path, dtype, rtol, atol, median in results:
            name = os.path.basename(path)
            written = os.path.join(work, name)
            if not os.path.exists(written):
                return done.describe(f"{name} was not written")
            got, want = np.load(written, allow_pickle=False), np.load(path, allow_pickle=False)
            bad = numeric.storage_error(got, dtype) if dtype else None
            if not dtype and (got.dtype != want.dtype and {got.dtype.kind, want.dtype.kind} != {"b", "u"}):
                bad = f"stored as {got.dtype}, want {want.dtype}"
            got = numeric.decode(got, dtype)
            want = numeric.decode(want, None)
            bad = bad or numeric.mismatch(got, want, rtol, atol)
            if not bad and median:
                error = numeric.median_relative_error(got, want)
                if error >= median:
                    bad = f"median relative error {error:.3g}, not under {median:.3g}"
            if bad:
                wrong.append(f"{name}: {bad}")
        if wrong:
            verdict = "" if done.code == 1 or "median" in wrong[0] else " (tang-run did not notice)"
            return done.describe("; ".join(wrong) + verdict)
        return done.describe("tang-run says that outputs differ, but they match") if done.code else None


class InputsFormat(FolderFormat):
    """shared/inputs: values where a folder has data, else compilation for cpu, c and opencl."""

    suite = "inputs"

    def keys(self):
        for folder in sorted(os.listdir(self.root)):
            where = os.path.join(self.root, folder)
            has_data = os.path.exists(os.path.join(where, "meta.json"))
            for form, suffix in FORMS.items():
                if os.path.exists(os.path.join(where, folder + suffix)):
                    for target in SUITE_TARGETS if has_data else SUITE_TARGETS[1:]:
                        yield folder, form, target

    def check(self, config, folder, form, target, work):
        where = os.path.join(self.root, folder)
        module = os.path.join(where, folder + FORMS[form])
        if not os.path.exists(os.path.join(where, "meta.json")):
            return self.compile_failure(config, self.tang_compile(config, module, target, work), work)
        with open(os.path.join(where, "meta.json")) as f:
            meta = json.load(f)
        inputs = [os.path.join(where, a["file"]) for a in meta["args"]]
        results = [
            (os.path.join(where, r["file"]), r["type"], 0.0, float(r["atol"]), numeric.MEDIAN.get(r["type"]))
            for r in meta["results"]
        ]
        done = self.tang_run(config, module, target, inputs, [r[0] for r in results], [r[2:4] for r in results], work)
        return self.values_failure(done, results, work)


class CasesFormat(FolderFormat):
    """shared/cases: values, a refusal, or compilation, as case.json says."""

    suite = "cases"

    def read(self, folder):
        with open(os.path.join(self.root, folder, "case.json")) as f:
            return json.load(f)

    def keys(self):
        for folder in sorted(os.listdir(self.root)):
            if os.path.exists(os.path.join(self.root, folder, "case.json")):
                compile_only = self.read(folder)["mode"] == "compile"
                for target in SUITE_TARGETS[1:] if compile_only else SUITE_TARGETS:
                    yield folder, "case", target

    def check(self, config, folder, form, target, work):
        where = os.path.join(self.root, folder)
        case = self.read(folder)
        module = os.path.join(where, "case.mlir")
        numbered = lambda kind: sorted(
            (os.path.join(where, f) for f in os.listdir(where) if re.fullmatch(kind + r"\d+\.npy", f)),
            key=lambda path: int(re.findall(r"\d+", os.path.basename(path))[0]),
        )
        rtol, atol = float(case["tolerance"]["rtol"]), float(case["tolerance"]["atol"])
        outputs = numbered("out")
        if case["mode"] == "compile":
            done = self.tang_compile(config, module, target, work)
        else:
            tolerances = [(rtol, atol)] * len(outputs)
            done = self.tang_run(config, module, target, numbered("in"), outputs, tolerances, work)
        may = case.get("may_refuse")
        if case["expect"] == "error":
            return self.refusal_failure(done, case["error_mentions"], every=True)
        if may and target in may["targets"] and done.code == 2:
            return self.refusal_failure(done, may["mentions"], every=False)
        if case["mode"] == "compile":
            return self.compile_failure(config, done, work)
        return self.values_failure(done, [(path, None, rtol, atol, None) for path in outputs], work)

    def refusal_failure(self, done, mentions, every):
        """A refusal is exit code 2 and one clear message."""
        if done.crash() or done.code != 2:
            return done.describe(done.crash() or "should be refused with exit code 2")
        errors = len(re.findall(r"\berror:", done.err))
        if errors != 1:
            return done.describe(f"{errors} messages with 'error:', want one")
        found = [m for m in mentions if any(a.lower() in done.err.lower() for a in m.split("|"))]
        if not found or (every and len(found) != len(mentions)):
            missing = [m for m in mentions if m not in found]
            return done.describe(f"the message does not mention {missing}")
        return None


class LimitsFormat(lit.formats.TestFormat):
    """What must hold of the whole: the length of xfail.txt, the cost of a decoder layer, and start-up time."""

    SHARE = {"inputs": 0.10, "cases": 0.05}  # of the folders
    LAYER, LAYER_SECONDS, LAYER_MIB = "qwen3_layer_real", 10, 1024
    STARTUP_SECONDS = 0.5

    def __init__(self, suites, full, xfail_file):
        self.suites, self.full, self.xfail_file = suites, full, xfail_file

    def getTestsInDirectory(self, testSuite, path_in_suite, litConfig, localConfig):
        names = ["xfail-list", "startup"] + [f"decoder-layer-{t}" for t in TARGETS[1:]]
        for name in names:
            yield lit.Test.Test(testSuite, path_in_suite + (name,), localConfig)

    def execute(self, test, litConfig):
        name, config = test.path_in_suite[-1], test.config
        if name == "xfail-list":
            return self.xfail_list()
        if config.tang_sanitize:
            return _result(lit.Test.UNSUPPORTED, "no time or memory limits under a sanitizer")
        if name == "startup":
            command = [os.path.join(config.tang_tools_dir, "tang-opt"), "--help"]
            runs = [run(command, 60, config.environment) for _ in range(5)]
            best = min(min(r.wall, r.cpu) for r in runs)
            ok = best < self.STARTUP_SECONDS and runs[0].code == 0
            return _result(lit.Test.PASS if ok else lit.Test.FAIL, runs[0].describe(f"best of five: {best:.2f} s"))
        target = name.rsplit("-", 1)[1]
        module = os.path.join(self.suites["inputs"].root, self.LAYER, self.LAYER + ".mlir")
        if not os.path.exists(module):
            return _result(lit.Test.UNSUPPORTED, f"{self.LAYER} is not here")
        if target in config.tang_lacking:
            return _result(lit.Test.UNSUPPORTED, config.tang_lacking[target])
        work = test.getExecPath()
        os.makedirs(work, exist_ok=True)
        best = None
        for _ in range(3):  # other tests run beside this one: best of three, and CPU time counts if it is less
            done = self.suites["inputs"].tang_compile(config, module, target, work)
            failure = self.suites["inputs"].compile_failure(config, done, work)
            if failure:
                return _result(lit.Test.FAIL, failure)
            best = min(best or 1e9, done.wall, done.cpu)
            if best < self.LAYER_SECONDS and done.mib < self.LAYER_MIB:
                return _result(lit.Test.PASS, f"{best:.1f} s, {done.mib:.0f} MiB")
        return _result(lit.Test.FAIL, done.describe(f"{best:.1f} s (limit {self.LAYER_SECONDS}), limit {self.LAYER_MIB} MiB"))

    def xfail_list(self):
        wrong = []
        for suite, form in self.suites.items():
            names = ["/".join((suite,) + key) for key in form.keys()]
            hit = set()
            for pattern, reason, number in read_xfails(self.xfail_file):
                if not pattern.startswith(suite + "/"):
                    if pattern.split("/")[0] not in self.suites:
                        wrong.append(f"line {number}: '{pattern}' names no suite")
                    continue
                matched = fnmatch.filter(names, pattern)
                hit |= {m.split("/")[1] for m in matched}
                if not reason:
                    wrong.append(f"line {number}: '{pattern}' has no reason")
                if not matched and self.full[suite]:
                    wrong.append(f"line {number}: '{pattern}' matches no test")
            folders = {n.split("/")[1] for n in names}
            limit = int(self.SHARE[suite] * len(folders))
            if self.full[suite] and len(hit) > limit:
                wrong.append(f"{len(hit)} folders of {suite} are expected to fail, at most {limit}: {sorted(hit)}")
        return _result(lit.Test.FAIL if wrong else lit.Test.PASS, "\n".join(wrong))
