#!/usr/bin/env python3
"""Prints the counts of a lit results file (lit -o FILE); the last line is `N passed, N failed`.

  count-results.py FILE [STATUS]

STATUS is the exit code of the run. Exits 1 if something failed, if nothing ran, or if the run failed without a test
that says why.
"""
import collections
import json
import os
import sys


def main():
    path, status = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 0
    tests = []
    if os.path.exists(path):
        with open(path, encoding="utf-8") as f:
            tests = json.load(f)["tests"]
    by_code = collections.defaultdict(list)
    for test in tests:
        by_code[test["code"]].append(test)
    print()
    reasons = collections.Counter(t["output"].strip().splitlines()[-1] if t["output"].strip() else "" for t in by_code["UNSUPPORTED"])
    for reason, count in reasons.most_common(8):
        print(f"{count} unsupported: {reason or '(no reason given)'}")
    if by_code["XFAIL"]:
        print(f"{len(by_code['XFAIL'])} failed as listed in test/suites/xfail.txt")
    suites = collections.Counter()
    for test in tests:
        parts = test["name"].split(" :: ")
        first = parts[-1].split("/")
        suites[parts[0] if parts[0] != "Tang" else "/".join(first[:2] if first[0] == "suites" else first[:1])] += 1
    print("ran:", ", ".join(f"{name} {count}" for name, count in sorted(suites.items())) or "nothing")
    passed = sum(len(by_code[c]) for c in ("PASS", "FLAKYPASS", "XFAIL"))
    failures = [t for c, group in by_code.items() if c not in ("PASS", "FLAKYPASS", "XFAIL", "UNSUPPORTED", "SKIPPED", "EXCLUDED") for t in group]
    for test in sorted(failures, key=lambda t: t["name"]):
        print(f"{test['code']}: {test['name']}")
    failed = len(failures)
    if not failed and status:
        print(f"the run itself failed (exit code {status})")
        failed = 1
    elif not failed and not passed:
        print("no test ran")
        failed = 1
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
