#!/usr/bin/env python3
"""make_stage.py PROGRAM CAST FOLDER: what the pages of the guide take as given, under the names that they use:
characters (made by the program CAST), their meshes and caches, painted, tets, lists and tracks."""
import json
import math
import os
import shutil
import struct
import subprocess
import sys


def painted(path):
    """Adds COLOR_0 to a .glb: red where it is soft, which is its middle; green in its upper half."""
    data = open(path, "rb").read()
    length = struct.unpack("<I", data[12:16])[0]
    file, body = json.loads(data[20:20 + length]), bytearray(data[20 + length + 8:])
    for mesh in file["meshes"]:
        for primitive in mesh["primitives"]:
            view = file["accessors"][primitive["attributes"]["POSITION"]]
            at = file["bufferViews"][view["bufferView"]].get("byteOffset", 0) + view.get("byteOffset", 0)
            colours = b"".join(struct.pack("<4f", *colour(struct.unpack_from("<3f", body, at + 12 * v)), 1)
                               for v in range(view["count"]))
            while len(body) % 4:
                body.append(0)
            file["bufferViews"].append({"buffer": 0, "byteOffset": len(body), "byteLength": len(colours)})
            file["accessors"].append({"bufferView": len(file["bufferViews"]) - 1, "componentType": 5126,
                                      "count": view["count"], "type": "VEC4"})
            primitive["attributes"]["COLOR_0"] = len(file["accessors"]) - 1
            soft = b"".join(struct.pack("<f", struct.unpack_from("<f", colours, 16 * v)[0]) for v in range(view["count"]))
            file["bufferViews"].append({"buffer": 0, "byteOffset": len(body) + len(colours), "byteLength": len(soft)})
            file["accessors"].append({"bufferView": len(file["bufferViews"]) - 1, "componentType": 5126,
                                      "count": view["count"], "type": "SCALAR"})
            primitive["attributes"]["_SOFT"] = len(file["accessors"]) - 1
            body += colours + soft
    file["buffers"][0]["byteLength"] = len(body)
    text = json.dumps(file).encode()
    text += b" " * (-len(text) % 4)
    with open(path, "wb") as out:
        out.write(struct.pack("<4sII", b"glTF", 2, 28 + len(text) + len(body)))
        out.write(struct.pack("<II", len(text), 0x4E4F534A) + text + struct.pack("<II", len(body), 0x004E4942) + body)


def colour(x):
    red = max(0.0, min(1.0, 1.6 - 6 * abs(x[1] - 1.1)))
    return red, 1.0 if x[1] > 1 else 0.0, 0.0


def read_obj(path):
    vertices, faces = [], []
    for line in open(path):
        word = line.split()
        if word[:1] == ["v"]:
            vertices.append(tuple(map(float, word[1:4])))
        elif word[:1] == ["f"]:
            faces.append([int(w.split("/")[0]) for w in word[1:]])
    return vertices, faces


def write_obj(path, vertices, faces=(), colours=None):
    with open(path, "w") as out:
        for k, x in enumerate(vertices):
            out.write("v %.9g %.9g %.9g%s\n" % (*x, " %.4g %.4g %.4g" % colours[k] if colours else ""))
        for f in faces:
            out.write("f " + " ".join(map(str, f)) + "\n")


def read_pc2(path):
    data = open(path, "rb").read()
    n, frames = struct.unpack_from("<i", data, 16)[0], struct.unpack_from("<i", data, 28)[0]
    numbers = struct.unpack_from("<%df" % (3 * n * frames), data, 32)
    return [[numbers[3 * (f * n + v):3 * (f * n + v) + 3] for v in range(n)] for f in range(frames)]


def write_pc2(path, frames):
    with open(path, "wb") as out:
        out.write(struct.pack("<12siiffi", b"POINTCACHE2\0", 1, len(frames[0]), 0.0, 1.0, len(frames)))
        for frame in frames:
            for x in frame:
                out.write(struct.pack("<3f", *x))


def ball(centre, radius, rings=8):
    """A closed surface: rings of points between two poles."""
    around = 2 * rings
    vertices, faces = [(centre[0], centre[1] + radius, centre[2])], []
    for r in range(1, rings):
        a = math.pi * r / rings
        for k in range(around):
            b = 2 * math.pi * k / around
            vertices.append((centre[0] + radius * math.sin(a) * math.cos(b), centre[1] + radius * math.cos(a),
                             centre[2] + radius * math.sin(a) * math.sin(b)))
    vertices.append((centre[0], centre[1] - radius, centre[2]))
    at = lambda r, k: 2 + (r - 1) * around + k % around
    for k in range(around):
        faces.append([1, at(1, k + 1), at(1, k)])
        for r in range(1, rings - 1):
            faces.append([at(r, k), at(r, k + 1), at(r + 1, k + 1)])
            faces.append([at(r, k), at(r + 1, k + 1), at(r + 1, k)])
        faces.append([len(vertices), at(rings - 1, k), at(rings - 1, k + 1)])
    return vertices, faces


