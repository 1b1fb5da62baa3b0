"""What Blender makes of a character's result, beside the input and the surface that the run delivered.

  blender -b --python check_character.py -- INPUT.glb OUTPUT.glb TAKE CLIP SHARE [STEP]

TAKE has surface.pc2, surface.obj, report.json and scene.toml; CLIP is the soft clip's name (NAME.soft); SHARE the
stated error of a vertex beside the size; every STEP-th frame is looked at. Prints one line "CHECK {...}": numbers, and
"wrong", a list of what does not hold. Ends with 1 when there is any, 2 when the check itself cannot run.

Blender plays some inputs otherwise than glTF has it: it mixes linear rotations part by part and fits splines of its
own. Such a clip is off by as much before and after, and is no case for this check.
"""
import json
import os
import re
import struct
import sys
import traceback

import numpy

if "bool" not in numpy.__dict__:  # older importers use the name that newer numpy dropped
    numpy.bool = bool
import bpy


def read_glb(path):
    with open(path, "rb") as file:
        data = file.read()
    if data[:4] != b"glTF":  # a text file: only its JSON is looked at
        return json.loads(data), b""
    length = struct.unpack_from("<I", data, 12)[0]
    return json.loads(data[20 : 20 + length]), data[28 + length :]


def read_pc2(path):
    with open(path, "rb") as file:
        data = file.read()
    points, _, _, samples = struct.unpack_from("<iffi", data, 16)
    return numpy.frombuffer(data, "<f4", offset=32).reshape(samples, points, 3)


def array_of(gltf, binary, accessor):
    kind = {5121: "u1", 5123: "<u2", 5125: "<u4", 5126: "<f4"}[accessor["componentType"]]
    view = gltf["bufferViews"][accessor["bufferView"]]
    return numpy.frombuffer(binary, kind, accessor["count"], view.get("byteOffset", 0) + accessor.get("byteOffset", 0))


def times_of_frames(gltf, clip, take, samples):
    """Of the run, in the file's seconds: it counts from the clip's first key."""
    with open(os.path.join(take, "report.json")) as file:
        fps = json.load(file)["timeline"]["fps"]
    with open(os.path.join(take, "scene.toml")) as file:
        first = re.search(r"^\s*range\s*=\s*\[\s*(\d+)", file.read(), re.MULTILINE)
    start = min(gltf["accessors"][sampler["input"]]["min"][0]
                for animation in gltf["animations"] if animation.get("name") == clip
                for sampler in animation["samplers"])
    return start + ((int(first.group(1)) if first else 0) + numpy.arange(samples)) / fps


def used_vertices(gltf, binary, node):
    """Which of the vertices that the file has for a node Blender takes: those of its triangles. And how many it has."""
    used, count = [], 0
    for primitive in gltf["meshes"][gltf["nodes"][node]["mesh"]]["primitives"]:
        n = gltf["accessors"][primitive["attributes"]["POSITION"]]["count"]
        own = numpy.arange(n)
        if "indices" in primitive:
            own = numpy.unique(array_of(gltf, binary, gltf["accessors"][primitive["indices"]]).astype(int))
        used.append(count + own)
        count += n
    return numpy.concatenate(used), count


def load(path):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.import_scene.gltf(filepath=path)
    # The importer draws bones with a shape of its own, which is in no scene.
    return [o for o in bpy.context.scene.objects if o.type == "MESH"]


def description(order):
    """What has to be the same in input and output, node by node. Names of objects may change: an object whose shape
    keys move takes the name of the mesh, and its node becomes an empty."""
    return [
        {
            "node": node,
            "vertices": len(o.data.vertices),
            "faces": len(o.data.polygons),
            "materials": [m.name if m else None for m in o.data.materials],
            "uv": [layer.name for layer in o.data.uv_layers],
        }
        for node, o in order
    ]


def blocks():
    return [b for b in [*bpy.data.objects, *bpy.data.shape_keys] if b.animation_data]


def track_names():
    return {track.name for block in blocks() for track in block.animation_data.nla_tracks}


def objects_in_order(gltf, meshes):
    """The mesh objects in the order of the file's nodes: (node, object)."""
    left, found = list(meshes), []
    for n, node in enumerate(gltf["nodes"]):
        if "mesh" not in node:
            continue
        mesh = gltf["meshes"][node["mesh"]]
        count = sum(gltf["accessors"][p["attributes"]["POSITION"]]["count"] for p in mesh["primitives"])
        names = (node.get("name"), mesh.get("name"))
        # A skinned mesh is an object by the name of the mesh, another one by that of its node.
        fitting = sorted(left, key=lambda o: (o.name not in names, o.data.name not in names,
                                              len(o.data.vertices) != count))
        if not fitting:
            raise RuntimeError(f"no object for node {n}")
        left.remove(fitting[0])
        found.append((n, fitting[0]))
    return found


