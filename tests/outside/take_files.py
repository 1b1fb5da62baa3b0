"""The files of a take, read by nothing of the engine: tets.msh (Gmsh 4.1 as text), point caches, report.json."""
import array
import json
import os
import struct
import sys


class Tets:
    def __init__(self):
        self.points, self.tets, self.region, self.names, self.maps = [], [], [], {}, {}


def read_msh(path):
    with open(path, "rb") as file:
        lines = file.read().decode("latin-1").split("\n")
    out, k = Tets(), 0
    physical, number = {}, {}

    def after(name):
        try:
            return lines.index("$" + name) + 1
        except ValueError:
            return None

    if lines[after("MeshFormat")].split()[:2] != ["4.1", "0"]:
        raise ValueError(path + ": not Gmsh 4.1 as text")
    k = after("PhysicalNames")
    if k is not None:
        for line in lines[k + 1:k + 1 + int(lines[k])]:
            _, tag, name = line.split(None, 2)
            out.names[int(tag)] = name.strip().strip('"')
    k = after("Entities")
    if k is not None:
        points, curves, surfaces, volumes = map(int, lines[k].split())
        first = k + 1 + points + curves + surfaces
        for line in lines[first:first + volumes]:
            word = line.split()
            if int(word[7]):
                physical[int(word[0])] = int(word[8])
    k = after("Nodes")
    blocks = int(lines[k].split()[0])
    k += 1
    for _ in range(blocks):
        n = int(lines[k].split()[3])
        for tag, place in zip(lines[k + 1:k + 1 + n], lines[k + 1 + n:k + 1 + 2 * n]):
            number[int(tag)] = len(out.points)
            out.points.append(tuple(map(float, place.split()[:3])))
        k += 1 + 2 * n
    k = after("Elements")
    blocks = int(lines[k].split()[0])
    k += 1
    tags = {}
    for _ in range(blocks):
        _, entity, kind, n = map(int, lines[k].split())
        if kind == 4:
            for line in lines[k + 1:k + 1 + n]:
                word = line.split()
                tags[int(word[0])] = len(out.tets)
                out.tets.append([number[int(w)] for w in word[1:5]])
                out.region.append(physical.get(entity, 0))
        k += 1 + n
    k = 0
    while "$ElementData" in lines[k:]:
        k = lines.index("$ElementData", k) + 1
        at = k + 1
        name = lines[at].strip().strip('"')
        at += int(lines[k])
        at += 1 + int(lines[at])  # numbers that are real
        n = int(lines[at + 3])
        at += 1 + int(lines[at])
        values = [1.0] * len(out.tets)
        for line in lines[at:at + n]:
            word = line.split()
            values[tags[int(word[0])]] = float(word[1])
        out.maps[name] = values
    return out


class Cache:
    """frames[f] is an array of x y z x y z ..."""

    def __init__(self, path):
        with open(path, "rb") as file:
            head = file.read(32)
            if head[:11] != b"POINTCACHE2":
                raise ValueError(path + ": no PC2")
            _, self.points, self.first, self.rate, self.samples = struct.unpack("<iiffi", head[12:])
            self.frames = []
            for _ in range(self.samples):
                frame = array.array("f")
                frame.frombytes(file.read(12 * self.points))
                if len(frame) != 3 * self.points:
                    raise ValueError(path + ": cut off")
                if sys.byteorder == "big":
                    frame.byteswap()
                self.frames.append(frame)


class Take:
    """A folder that `simulate`, `run` or `tune` wrote. Of several clips: one of their folders."""

    def __init__(self, folder):
        self.folder = folder
        with open(os.path.join(folder, "report.json")) as file:
            self.report = json.load(file)
        self.tets = read_msh(os.path.join(folder, "tets.msh"))
        self.moving = Cache(os.path.join(folder, "tets.pc2"))
        self.still = Cache(os.path.join(folder, "static.pc2"))
        self.fps = float(self.report["timeline"]["fps"])
        if not len(self.tets.points) == self.moving.points == self.still.points:
            raise ValueError(folder + ": caches of other tets")

    def card(self, *keys):
        """A number of the report; None where it has none."""
        at = self.report
        for key in keys:
            at = at.get(key) if isinstance(at, dict) else None
        return at if isinstance(at, (int, float)) else None
