#!/usr/bin/env python3
"""kills.py PROGRAM OUT [--character FILE] [--ways simulate run enrich curves tune] [--kills N] [--writing N]
                        [--chains N] [--jobs N] [--seed N]

SIGKILL at any moment. Each way of working is run once whole; then N runs are killed at a time that is uniform over that
of the whole run, `--writing` more while results are written, and `--chains` are killed two to four times, each as it
goes on. All are then gone on with by --resume until they are done. Told: how many could be gone on with, and of how
many every result (reports and pages aside, which tell times) is that of the whole run to the bit."""
import argparse
import concurrent.futures
import os
import random
import shutil
import subprocess
import sys
import time

NOT_COMPARED = (".html", "report.json", "trials.json", ".supple.lock")


def results(folder):
    out = {}
    for top, _, names in os.walk(folder):
        if os.path.basename(top) == "checkpoint":
            continue
        for name in names:
            if not name.endswith(NOT_COMPARED):
                path = os.path.join(top, name)
                with open(path, "rb") as f:
                    out[os.path.relpath(path, folder)] = f.read()
    return out


def calls(program, out, character):
    """name: (words of a call, with {} for the folder of its results)."""
    demo = lambda name: subprocess.run([program, "-q", "demo", name, "-o", os.path.join(out, "demo-" + name),
                                        "--set", "timeline.range=[0,1]"], check=True, stdout=subprocess.DEVNULL)
    for name in ("bar", "elephant", "rig-bar"):
        if not os.path.isdir(os.path.join(out, "demo-" + name)):
            demo(name)
    scene = lambda demo, file: os.path.join(out, "demo-" + demo, "scene", file)
    return {
        "simulate": ["simulate", scene("bar", "bar.toml"), "-o", "{}", "--set", "timeline.range=[0,60]"],
        "run": ["run", character, "--clip", "all", "--preview", "--take", "{}", "-o", "{}/soft.glb"],
        "enrich": ["enrich", scene("elephant", "elephant.toml"), "-o", "{}"],
        "curves": ["curves", scene("rig-bar", "rig-bar.toml"), "-o", "{}", "--set", "timeline.range=[0,30]"],
        "tune": ["tune", scene("bar", "bar.toml"), "-o", "{}", "--set", "timeline.range=[0,40]", "--frequency", "0.8",
                 "--amplitude", "2", "--max-runs", "3"],
    }


class Way:
    def __init__(self, program, words, folder):
        self.program, self.words, self.folder = program, words, folder
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        began = time.time()
        process = self.start("whole")
        self.written = None  # when results begin to be written
        take = os.path.join(folder, "whole")
        while process.poll() is None:
            if self.written is None and any(os.path.exists(os.path.join(take, n)) for n in ("tets.pc2", "curves.csv")):
                self.written = time.time() - began
            time.sleep(0.002)
        self.took = time.time() - began
        if process.returncode not in (0, 1):
            sys.exit("%s: status %d" % (" ".join(words), process.returncode))
        self.status = process.returncode
        self.whole = results(take)
        if self.written is None:
            self.written = 0.8 * self.took

    def start(self, name, more=()):
        words = [w.replace("{}", os.path.join(self.folder, name)) for w in self.words]
        return subprocess.Popen([self.program, "-q", "--threads", "1"] + words + list(more),
                                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                env=dict(os.environ, SUPPLE_CACHE="off"))

    def killed(self, name, after):
        """What the trial comes to: 'same', or what is wrong."""
        for k, seconds in enumerate(after):
            process = self.start(name, ["--resume"] if k else [])
            try:
                process.wait(seconds)
            except subprocess.TimeoutExpired:
                process.kill()
            told = process.communicate()[1].decode(errors="replace")
            if process.returncode not in (-9, 0, 1):
                return "kill %d: status %d: %s" % (k, process.returncode, told[-300:])
        process = self.start(name, ["--resume"])
        told = process.communicate()[1].decode(errors="replace")
        if process.returncode != self.status:
            return "status %d: %s" % (process.returncode, told[-300:])
        now = results(os.path.join(self.folder, name))
        if now != self.whole:
            return "differs: " + ", ".join(sorted(n for n in set(now) | set(self.whole) if now.get(n) != self.whole.get(n)))
        shutil.rmtree(os.path.join(self.folder, name))
        return "same"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("out")
    parser.add_argument("--character")
    parser.add_argument("--ways", nargs="+", default=["simulate", "run", "enrich", "curves", "tune"])
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--writing", type=int, default=60)
    parser.add_argument("--chains", type=int, default=40)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--seed", type=int, default=1)
    a = parser.parse_args()
    os.makedirs(a.out, exist_ok=True)
    out = os.path.abspath(a.out)
    character = a.character
    if not character:
        character = os.path.join(out, "pear.glb")
        subprocess.run([a.program, "-q", "demo", "pear", "-o", os.path.join(out, "demo-pear"), "--set",
                        "timeline.range=[0,1]"], check=True, stdout=subprocess.DEVNULL)
        shutil.copy(os.path.join(out, "demo-pear", "scene", "pear.glb"), character)
    words = calls(a.program, out, os.path.abspath(character))
    pick = random.Random(a.seed)
    wrong = 0
    print("%-10s %8s %8s %-10s %6s %6s" % ("", "took [s]", "writing", "killed", "trials", "same"))
    for name in a.ways:
        way = Way(os.path.abspath(a.program), words[name], os.path.join(out, name))
        # A busy machine takes longer than the whole run did alone.
        trials = [("anywhere", [pick.uniform(0, way.took)]) for _ in range(a.kills)]
        trials += [("writing", [pick.uniform(way.written, way.took)]) for _ in range(a.writing)]
        trials += [("chain", [pick.uniform(0, way.took) for _ in range(pick.randint(2, 4))]) for _ in range(a.chains)]
        with concurrent.futures.ThreadPoolExecutor(a.jobs) as pool:
            ends = list(pool.map(lambda t: way.killed("cut%d" % t[0], t[1][1]), enumerate(trials)))
        for kind in ("anywhere", "writing", "chain"):
            of = [e for e, t in zip(ends, trials) if t[0] == kind]
            wrong += sum(e != "same" for e in of)
            print("%-10s %8.2f %8.2f %-10s %6d %6d" % (name, way.took, way.took - way.written, kind, len(of),
                                                       sum(e == "same" for e in of)), flush=True)
        for e, t in zip(ends, trials):
            if e != "same":
                print("   %s %s: %s" % (t[0], ["%.3f" % s for s in t[1]], e))
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
