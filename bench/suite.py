"""The suites of frontend exports and bug reports on a machine that has only the driver.

    bench/suite.py build OUT SHARED [TARGET]   # where Tang is: bundles and data of SHARED/{inputs,cases} into OUT
    bench/suite.py run OUT [FILTER]            # where the device is: needs libtang_runtime and numpy

Every folder with data, in the first form that it has; outputs are held to the folder's own tolerances. The results go to
OUT/suite.json (or $OUT/suite.json).
"""
import json
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.path.insert(0, os.path.join(HERE, "..", "test", "suites"))
FORMS = (".mlir", ".tosa.mlir", ".named.mlir", ".raw.mlir", ".calls.mlir")


def folders(shared):
    """(name, module, inputs, results) of all folders with values; a result is (file, type, rtol, atol)."""
    for name in sorted(os.listdir(os.path.join(shared, "inputs"))):
        where = os.path.join(shared, "inputs", name)
        if not os.path.exists(os.path.join(where, "meta.json")):
            continue
        meta = json.load(open(os.path.join(where, "meta.json")))
        form = next((f for f in FORMS if os.path.exists(os.path.join(where, name + f))), None)
        if form is None:
            continue
        yield ("inputs-" + name, os.path.join(where, name + form), [os.path.join(where, a["file"]) for a in meta["args"]],
               [(os.path.join(where, r["file"]), r["type"], 0.0, float(r["atol"])) for r in meta["results"]])
    for name in sorted(os.listdir(os.path.join(shared, "cases"))):
        where = os.path.join(shared, "cases", name)
        if not os.path.exists(os.path.join(where, "case.json")):
            continue
        case = json.load(open(os.path.join(where, "case.json")))
        if case["mode"] == "compile" or case["expect"] != "values":
            continue

        def numbered(kind):
            found = [f for f in os.listdir(where) if re.fullmatch(kind + r"\d+\.npy", f)]
            return [os.path.join(where, f) for f in sorted(found, key=lambda f: int(re.findall(r"\d+", f)[0]))]
        tolerance = float(case["tolerance"]["rtol"]), float(case["tolerance"]["atol"])
        yield ("cases-" + name, os.path.join(where, "case.mlir"), numbered("in"), [(f, None) + tolerance for f in numbered("out")])


def build(out, shared, target):
    tool = os.environ.get("TANG_COMPILE", "tang-compile")
    failed = 0
    for name, module, inputs, results in folders(shared):
        to = os.path.join(out, name)
        shutil.rmtree(to, ignore_errors=True)
        os.makedirs(to)
        done = subprocess.run([tool, module, "--target=" + target, "-o", os.path.join(to, "bundle.tangb")],
                              capture_output=True, text=True)
        if done.returncode or done.stderr:
            failed += 1
            print(name, done.stderr.strip()[:300], flush=True)
        for i, path in enumerate(inputs):
            shutil.copy(path, os.path.join(to, f"in{i}.npy"))
        for i, r in enumerate(results):
            shutil.copy(r[0], os.path.join(to, f"want{i}.npy"))
        json.dump({"inputs": len(inputs), "results": [r[1:] for r in results]}, open(os.path.join(to, "case.json"), "w"))
    print(f"{failed} did not compile without a message")


def run(out, pick):
    import numeric
    import numpy as np
    from runtime import Call, Runtime
    rt = Runtime(library=os.path.join(out, "libtang_runtime.so.0"))
    rows, bad = [], 0
    for name in sorted(os.listdir(out)):
        where = os.path.join(out, name)
        if pick not in name or not os.path.exists(os.path.join(where, "case.json")):
            continue
        case = json.load(open(os.path.join(where, "case.json")))
        verdict = ""
        try:
            inputs = [np.load(os.path.join(where, f"in{i}.npy")) for i in range(case["inputs"])]
            call = Call(rt, os.path.join(where, "bundle.tangb"), inputs)
            call.run()
            for i, ((_, got), (dtype, rtol, atol)) in enumerate(zip(call.outputs(), case["results"])):
                want = numeric.decode(np.load(os.path.join(where, f"want{i}.npy")), None)
                problem = numeric.mismatch(numeric.decode(got, dtype), want, rtol, atol)
                if problem:
                    verdict += f"result {i}: {problem}; "
            call.close()
        except Exception as e:
            verdict = str(e)[:300]
        bad += bool(verdict)
        rows.append({"name": name, "error": verdict or None})
        if verdict:
            print(name, verdict, flush=True)
    print(f"{len(rows) - bad} of {len(rows)} agree on {rt.name}, driver {rt.driver}")
    json.dump({"device": rt.name, "driver": rt.driver, "rows": rows}, open(os.path.join(os.environ.get("OUT", out), "suite.json"), "w"), indent=1)


if __name__ == "__main__":
    if sys.argv[1:2] == ["build"] and len(sys.argv) > 3:
        build(sys.argv[2], sys.argv[3], sys.argv[4] if len(sys.argv) > 4 else "h200")
    elif sys.argv[1:2] == ["run"] and len(sys.argv) > 2:
        run(sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else "")
    else:
        sys.exit(__doc__)
