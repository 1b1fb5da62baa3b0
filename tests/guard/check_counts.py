#!/usr/bin/env python3
"""Counts the instructions of the kernels under callgrind and compares them with the numbers kept beside this file.

check_counts.py PROGRAM COMPILER [--renew]
COMPILER: what the program was built with; numbers of another compiler mean nothing. Exit code 77: skipped.
"""
import glob
import json
import os
import shutil
import subprocess
import sys
import tempfile

ALLOWED = 0.03  # more instructions than this are a failure
NUMBERS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "counts.json")
RENEW = "cmake --build build --target renew_guard"


def skip(why):
    print("skipped: " + why)
    sys.exit(77)


def count(program):
    """Instructions of every kernel, by name, in the order they ran."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            ["valgrind", "--tool=callgrind", "--collect-atstart=no", "--toggle-collect=guard_measured",
             "--dump-after=guard_measured", "--callgrind-out-file=" + os.path.join(folder, "out"), program],
            capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit("the kernels did not run under valgrind:\n" + done.stderr[-2000:])
        names = done.stdout.split("\n")[:-1]
        counts = {}
        for i, name in enumerate(names, 1):
            path = os.path.join(folder, "out.%d" % i)
            if not os.path.exists(path):
                sys.exit("callgrind wrote %d counts of %d kernels" % (len(glob.glob(folder + "/out.*")), len(names)))
            with open(path) as dump:
                counts[name] = next(int(line.split()[1]) for line in dump if line.startswith(("totals:", "summary:")))
        return counts


def main():
    program, compiler = sys.argv[1:3]
    renew = "--renew" in sys.argv[3:]
    if not shutil.which("valgrind"):
        skip("valgrind is not installed")
    kept = {"compiler": "", "counts": {}}
    if os.path.exists(NUMBERS):
        with open(NUMBERS) as file:
            kept = json.load(file)
    if not renew and kept["compiler"] != compiler:
        skip("the numbers are of '%s', this is '%s'" % (kept["compiler"], compiler))
    counts = count(program)
    if not renew and any("/avx2" in n for n in kept["counts"]) and not any("/avx2" in n for n in counts):
        skip("this processor has no AVX2")
    if renew:
        with open(NUMBERS + ".part", "w") as file:
            json.dump({"compiler": compiler, "counts": counts}, file, indent=1)
            file.write("\n")
        os.replace(NUMBERS + ".part", NUMBERS)
    worse = []
    for name in sorted(set(counts) | set(kept["counts"])):
        old, new = kept["counts"].get(name), counts.get(name)
        line = "%-46s %12s -> %12s" % (name, old if old else "none", new if new else "none")
        if old and new:
            line += "  %+.1f %%" % (100 * (new / old - 1))
        beyond = not old or not new or new > (1 + ALLOWED) * old
        if beyond:
            worse.append(line)
        elif new < (1 - ALLOWED) * old:
            line += "  fewer: renew the numbers, to keep it"
        print(line)
    if renew:
        print("written: " + NUMBERS)
    elif worse:
        print("\nMore instructions than before (%.0f %% are allowed), or other kernels:\n%s" %
              (100 * ALLOWED, "\n".join(worse)))
        print("If that is meant, renew the numbers (%s) and say why in the change." % RENEW)
        sys.exit(1)


main()
