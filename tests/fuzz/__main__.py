"""The long mode: ``python -m tests.fuzz 100000 [READER ...]``."""

import sys
import traceback
from collections import Counter

from .cases import READERS, check


def main():
    n_cases, failed = int(sys.argv[1]), False
    for reader in sys.argv[2:] or READERS:
        results = Counter()
        for seed in range(n_cases):
            try:
                results[check(reader, seed)] += 1
            except Exception:
                results["failed"] += 1
                print(reader, seed, traceback.format_exc(limit=-3), flush=True)
        failed = failed or "failed" in results
        print(f"{reader}: {dict(results)}", flush=True)
    sys.exit(failed)


if __name__ == "__main__":
    main()
