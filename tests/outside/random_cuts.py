#!/usr/bin/env python3
"""random_cuts.py PROGRAM OUT COUNT SEED [--data FOLDER] [--cuts carry|settle|off]

Cuts at random places in clips of characters of FOLDER, and what `supple run --preview` makes of them. Each is one of:
jump (elsewhere from a frame on, by 0.5 to 20 sizes), turn (by 70 to 180 degrees from a frame on), bad (one frame leaps
away and is back), doubled (one frame is the one before again). Asserted: no run fails; what was done is found, at its
frame; and the flesh departs from its equilibrium no further beside it than elsewhere, or than in the clip as it was,
and over all not much less. OUT/table.csv has a line a cut; takes that are there already are not run again. Needs
numpy. Exit status 1: not all of that holds."""
import argparse
import csv
import glob
import json
import os
import random
import shutil
import struct
import subprocess
import sys

import numpy as np

CHARACTERS = ["khronos/Fox.glb", "khronos/CesiumMan.glb", "quaternius/Horse.glb", "quaternius/Frog.glb",
              "kaykit/Barbarian.glb", "derived/heavy_man_cmu.glb"]
KINDS = ["jump", "turn", "bad", "doubled"]
FOUND_AS = {"jump": ["jump"], "turn": ["turn", "jump"], "bad": ["bad frame"], "doubled": ["doubled frame"]}
FPS, MOST_FRAMES, FEWEST_FRAMES = 30, 60, 24
BESIDE = 4  # frames after it
LARGER = 1.1
LEAST = 0.3  # of the swing of the whole clip: a cut is not to take the flesh away


class Glb:
    def __init__(self, path):
        with open(path, "rb") as file:
            data = file.read()
        size = struct.unpack_from("<I", data, 12)[0]
        self.json = json.loads(data[20:20 + size])
        self.bin = bytearray(data[28 + size:28 + size + struct.unpack_from("<I", data, 20 + size)[0]])

    def write(self, path):
        self.json["buffers"][0]["byteLength"] = len(self.bin)
        text = json.dumps(self.json).encode()
        text += b" " * (-len(text) % 4)
        body = bytes(self.bin) + b"\0" * (-len(self.bin) % 4)
        with open(path, "wb") as file:
            file.write(struct.pack("<4sII", b"glTF", 2, 28 + len(text) + len(body)))
            file.write(struct.pack("<I4s", len(text), b"JSON") + text + struct.pack("<I4s", len(body), b"BIN\0") + body)

    def numbers(self, index):
        a = self.json["accessors"][index]
        view = self.json["bufferViews"][a["bufferView"]]
        kind, most = {5120: ("<i1", 127), 5121: ("<u1", 255), 5122: ("<i2", 32767), 5123: ("<u2", 65535),
                      5126: ("<f4", 1)}[a["componentType"]]
        width = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}[a["type"]]
        item = np.dtype(kind).itemsize * width
        step = view.get("byteStride", item)
        at = view.get("byteOffset", 0) + a.get("byteOffset", 0)
        rows = [np.frombuffer(self.bin, kind, width, at + k * step) for k in range(a["count"])]
        x = np.array(rows, dtype=float)
        return x / most if a.get("normalized") else x

    def add(self, x):
        x = np.asarray(x, dtype="<f4")
        self.bin += b"\0" * (-len(self.bin) % 4)
        self.json["bufferViews"].append({"buffer": 0, "byteOffset": len(self.bin), "byteLength": x.nbytes})
        self.bin += x.tobytes()
        flat = x.reshape(len(x), -1)
        self.json["accessors"].append({
            "bufferView": len(self.json["bufferViews"]) - 1, "componentType": 5126, "count": len(x),
            "type": {1: "SCALAR", 3: "VEC3", 4: "VEC4"}[flat.shape[1]],
            "min": flat.min(0).tolist(), "max": flat.max(0).tolist()})
        return len(self.json["accessors"]) - 1


def resampled(times, values, kind, path, at):
    """A channel at other times, as a viewer has it."""
    if kind == "CUBICSPLINE":
        values = values.reshape(len(times), 3, -1)[:, 1]
    values = values.reshape(len(times), -1).copy()
    if path == "rotation":
        for k in range(1, len(values)):
            if values[k] @ values[k - 1] < 0:
                values[k] *= -1
    if kind == "STEP":
        out = values[np.clip(np.searchsorted(times, at + 1e-6) - 1, 0, len(times) - 1)]
    else:
        out = np.stack([np.interp(at, times, column) for column in values.T], 1)
    if path == "rotation":
        out /= np.linalg.norm(out, axis=1, keepdims=True)
    return out


