"""The add-on on a character built here: a bent, swinging sack with two bones.

  blender -b --factory-startup --python-exit-code 2 --python check_addon.py -- ADDON.py PROGRAM FOLDER

Prints one line "CHECK {...}" with the numbers, and ends with 1 when something does not hold: the modifier's positions must
be those of the cache, and in the input's space (where nothing is soft, as the armature alone has them).
"""
import importlib.util
import json
import math
import os
import struct
import sys

import bpy
import numpy


def build():
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.mesh.primitive_uv_sphere_add(segments=24, ring_count=24, radius=1)
    body = bpy.context.object
    body.name = "Sack"
    for v in body.data.vertices:  # a pear with a neck
        z = v.co.z
        wide = 0.42 + 0.25 * math.exp(-4 * (z + 0.45) ** 2)
        v.co.x *= wide
        v.co.y *= wide
        v.co.z = 0.9 * z + 0.9
    body.location = (0.3, -0.2, 0.1)
    body.rotation_euler = (0, 0, 0.4)
    body.scale = (1.2, 1.2, 1.2)
    bpy.ops.object.armature_add(location=(0.3, -0.2, 0.1), rotation=(0, 0, 0.4))
    rig = bpy.context.object
    rig.scale = (1.2, 1.2, 1.2)
    bpy.ops.object.mode_set(mode="EDIT")
    low = rig.data.edit_bones[0]
    low.name, low.head, low.tail = "hips", (0, 0, 0.1), (0, 0, 0.9)
    high = rig.data.edit_bones.new("chest")
    high.head, high.tail, high.parent = (0, 0, 0.9), (0, 0, 1.7), low
    bpy.ops.object.mode_set(mode="POSE")
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end, scene.render.fps = 3, 22, 24
    for frame in range(3, 23):
        scene.frame_set(frame)
        s = (frame - 3) / 19
        rig.pose.bones["hips"].location = (0.35 * math.sin(2 * math.pi * s), 0.25 * abs(math.sin(3 * math.pi * s)), 0)
        rig.pose.bones["hips"].keyframe_insert("location")
        rig.pose.bones["chest"].rotation_mode = "XYZ"
        rig.pose.bones["chest"].rotation_euler = (0.4 * math.sin(4 * math.pi * s), 0, 0)
        rig.pose.bones["chest"].keyframe_insert("rotation_euler")
    bpy.ops.object.mode_set(mode="OBJECT")
    for name in ("hips", "chest"):
        body.vertex_groups.new(name=name)
    for v in body.data.vertices:
        w = min(1, max(0, (v.co.z - 0.7) / 0.4))
        body.vertex_groups["hips"].add([v.index], 1 - w, "REPLACE")
        body.vertex_groups["chest"].add([v.index], w, "REPLACE")
    modifier = body.modifiers.new("Armature", "ARMATURE")
    modifier.object = rig
    bpy.context.view_layer.objects.active = body
    return body


def positions(body, frame):
    bpy.context.scene.frame_set(frame)
    mesh = body.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
    flat = numpy.empty(3 * len(mesh.vertices))
    mesh.vertices.foreach_get("co", flat)
    return flat.reshape(-1, 3)


def soften(body, settings, amount, before, wrong):
    """Makes it soft by so much: how far from `before` it is then, and how far the modifier is from the cache."""
    settings.amplitude = amount
    if bpy.ops.supple.make_soft() != {"FINISHED"}:
        print("CHECK", json.dumps({"wrong": ["the operator did not finish"]}))
        sys.exit(1)
    take = max(d for d in os.listdir(settings.folder) if d.isdigit())
    with open(os.path.join(settings.folder, take, "surface.pc2"), "rb") as file:
        data = file.read()
    points, _, _, samples = struct.unpack_from("<iffi", data, 16)
    cache = numpy.frombuffer(data, "<f4", offset=32).reshape(samples, points, 3)
    if points != len(body.data.vertices) or samples != 20:
        wrong.append("the cache has %d points and %d samples" % (points, samples))
    moved, worst = 0, 0
    for frame, input_points in before.items():
        now = positions(body, frame)
        worst = max(worst, float(abs(now - cache[frame - 3]).max()))
        moved = max(moved, float(numpy.linalg.norm(now - input_points, axis=1).max()))
    if worst > 0:
        wrong.append("the modifier is %g away from the cache" % worst)
    return moved, worst


def main():
    addon, program, folder = sys.argv[sys.argv.index("--") + 1 :]
    spec = importlib.util.spec_from_file_location("supple_addon", addon)
    supple = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(supple)
    supple.register()
    body = build()
    before = {f: positions(body, f) for f in (3, 10, 22)}
    settings = bpy.context.scene.supple
    settings.program, settings.folder, settings.preview = program, folder, True
    wrong = []
    # At no amount every vertex is where the armature has it, in the space of the input.
    still, _ = soften(body, settings, 0, before, wrong)
    if still > 1e-5:
        wrong.append("without an amount the flesh moved by %g" % still)
    moved, worst = soften(body, settings, 1.5, before, wrong)
    if moved < 1e-4 or moved > 0.5:
        wrong.append("the flesh moved by %g" % moved)
    settings.program = "/nowhere/supple"
    try:
        supple.make_soft(bpy.context, body, settings)
        wrong.append("a missing program was not told")
    except supple.SuppleError:
        pass
    print("CHECK", json.dumps({"worst": worst, "moved": moved, "still": still, "wrong": wrong}))
    sys.exit(1 if wrong else 0)


main()