def write_lines(path, lines):
    with open(path, "w") as out:
        out.write("\n".join(map(str, lines)) + "\n")


def main(program, cast, folder):
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    subprocess.run([cast, folder], check=True)
    os.chdir(folder)
    supple = lambda *words: subprocess.run([program, "-q", *words], check=True, stdout=subprocess.DEVNULL)

    for name in ("fox", "hero", "cow", "horse"):
        painted(name + ".glb")

    # The hero as a mesh with a cache, of which the red is soft.
    supple("convert", "hero.glb", "hero.obj")
    supple("convert", "hero.glb", "hero.pc2")
    rest, faces = read_obj("hero.obj")
    frames = read_pc2("hero.pc2")
    write_obj("hero.obj", rest, faces, [colour(x) for x in rest])
    belly = [v for v, x in enumerate(rest) if colour(x)[0] > 0.5]
    write_lines("belly.txt", belly)
    write_lines("hero_soft.txt", ["%d %.4g" % (v, colour(x)[0]) for v, x in enumerate(rest)])
    # A body in centimetres.
    write_obj("body.obj", [tuple(100 * c for c in x) for x in rest], faces, [colour(x) for x in rest])
    write_pc2("body.pc2", [[tuple(100 * c for c in x) for x in frame] for frame in frames])
    # A part of it that was tracked, in three ways.
    write_obj("head.obj", rest, faces)
    tracked = [v for v, x in enumerate(rest) if x[1] > 0.3]
    number = {v: k + 1 for k, v in enumerate(tracked)}
    write_lines("tracked.txt", tracked)
    write_pc2("face.pc2", [[frame[v] for v in tracked] for frame in frames])
    write_obj("face.obj", [rest[v] for v in tracked], [[number[c - 1] for c in f] for f in faces if all(c - 1 in number for c in f)])
    thirds = [[v - 1 for v in f] for f in faces[::2]]
    middle = lambda shape: [tuple(sum(shape[v][c] for v in f) / 3 for c in range(3)) for f in thirds]
    write_obj("markers.obj", middle(rest))
    write_pc2("markers.pc2", [middle(frame) for frame in frames])

    # Things to touch, and a core to hold by.
    write_obj("ball.obj", *ball((0, 0, 0), 0.2))
    write_obj("chair.obj", *ball((0, 0.2, -0.6), 0.15))
    write_obj("hand.obj", *ball((0, 1.1, 0.5), 0.08))
    write_pc2("hand.pc2", [[(x, y, z - 0.01 * f) for x, y, z in ball((0, 1.1, 0.5), 0.08)[0]] for f in range(9)])
    write_obj("core.obj", *ball((0, 1.1, 0), 0.1))
    write_lines("rig-elephant/trunk.csv", ["frame,x,y,z"] + ["%d,0,%.4f,1.6" % (f, 0.9 + 0.02 * f) for f in range(9)])

    # Tets: a bar that is held at one end, and what moves it.
    shutil.copy("bar/bar.msh", "body.msh")
    shutil.copy("bar/root.txt", "root.txt")
    supple("convert", "body.msh", "body.node")
    supple("convert", "body.msh", "skin.obj")
    write_lines("beam_root.txt", [v for v in range(13 * 9) if v % 13 == 0])
    shutil.copy("root.txt", "core.txt")
    shutil.copy("bar/root.pc2", "core.pc2")
    # A point that rings: 1.2 Hz, halved every 0.4 s.
    write_lines("reference.csv", ["frame,x,y,z"] + ["%d,0,%.6f,0" % (f, 0.02 * 0.5 ** (f / 9.6) * math.cos(0.05 * 2 * math.pi * f)) for f in range(96)])

    # Scenes that what a page shows of one is added to.
    preview = '[tets]\npreset = "preview"\n'
    scenes = {
        "of_fox.toml": '[surface]\nfile = "fox.glb"\n' + preview,
        "of_hero.toml": '[surface]\nfile = "hero.glb"\n' + preview,
        "of_body.toml": '[tets]\nfile = "body.msh"\n[attach]\nvertices = "root.txt"\n',
        "sunflower/plain.toml": '[tets]\nfile = "sunflower.msh"\n[attach]\nvertices = "root.txt"\n',
        "rig-elephant/whole.toml": '[surface]\nfile = "elephant.glb"\n' + preview,
        "scene.toml": """[tets]
file = "beam.msh"
[attach]
vertices = "beam_root.txt"
[timeline]
test_motion = "stop"
[material]
model = "linear"
youngs_modulus = 1.5e5
half_life_s = 0.3
""",
    }
    for name, text in scenes.items():
        with open(name, "w") as out:
            out.write(text)


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*(os.path.abspath(word) for word in sys.argv[1:]))