class Clip:
    """The longest clip of a character, or its first frames, one key a frame, under a root of its own."""

    def __init__(self, path):
        glb = Glb(path)
        clips = []
        for clip in glb.json["animations"]:
            used = {c["sampler"] for c in clip["channels"]}
            clips.append((max(glb.numbers(clip["samplers"][s]["input"]).max() for s in used), len(clips)))
        # Of what is long enough the first, so that takes are short.
        enough = [k for end, k in clips if end * FPS >= FEWEST_FRAMES] or [max(clips)[1]]
        self.clip = glb.json["animations"][enough[0]]
        end = clips[enough[0]][0]
        self.frames = min(MOST_FRAMES, int(end * FPS + 1e-3) + 1)
        at = np.arange(self.frames) / FPS
        self.channels = []
        for c in self.clip["channels"]:
            if c["target"]["path"] == "weights" or "node" not in c["target"]:
                continue
            s = self.clip["samplers"][c["sampler"]]
            x = resampled(glb.numbers(s["input"])[:, 0], glb.numbers(s["output"]), s.get("interpolation", "LINEAR"),
                          c["target"]["path"], at)
            self.channels.append((c["target"]["node"], c["target"]["path"], x))
        self.glb, self.at = glb, at
        places = self.joints()
        self.size = float(np.linalg.norm(places.max(0) - places.min(0)))
        self.middle = places.mean(0)

    def joints(self):
        nodes = self.glb.json["nodes"]
        parent = {c: k for k, n in enumerate(nodes) for c in n.get("children", [])}

        def matrix(k):
            n = nodes[k]
            m = np.eye(4)
            if "matrix" in n:
                m = np.array(n["matrix"]).reshape(4, 4).T
            else:
                x, y, z, w = n.get("rotation", [0, 0, 0, 1])
                m[:3, :3] = [[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
                             [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
                             [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]]
                m[:3, :3] *= np.array(n.get("scale", [1, 1, 1]))
                m[:3, 3] = n.get("translation", [0, 0, 0])
            return matrix(parent[k]) @ m if k in parent else m

        which = sorted({j for s in self.glb.json.get("skins", []) for j in s["joints"]}) or range(len(nodes))
        return np.array([matrix(k)[:3, 3] for k in which])

    def write(self, path, cut=None):
        """cut: kind, frame, way, angle."""
        glb = Glb.__new__(Glb)
        glb.json, glb.bin = json.loads(json.dumps(self.glb.json)), bytearray(self.glb.bin)
        root = len(glb.json["nodes"])
        scene = glb.json["scenes"][glb.json.get("scene", 0)]
        glb.json["nodes"].append({"name": "cut_root", "children": scene["nodes"]})
        scene["nodes"] = [root]
        place, turn = np.zeros((self.frames, 3)), np.tile([0.0, 0, 0, 1], (self.frames, 1))
        channels = [(n, p, x.copy()) for n, p, x in self.channels]
        if cut:
            kind, frame, way, angle = cut
            which = slice(frame, frame + 1) if kind == "bad" else slice(frame, None)
            if kind == "doubled":
                for _, _, x in channels:
                    x[frame] = x[frame - 1]
            else:
                c, s = np.cos(angle), np.sin(angle)
                about = self.middle - np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]]) @ self.middle
                place[which] = way + about
                turn[which] = [0, np.sin(angle / 2), 0, np.cos(angle / 2)]
        channels += [(root, "translation", place), (root, "rotation", turn)]
        time = glb.add(self.at)
        clip = {"name": self.clip.get("name", "clip"), "samplers": [], "channels": []}
        for node, what, x in channels:
            clip["channels"].append({"sampler": len(clip["samplers"]), "target": {"node": node, "path": what}})
            clip["samplers"].append({"input": time, "output": glb.add(x), "interpolation": "LINEAR"})
        glb.json["animations"] = [clip]
        glb.write(path)


def read_pc2(path):
    with open(path, "rb") as file:
        _, _, points, _, _, samples = struct.unpack("<12siiffi", file.read(32))
        return np.fromfile(file, "<f4", 3 * points * samples).reshape(samples, points, 3).astype(float)


