"""What Blender makes of a character's result, beside the input and the surface that the run delivered.

  blender -b --python check_character.py -- INPUT.glb OUTPUT.glb TAKE CLIP SHARE [STEP]

TAKE has surface.pc2, surface.obj and report.json; CLIP is the soft clip's name; SHARE the stated error of a vertex
beside the size; every STEP-th frame is looked at. Prints one line "CHECK {...}": numbers, and "wrong", a list of what
does not hold. Ends with 1 when there is any, 2 when the check itself cannot run.
"""
import json
import os
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


def keys_of_clip(gltf, binary, clip, samples):
    """Times of the soft clip's keys: of a weights channel with one key a sample."""
    for animation in gltf["animations"]:
        if animation.get("name") != clip:
            continue
        for channel in animation["channels"]:
            accessor = gltf["accessors"][animation["samplers"][channel["sampler"]]["input"]]
            if channel["target"]["path"] == "weights" and accessor["count"] == samples:
                view = gltf["bufferViews"][accessor["bufferView"]]
                at = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
                return numpy.frombuffer(binary, "<f4", samples, at).astype(float)
    return None


def load(path):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.import_scene.gltf(filepath=path)
    return [o for o in bpy.data.objects if o.type == "MESH" and o.users_collection and not o.name.startswith("Icosphere")]


def description():
    """What has to be the same in input and output, by object."""
    return {
        o.name: {
            "vertices": len(o.data.vertices),
            "faces": len(o.data.polygons),
            "materials": [m.name if m else None for m in o.data.materials],
            "uv": [layer.name for layer in o.data.uv_layers],
        }
        for o in bpy.data.objects
        if o.type == "MESH"
    }


def objects_in_order(gltf, meshes):
    """The mesh objects in the order of the file's nodes: (node, object, file vertices of each of its vertices)."""
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
        found.append((n, fitting[0], count))
    return found


def play(clip):
    """Assigns the parts of a clip, as the importer has split it, by its tracks. Returns their actions."""
    actions = []
    for block in [*bpy.data.objects, *bpy.data.shape_keys]:
        data = block.animation_data
        if not data:
            continue
        data.action = None
        for track in data.nla_tracks:
            track.mute = True
            if track.name == clip and track.strips:
                data.action = track.strips[0].action
                actions.append(data.action.name)
    return actions


def play_tracks(clip):
    """The same by the tracks themselves, as an artist does it in the editor."""
    for block in [*bpy.data.objects, *bpy.data.shape_keys]:
        if block.animation_data:
            block.animation_data.action = None
            for track in block.animation_data.nla_tracks:
                track.mute = track.name != clip


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
    load(before)
    given, given_clips = description(), {t.name for b in [*bpy.data.objects, *bpy.data.shape_keys]
                                         if b.animation_data for t in b.animation_data.nla_tracks}
    meshes = load(after)
    got = description()
    if got != given:
        different = {k: (given.get(k), got.get(k)) for k in given.keys() | got.keys() if given.get(k) != got.get(k)}
        wrong.append(f"objects differ: {different}")
    tracks = {t.name for b in [*bpy.data.objects, *bpy.data.shape_keys]
              if b.animation_data for t in b.animation_data.nla_tracks}
    if not given_clips <= tracks:
        wrong.append(f"clips are gone: {sorted(given_clips - tracks)}")
    if clip not in tracks:
        wrong.append(f"there is no track '{clip}': {sorted(tracks)}")

    # The soft clip beside the surface that the run delivered, at the frames of the run.
    gltf, binary = read_glb(after)
    cache = read_pc2(os.path.join(take, "surface.pc2"))
    with open(os.path.join(take, "report.json")) as file:
        run_fps = json.load(file)["timeline"]["fps"]
    times = keys_of_clip(gltf, binary, clip, len(cache))
    if times is None:
        times = numpy.arange(len(cache)) / run_fps
    order = objects_in_order(gltf, meshes)
    if sum(n for _, _, n in order) != cache.shape[1]:
        wrong.append(f"surface.pc2 has {cache.shape[1]} points, the file's meshes {sum(n for _, _, n in order)}")
    size = float((cache[0].max(axis=0) - cache[0].min(axis=0)).max())
    fps = bpy.context.scene.render.fps / bpy.context.scene.render.fps_base
    frames = sorted({*range(0, len(cache), step), len(cache) - 1})
    for name, start in (("actions", play), ("tracks", play_tracks)):
        start(clip)
        worst = 0.0
        for f in frames if name == "actions" else frames[-1:]:
            go_to(times[f] * fps)
            first = 0
            for node, o, n in order:
                if len(o.data.vertices) != n:
                    wrong.append(f"object {o.name} has {len(o.data.vertices)} vertices, node {node} has {n}")
                    return numbers, wrong
                worst = max(worst, farthest(seen(o), up_z(cache[f][first : first + n])) / size)
                first += n
        numbers[name + "_error"] = worst
        # The stated error is of the mesh as bound; a skin stretches it, and Blender computes in single precision.
        if not worst <= 1.5 * share + 5e-6:
            wrong.append(f"{name} of '{clip}' are {worst:.3g} of the size from surface.pc2; {share:.3g} are stated")

    # The cache on the objects as imported, each with that of its node: what it says stands in the world.
    several = len(order) > 1
    files = {}
    for node, o, n in order:
        name = "".join(c if c.isascii() and (c.isalnum() or c in ".-") else "_" for c in gltf["nodes"][node].get("name", ""))
        folder = os.path.join(take, "surface_pc2")
        choices = [os.path.join(folder, f"{name}_{node}.pc2"), os.path.join(folder, f"{name}.pc2")]
        files[o.name] = next((c for c in choices if os.path.exists(c)), None) if several \
            else os.path.join(take, "surface.pc2")
    worst, first = 0.0, 0
    for node, o, n in order:
        if files[o.name] is None:
            wrong.append(f"node {node} has no cache in surface_pc2")
            continue
        o.modifiers.clear()
        if o.data.shape_keys:
            o.shape_key_clear()
        with_cache(o, files[o.name], "POS_Y", "POS_Z")
        for f in frames:
            go_to(float(f))
            worst = max(worst, float(numpy.abs(seen(o, world=False) - cache[f][first : first + n]).max()))
        first += n
    numbers["object_cache_difference"] = worst
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
                                     ("turned_cache", ("NEG_Z", "POS_Y"), up_z)):
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
