#!/usr/bin/env python3
"""dial_table.py PROGRAM OUT [--characters FOLDER] [--only WORD ...] [--ways simulate run tune] [--settings WORD ...]

What is asked of the dials, what the outside estimator finds of it in the take, and what the take's card says.
Subjects: the tet bodies and the character of `supple demo`, and up to eight characters (.glb) of FOLDER. Every subject
is run once without dials and once a setting; ratios are of those two takes. OUT/table.csv has a line a number;
takes that are there already are not run again.

Ratios within 3 % (tune, run) or 10 % (simulate) of what was asked are met; a dial that nobody turned, and a region that
nobody named, shall stay within 2 %. What the program itself says it cannot reach is marked `told`."""
import argparse
import csv
import glob
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import estimator  # noqa: E402
import take_files  # noqa: E402


def settings(regions, halves):
    """name: (keys of a scene, tables of regions, what is asked: {(place, dial): ratio}, whether the shot rings freely).
    halves: a file with a value a tet vertex, 2 in the half that follows the name "upper"."""
    whole = lambda **dials: (["controls.%s=%s" % d for d in dials.items()], "", {("whole", k): v for k, v in dials.items()})
    table = lambda name, dials: '[[region]]\nname = "%s"\n%s\n' % (name, dials)
    out = {
        "frequency": whole(frequency=0.7) + (True,),
        "amplitude": whole(amplitude=2) + (False,),
        "half": whole(amplitude=0.5) + (False,),
        "still": whole(amplitude=0) + (False,),
        "half_life": whole(half_life=0.7) + (True,),
        "sag": whole(sag=2) + (True,),
        "several": whole(frequency=1.4, half_life=1.5, amplitude=0.7) + (True,),
        "keys": (["controls.amplitude_keys=[[0,2],[4,2]]"], "", {("whole", "amplitude"): 2}, False),
        "map": (["controls.amplitude_map=" + halves], "", {("upper", "amplitude"): 2}, False),
        "look": (["material.look=jelly"], "", {("whole", "look"): None}, True),
    }
    if regions:
        first = regions[0]
        out["region_amplitude"] = ([], table(first, "amplitude = 2"), {(first, "amplitude"): 2}, False)
        out["region_frequency"] = ([], table(first, "frequency = 0.7"), {(first, "frequency"): 0.7}, True)
    if len(regions) > 1:
        first, second = regions[:2]
        out["two_regions"] = ([], table(first, "amplitude = 2") + table(second, "amplitude = 0.5"),
                              {(first, "amplitude"): 2, (second, "amplitude"): 0.5}, False)
    return out


