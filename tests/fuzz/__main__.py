"""The long mode: ``python -m tests.fuzz --cases 100000 [READER ...]``."""

import argparse
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from srsly.msgpack import msgpack_decoders, msgpack_encoders

from .cases import READERS, FuzzError, check


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("readers", nargs="*", metavar="READER", help=", ".join(READERS))
    parser.add_argument("--cases", type=int, default=100_000, help="Cases for each reader")
    parser.add_argument("--first", type=int, default=0, help="The first case")
    args = parser.parse_args()
    # in memory: to make and remove folders on a disk takes most of the time
    memory = Path("/dev/shm")
    tempfile.tempdir = str(memory) if memory.is_dir() else None
    # msgpack looks for plugins anew each time it is called, which takes most of the rest
    msgpack_encoders.entry_points = msgpack_decoders.entry_points = False
    failures = Counter()
    for reader in args.readers or READERS:
        start, results = time.monotonic(), Counter()
        for seed in range(args.first, args.first + args.cases):
            try:
                results[check(reader, seed)] += 1
            except FuzzError as error:
                failures[reader] += 1
                if failures[reader] <= 20:
                    print(f"{reader} {seed}: {str(error)[:500]}", flush=True)
        seconds = time.monotonic() - start
        print(
            f"{reader}: {dict(results)}, {failures[reader]} failures, {seconds:.0f} s", flush=True
        )
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