class Take:
    def __init__(self, program, clip, folder, cut, cuts):
        self.status, self.told, self.swing, self.found = None, "", None, []
        if not glob.glob(folder + "/take/**/report.json", recursive=True):
            shutil.rmtree(folder, ignore_errors=True)
            os.makedirs(folder)
            clip.write(folder + "/clip.glb", cut)
            done = subprocess.run([program, "run", folder + "/clip.glb", "-o", folder + "/soft.glb", "--take",
                                   folder + "/take", "--preview", "--set", "timeline.loop=false", "--set",
                                   "timeline.cuts=" + cuts, "--set", "timeline.fps=%d" % FPS, "--set", "output.report=false"],
                                  text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            with open(folder + "/said.txt", "w") as file:
                file.write("%d\n%s" % (done.returncode, done.stdout))
        with open(folder + "/said.txt") as file:
            lines = file.read().split("\n", 1)
        self.status, self.told = int(lines[0]), lines[1].strip()
        reports = [r for r in glob.glob(folder + "/take/**/report.json", recursive=True) if "timeline" in json.load(open(r))]
        tets = glob.glob(folder + "/take/**/tets.pc2", recursive=True)
        if reports:
            self.found = [(c["kind"], c["frame"]) for c in json.load(open(reports[0]))["timeline"]["cuts"]]
        if self.status == 0 and tets:
            off = read_pc2(tets[0]) - read_pc2(tets[0].replace("tets.pc2", "static.pc2"))
            self.swing = np.percentile(np.linalg.norm(off, axis=2), 99, axis=1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("out")
    parser.add_argument("count", type=int)
    parser.add_argument("seed", type=int)
    parser.add_argument("--data", default=os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../shared/data"))
    parser.add_argument("--cuts", default="carry", choices=["carry", "settle", "off"])
    o = parser.parse_args()
    dice = random.Random(o.seed)
    os.makedirs(o.out, exist_ok=True)
    clips, whole = {}, {}
    table, bad = [], 0
    for k in range(o.count):
        name, kind = CHARACTERS[k % len(CHARACTERS)], KINDS[(k // len(CHARACTERS) + k) % len(KINDS)]
        short = os.path.splitext(os.path.basename(name))[0]
        if name not in clips:
            clips[name] = Clip(os.path.join(o.data, name))
            whole[name] = Take(o.program, clips[name], os.path.join(o.out, short + "_whole"), None, o.cuts)
        clip = clips[name]
        frame = dice.randint(5, clip.frames - 6)
        way = np.array([dice.gauss(0, 1), 0.3 * dice.gauss(0, 1), dice.gauss(0, 1)])
        way *= clip.size * dice.choice([0.5, 1, 3, 20]) / np.linalg.norm(way)
        angle = np.radians(dice.choice([-1, 1]) * dice.uniform(70, 180)) if kind in ("turn", "bad") else 0.0
        if kind == "turn":
            way = np.zeros(3)
        take = Take(o.program, clip, os.path.join(o.out, "%03d_%s_%s_%d" % (k, short, kind, frame)),
                    (kind, frame, way, angle), o.cuts)
        row = {"n": k, "character": short, "kind": kind, "frame": frame, "status": take.status,
               "found": " ".join("%s@%d" % f for f in take.found)}
        here = [f for f in take.found if f[0] in FOUND_AS[kind] and abs(f[1] - frame) <= 1]
        verdict = [] if take.status == 0 and take.swing is not None else ["failed: " + take.told[-200:]]
        if take.swing is not None and whole[name].swing is not None:
            near = np.zeros(len(take.swing), bool)
            near[max(0, frame - 1):frame + BESIDE + 1] = True
            beside, elsewhere = take.swing[near].max(), take.swing[~near].max()
            usual = whole[name].swing.max()
            row.update(beside_mm="%.3f" % (1e3 * beside), elsewhere_mm="%.3f" % (1e3 * elsewhere),
                       whole_mm="%.3f" % (1e3 * usual))
            if beside > LARGER * max(elsewhere, usual):
                verdict.append("larger")
            if max(beside, elsewhere) < LEAST * usual:
                verdict.append("stilled")
        # Where hardly anything moves, or it turns round, a frame may be the one before again.
        if not here and kind != "doubled" and o.cuts != "off":
            verdict.append("not found")
        row["verdict"] = ", ".join(verdict) or ("met" if here or o.cuts == "off" else "met, not seen")
        bad += bool(verdict)
        table.append(row)
        print("%(n)3d %(character)-16s %(kind)-8s frame %(frame)3d  %(verdict)s  [%(found)s]" % row,
              row.get("beside_mm", "-"), "beside,", row.get("elsewhere_mm", "-"), "elsewhere,", row.get("whole_mm", "-"),
              "in the whole clip [mm]", flush=True)
    with open(os.path.join(o.out, "table.csv"), "w", newline="") as file:
        fields = ["n", "character", "kind", "frame", "status", "found", "beside_mm", "elsewhere_mm", "whole_mm", "verdict"]
        writer = csv.DictWriter(file, fields)
        writer.writeheader()
        writer.writerows(table)
    print("\n%-10s %5s %5s %7s %7s %8s %9s" % ("kind", "cuts", "met", "failed", "larger", "stilled", "not found"))
    for kind in KINDS + ["all"]:
        rows = [r for r in table if kind in (r["kind"], "all")]
        count = lambda word: sum(word in r["verdict"] for r in rows)
        print("%-10s %5d %5d %7d %7d %8d %9d" % (kind, len(rows), count("met"), count("failed"), count("larger"),
                                                 count("stilled"), count("not found")))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