def play(clip):
    """Assigns the parts of a clip, as the importer has split it. Its frames are those of the file, from 0 on."""
    for block in blocks():
        data = block.animation_data
        data.action = None
        for track in data.nla_tracks:
            track.mute = True
            if track.name == clip:
                data.action = track.strips[0].action
    return 0.0


def play_tracks(clip):
    """The same by the tracks alone, as an artist does it in the editor: they begin at the scene's first frame.
    Returns how far that shifts the armature."""
    shifts = []
    for block in blocks():
        block.animation_data.action = None
        for track in block.animation_data.nla_tracks:
            track.mute = track.name != clip
            if track.name == clip:
                shifts.append(track.strips[0].frame_start - track.strips[0].action_frame_start)
    return max(shifts, default=0.0)


def outside_of_sliders(clip):
    """Keys of shape keys that their sliders cut off: Blender clamps what is animated."""
    cut = 0
    for keys in bpy.data.shape_keys:
        for track in keys.animation_data.nla_tracks if keys.animation_data else []:
            for block in keys.key_blocks if track.name == clip else []:
                curve = track.strips[0].action.fcurves.find(f'key_blocks["{block.name}"].value')
                for key in curve.keyframe_points if curve else []:
                    cut += not block.slider_min - 1e-6 <= key.co[1] <= block.slider_max + 1e-6
    return cut


def go_to(frame):
    whole = int(numpy.floor(frame + 1e-7))
    bpy.context.scene.frame_set(whole, subframe=max(0.0, min(frame - whole, 0.99999994)))


def seen(o, world=True):
    shown = o.evaluated_get(bpy.context.evaluated_depsgraph_get())
    x = numpy.empty(3 * len(shown.data.vertices), numpy.float32)
    shown.data.vertices.foreach_get("co", x)
    x = x.reshape(-1, 3)
    if world:
        m = numpy.array(shown.matrix_world)
        x = x @ m[:3, :3].T + m[:3, 3]
    return x


def up_z(x):
    return numpy.stack([x[:, 0], -x[:, 2], x[:, 1]], axis=1)


def farthest(a, b):
    return float(numpy.linalg.norm(a.astype(float) - b.astype(float), axis=1).max())


def with_cache(o, path, forward, up):
    m = o.modifiers.new("cache", "MESH_CACHE")
    m.cache_format, m.filepath = "PC2", path
    m.interpolation, m.deform_mode, m.play_mode, m.time_mode = "NONE", "OVERWRITE", "SCENE", "FRAME"
    m.frame_start, m.frame_scale, m.forward_axis, m.up_axis = 0, 1, forward, up


