"""What became slower between two result files.

    bench/compare.py OLD NEW [--limit=0.03]

Rows are compared by name: by the ratio to the peer where both files have one against the same peer (a chip's clock moves, and
with it both), else by time. Exit 1 if one lost more than the limit, was measured before and is not now, or has a larger error
than before by a factor of 2; 2 if a file cannot be read or no row is in both.
"""
import argparse
import json
import sys


def load(path):
    try:
        with open(path) as f:
            return {row["name"]: row for row in json.load(f)["rows"]}
    except (OSError, ValueError, KeyError, TypeError) as e:
        print(f"compare.py: {path}: {e!r}", file=sys.stderr)
        sys.exit(2)


def change(old, new):
    """(the factor of time, 1 is the same; what was compared)."""
    if old.get("ratio") and new.get("ratio") and old.get("peer") == new.get("peer"):
        return old["ratio"] / new["ratio"], f"ratio {old['ratio']:.3f} -> {new['ratio']:.3f}"
    return new["ours_ms"] / old["ours_ms"], f"ms {old['ours_ms']:.4f} -> {new['ours_ms']:.4f}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--limit", type=float, default=0.03)
    args = parser.parse_args()
    old, new = load(args.old), load(args.new)
    names = [name for name in old if name in new]
    if not names:
        print("compare.py: no row is in both files", file=sys.stderr)
        return 2
    regressions = compared = 0
    for name in names:
        before, after = old[name], new[name]
        if not before.get("ours_ms"):
            continue
        compared += 1
        if not after.get("ours_ms"):
            print(f"REGRESSION {name}: not measured any more")
            regressions += 1
            continue
        factor, what = change(before, after)
        worse = factor > 1 + args.limit
        if worse or factor < 1 - args.limit:
            print(f"{'REGRESSION' if worse else 'faster'} {name}: {what} ({(factor - 1) * 100:+.1f} % time)")
        errors = before.get("error"), after.get("error")
        wrong = None not in errors and not errors[1] <= 2 * errors[0]  # also not a number
        if wrong:
            print(f"REGRESSION {name}: error {errors[0]:.1e} -> {errors[1]:.1e}")
        regressions += worse or wrong
    print(f"{compared} rows compared, {regressions} regressions; {len(old) - len(names)} only before, "
          f"{len(new) - len(names)} only after")
    return int(regressions > 0)


if __name__ == "__main__":
    sys.exit(main())