class Subject:
    def __init__(self, name, folder, program):
        self.name, self.folder, self.program = name, folder, program
        os.makedirs(folder, exist_ok=True)

    def call(self, *words):
        done = subprocess.run([self.program, *words], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return done.returncode, done.stdout

    def path(self, *names):
        return os.path.join(self.folder, *names)


class Body(Subject):
    """A demo: its scene, with a motion that stops so that it rings."""
    kind = "body"

    def begin(self):
        if not os.path.exists(self.path("demo", "scene")):
            self.call("demo", self.name, "-o", self.path("demo"), "--set", "timeline.range=[0,1]")
        self.scene = self.path("demo", "scene", self.name + ".toml")
        return os.path.exists(self.scene)

    def base(self, rings):
        folder = self.path("base_ring" if rings else "base")
        if not os.path.exists(os.path.join(folder, "report.json")):
            self.call("simulate", self.scene, "-o", folder, "--overwrite", *self.shot(rings))
        return folder

    def shot(self, rings):
        return ["--set", "timeline.test_motion=stop", "--set", "timeline.frames=144"] if rings else []

    def run(self, way, name, sets, tables, rings, folder):
        with open(self.scene) as file:
            base = file.read()
        scene = os.path.join(os.path.dirname(self.scene), "with_%s.toml" % name)
        with open(scene, "w") as file:
            file.write(base + "\n" + tables)
        more = [word for s in sets for word in ("--set", s)]
        return self.call("tune" if way == "tune" else "simulate", scene, "-o", folder, "--overwrite", *self.shot(rings), *more)


class Character(Body):
    kind = "character"

    def __init__(self, name, folder, program, file):
        super().__init__(name, folder, program)
        self.file = file

    def begin(self):
        self.scene = self.path("base", "scene.toml")
        if not os.path.exists(self.scene):
            status, said = self.call("run", self.file, "--preview", "-o", self.path("base.glb"), "--take", self.path("base"), "--overwrite")
            if status:
                print(self.name, "refused:", said.strip().split("\n")[0], file=sys.stderr)
        return os.path.exists(self.scene)

    def base(self, rings):
        return super().base(True) if rings else self.path("base")

    def run(self, way, name, sets, tables, rings, folder):
        if way == "run" and not tables and not rings:
            more = [word for s in sets for word in ("--set", s)]
            return self.call("run", self.file, "--preview", "-o", folder + ".glb", "--take", folder, "--overwrite", *more)
        return super().run(way, name, sets, tables, rings, folder)


def regions_with_flesh(take):
    """The largest first."""
    region = estimator.regions_of(take.tets)
    free = estimator.Motion(take).free()
    count = {}
    for v in free:
        count[region[v]] = count.get(region[v], 0) + 1
    return [r for r in sorted(count, key=count.get, reverse=True) if r and not r.startswith("(")]


def tell(said):
    words = ("cannot", "not met", "out of reach", "nearest", "misses", "hardly", "met to", "take it along", "goes further than output.limit")
    return any(w in said for w in words)


def upper_half(take):
    """The names of halves along the longest side, vertex by vertex."""
    x = take.tets.points
    low, high = ([f(p[k] for p in x) for k in range(3)] for f in (min, max))
    axis = max(range(3), key=lambda k: high[k] - low[k])
    return ["upper" if p[axis] > (low[axis] + high[axis]) / 2 else "lower" for p in x]


def rows(subject, way, only):
    if not subject.begin():
        return
    base = take_files.Take(subject.base(False))
    regions = regions_with_flesh(base)
    halves = os.path.abspath(subject.path("halves.txt"))
    with open(halves, "w") as out:
        out.write("".join("%d\n" % (2 if h == "upper" else 1) for h in upper_half(base)))
    for name, (sets, tables, asked, rings) in settings(regions, halves).items():
        if only and name not in only:
            continue
        folder = subject.path("%s_%s" % (way, name))
        status, said = 0, ""
        if not os.path.exists(os.path.join(folder, "report.json")):
            status, said = subject.run(way, name, sets, tables, rings, folder)
            if os.path.isdir(folder):
                with open(os.path.join(folder, "said.txt"), "w") as out:
                    out.write(said)
        elif os.path.exists(os.path.join(folder, "said.txt")):
            with open(os.path.join(folder, "said.txt")) as file:
                said = file.read()
        line = {"subject": subject.name, "way": way, "setting": name, "status": status, "told": tell(said), "note": ""}
        if not os.path.exists(os.path.join(folder, "report.json")):
            yield dict(line, place="", dial="", note=" ".join(said.split())[:80])
            continue
        before, after = take_files.Take(subject.base(rings)), take_files.Take(folder)
        if name == "look":  # the report says what a look is in ratios
            asked = {("whole", d): after.card("controls", d) for d in ("frequency", "half_life")}
        found = estimator.compare(before, after, upper_half(after) if name == "map" else None)
        whole = {d: r for (place, d), r in asked.items() if place == "whole"}
        several = len(found["ratios"]) > 2
        for place, ratios in found["ratios"].items():
            # A dial of the whole is met by the whole; how it is shared out among regions is the flesh's own.
            if place != "whole" and (whole or not several):
                continue
            for dial, column in estimator.DIALS.items():
                if place == "whole" and dial == "amplitude":
                    column = "amplitude_rms_m"
                got, wanted = ratios.get(column), asked.get((place, dial), whole.get(dial, 1.0))
                cross = (place, dial) not in asked and dial not in whole
                if cross and (got is None or rings and dial == "amplitude"):
                    continue  # a ring of another frequency or half-life has another mean
                if cross and place == "whole" and any(d == dial for _, d in asked):
                    continue  # of a part of it something was asked
                yield dict(line, place=place, dial=dial, asked=wanted, outside=got and round(got, 5), cross=cross,
                           card=found["card"].get(dial) if place == "whole" else None)


def verdict(row):
    if not row["dial"]:
        return "refused"
    if row["outside"] is None:
        return "not measured"
    limit = 0.02 if row["cross"] else 0.1 if row["way"] == "simulate" else 0.03
    off = abs(row["outside"] - row["asked"]) / (abs(row["asked"]) or 1)
    return "met" if off <= limit else "told" if row["told"] else "missed"


def main():
    parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("program")
    parse.add_argument("out")
    parse.add_argument("--characters")
    parse.add_argument("--only", nargs="*", default=[])
    parse.add_argument("--ways", nargs="*", default=["simulate", "run", "tune"])
    parse.add_argument("--settings", nargs="*", default=[])
    words = parse.parse_args()
    program = os.path.abspath(words.program)
    subjects = [Body(n, os.path.join(words.out, n), program) for n in ("bar", "sunflower", "jellyfish")]
    files = sorted(glob.glob(os.path.join(words.characters, "**", "*.gl*"), recursive=True)) if words.characters else []
    subjects += [Character(os.path.splitext(os.path.basename(f))[0], os.path.join(words.out, os.path.splitext(os.path.basename(f))[0]), program, f)
                 for f in files]
    pear = os.path.join(words.out, "pear_demo", "scene", "pear.glb")
    if not os.path.exists(pear):
        Subject("pear_demo", os.path.join(words.out, "pear_demo"), program).call(
            "demo", "pear", "-o", os.path.join(words.out, "pear_demo"), "--set", "tets.preset=preview")
    subjects.insert(3, Character("pear", os.path.join(words.out, "pear"), program, pear))
    if words.only:
        subjects = [s for s in subjects if s.name in words.only]
    columns = ["subject", "way", "setting", "place", "dial", "asked", "outside", "card", "cross", "told", "status", "verdict", "note"]
    counts = {}
    os.makedirs(words.out, exist_ok=True)
    with open(os.path.join(words.out, "table.csv"), "w", newline="") as file:
        table = csv.DictWriter(file, columns)
        table.writeheader()
        for subject in subjects:
            for way in words.ways:
                if way == "run" and subject.kind == "body":
                    continue
                for row in rows(subject, way, words.settings):
                    row["verdict"] = verdict(row)
                    table.writerow(row)
                    file.flush()
                    key = (way, "cross-talk" if row.get("cross") else "asked", row["verdict"])
                    counts[key] = counts.get(key, 0) + 1
                    print("%-14s %-8s %-16s %-18s %-10s asked %-6s outside %-8s card %-8s %s" % (
                        subject.name, way, row["setting"], row["place"], row["dial"], row.get("asked", "-"), row.get("outside", "-"),
                        estimator.text(row.get("card")), row["verdict"] + (" " + row["note"] if row["note"] else "")), flush=True)
    for key in sorted(counts):
        print("%s, %s: %d %s" % (key[0], key[1], counts[key], key[2]))


if __name__ == "__main__":
    main()