def check(before, after, take, clip, share, step):
    wrong, numbers = [], {}
    given = description(objects_in_order(read_glb(before)[0], load(before)))
    given_clips, given_cut = track_names(), outside_of_sliders(clip.removesuffix(".soft"))
    gltf, binary = read_glb(after)
    order = objects_in_order(gltf, load(after))
    different = [(x, y) for x, y in zip(given, description(order)) if x != y]
    if different or len(given) != len(order):
        wrong.append(f"{len(given)} meshes became {len(order)}; different: {different}")
    if not given_clips <= track_names():
        wrong.append(f"clips are gone: {sorted(given_clips - track_names())}")
    if clip not in track_names():
        wrong.append(f"there is no track '{clip}': {sorted(track_names())}")
    numbers["clamped_keys"] = max(0, outside_of_sliders(clip) - given_cut)
    if numbers["clamped_keys"]:
        wrong.append(f"sliders cut off {numbers['clamped_keys']} keys of shape keys")

    # The soft clip beside the surface that the run delivered, at the frames of the run.
    cache = read_pc2(os.path.join(take, "surface.pc2"))
    times = times_of_frames(gltf, clip, take, len(cache))
    # Of each node: its vertices in surface.pc2, those that Blender takes.
    rows, count, unused = {}, 0, 0
    for node, o in order:
        own, n = used_vertices(gltf, binary, node)
        rows[node] = count + own
        count += n
        unused += n - len(own)
        if len(o.data.vertices) != len(own):
            wrong.append(f"object {o.name} has {len(o.data.vertices)} vertices, node {node} has {len(own)}")
    if count != cache.shape[1]:
        wrong.append(f"surface.pc2 has {cache.shape[1]} points, the file's meshes {count}")
    if count != cache.shape[1] or any(len(o.data.vertices) != len(rows[node]) for node, o in order):
        return numbers, wrong
    size = float((cache[0].max(axis=0) - cache[0].min(axis=0)).max())
    fps = bpy.context.scene.render.fps / bpy.context.scene.render.fps_base
    frames = sorted({*range(0, len(cache), step), len(cache) - 1})
    for name, start in (("actions", play), ("tracks", play_tracks)):
        shift = start(clip)
        worst = 0.0
        for f in frames:
            go_to(times[f] * fps + shift)
            for node, o in order:
                worst = max(worst, farthest(seen(o), up_z(cache[f][rows[node]])) / size)
        numbers[name + "_error"] = worst
        # The stated error is of the mesh as bound; a skin stretches it, and Blender computes in single precision.
        if not worst <= 1.5 * share + 5e-6:
            wrong.append(f"{name} of '{clip}' are {worst:.3g} of the size from surface.pc2; {share:.3g} are stated")

    # The cache on the objects as imported, each with that of its node. Blender plays it only on as many vertices.
    worst, folder = 0.0, os.path.join(take, "surface_pc2")
    for node, o in order:
        name = gltf["nodes"][node].get("name", "")
        name = "".join(c if c.isascii() and (c.isalnum() or c in ".-") else "_" for c in name)
        choices = [f"{name}_{node}.pc2", f"{name}.pc2"]
        path = next((p for p in (os.path.join(folder, c) for c in choices) if os.path.exists(p)), None)
        if len(order) == 1:
            path = os.path.join(take, "surface.pc2")
        if path is None:
            wrong.append(f"node {node} has no cache in surface_pc2")
            continue
        if read_pc2(path).shape[1] != len(rows[node]):
            wrong.append(f"{os.path.basename(path)} has {read_pc2(path).shape[1]} points, its object {len(rows[node])}")
            continue
        o.modifiers.clear()
        if o.data.shape_keys:
            o.shape_key_clear()
        with_cache(o, path, "POS_Y", "POS_Z")
        for f in frames:
            go_to(float(f))
            worst = max(worst, float(numpy.abs(seen(o, world=False) - cache[f][rows[node]]).max()))
    numbers["object_cache_difference"], numbers["unused_vertices"] = worst, unused
    if worst != 0:
        wrong.append(f"caches on the objects differ from surface.pc2 by {worst:.3g}")

    # The cache on the mesh beside it: float for float, and turned as the axes of a glTF file say.
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.wm.obj_import(filepath=os.path.join(take, "surface.obj"), forward_axis="Y", up_axis="Z")
    o = bpy.context.selected_objects[0]
    if len(o.data.vertices) != cache.shape[1]:
        wrong.append(f"surface.obj has {len(o.data.vertices)} vertices, surface.pc2 {cache.shape[1]}")
    else:
        for name, axes, expected in (("cache", ("POS_Y", "POS_Z"), lambda x: x),
                                     ("turned_cache", ("POS_Z", "NEG_Y"), up_z)):
            o.modifiers.clear()
            with_cache(o, os.path.join(take, "surface.pc2"), *axes)
            worst = 0.0
            for f in frames:
                go_to(float(f))
                worst = max(worst, float(numpy.abs(seen(o, world=False) - expected(cache[f])).max()))
            numbers[name + "_difference"] = worst
            if not worst <= (0 if name == "cache" else 1e-6 * size):
                wrong.append(f"{name}: surface.pc2 on surface.obj differs by {worst:.3g}")
    numbers["frames"], numbers["objects"], numbers["vertices"] = len(frames), len(order), cache.shape[1]
    return numbers, wrong


try:
    arguments = sys.argv[sys.argv.index("--") + 1 :]
    result, problems = check(*(os.path.abspath(a) for a in arguments[:3]), arguments[3], float(arguments[4]),
                             int(arguments[5]) if len(arguments) > 5 else 1)
    print("CHECK " + json.dumps({**result, "wrong": problems}), flush=True)
    sys.exit(1 if problems else 0)
except Exception:  # Blender would go on and end with 0
    traceback.print_exc()
    sys.exit(2)
