"""What Blender makes of a clip of new curves, beside the clip that it repeats.

  blender -b --factory-startup --python-exit-code 2 --python curves_check.py -- INPUT OUTPUT CLIP SOURCE EXPECTED.json

CLIP is the new clip's name in OUTPUT (.glb), SOURCE that of the artist's clip in both files, or "". EXPECTED.json, as
tests/support/curves_check.h writes it:
  "new"     {"bone": {"rotation": keys, ...}}: what of which bones has new keys, and how many
  "weights" {"mesh": keys}: meshes whose shape keys have new keys, and how many
  "times"   [s] in the file, and at each of them "world" {"bone": [16 numbers, by rows]}, y up
  "angle", "distance"   tolerances [rad], [m]
Prints one line "CHECK {...}": numbers, and "wrong", a list of what does not hold. Ends with 1 when there is any, 2 when
the check itself cannot run. Checked are
  that the clip is a track of the armature (and of the shape keys), with curves to edit on the named bones, each with
  as many keys as the file has;
  that bones stand and turn as expected at the times;
  that all other curves of the clip are those of the artist's clip as it is imported from INPUT, bit for bit; and that
  the artist's clips are all there as they were.

Bones of Blender have axes of their own: turns are compared against those at the first time. Blender mixes rotations
number by number between keys, so times should lie on keys of what is not new.
"""
import json
import os
import sys
import traceback

import numpy

if "bool" not in numpy.__dict__:  # older importers use the name that newer numpy dropped
    numpy.bool = bool
import bpy

PATHS = {"rotation": ("rotation_quaternion", 4), "translation": ("location", 3), "scale": ("scale", 3)}
UP_Z = numpy.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]])


def load(path):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.import_scene.gltf(filepath=path)


def animated():
    return [b for b in [*bpy.data.objects, *bpy.data.shape_keys] if b.animation_data]


def clips():
    """{track: {(kind, curve's path, index): [(frame, value), ...]}}, kind telling objects and shape keys apart."""
    found = {}
    for block in animated():
        kind = block.user.name if isinstance(block, bpy.types.Key) else block.name
        for track in block.animation_data.nla_tracks:
            curves = found.setdefault(track.name, {})
            for strip in track.strips:
                for curve in strip.action.fcurves:
                    keys = [(k.co[0], k.co[1], k.interpolation) for k in curve.keyframe_points]
                    curves[(type(block).__name__, kind, curve.data_path, curve.array_index)] = keys
    return found


def play(clip):
    for block in animated():
        data = block.animation_data
        data.action = None
        for track in data.nla_tracks:
            track.mute = True
            if track.name == clip:
                data.action = track.strips[0].action


def go_to(frame):
    whole = int(numpy.floor(frame + 1e-6))
    bpy.context.scene.frame_set(whole, subframe=max(0.0, min(frame - whole, 0.99999994)))


def armature_of(bone):
    for o in bpy.context.scene.objects:
        if o.type == "ARMATURE" and bone in o.pose.bones:
            return o
    return None


def pure_turn(linear):
    u, _, vt = numpy.linalg.svd(linear)
    return u @ vt


def angle_of(turn):
    skew = numpy.linalg.norm([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]])
    return float(numpy.arctan2(skew, numpy.trace(turn) - 1))


def bone_path(bone, path):
    return 'pose.bones["%s"].%s' % (bpy.utils.escape_identifier(bone), path)


def check(before, after, clip, source, expected):
    wrong, numbers = [], {}
    load(before)
    given = clips()
    load(after)
    now = clips()
    if source and source not in given:
        wrong.append(f"the input has no track '{source}': {sorted(given)}")
    for name in given:
        if now.get(name) != given[name]:
            wrong.append(f"the artist's clip '{name}' is not as it was")
    if clip not in now:
        return numbers, wrong + [f"there is no track '{clip}': {sorted(now)}"]

    # What is new: curves on the named bones and shape keys, as many keys as the file has.
    ours, edited = now[clip], set()
    for bone, paths in expected["new"].items():
        rig = armature_of(bone)
        if rig is None:
            wrong.append(f"there is no bone '{bone}'")
            continue
        for path, n_keys in paths.items():
            for index in range(PATHS[path][1]):
                curve = ("Object", rig.name, bone_path(bone, PATHS[path][0]), index)
                edited.add(curve)
                if len(ours.get(curve, [])) != n_keys:
                    wrong.append(f"{curve[2]}[{index}] has {len(ours.get(curve, []))} keys, not {n_keys}")
    for mesh, n_keys in expected.get("weights", {}).items():
        curves = [c for c in ours if c[0] == "Key" and c[1] == mesh]
        edited.update(curves)
        if not curves or any(len(ours[c]) != n_keys for c in curves):
            wrong.append(f"shape keys of '{mesh}' have {[len(ours[c]) for c in curves]} keys, not {n_keys}")
    numbers["new_curves"] = len(edited)
    numbers["new_keys"] = sum(len(ours.get(c, [])) for c in edited)

    # All else is the artist's.
    kept = {c: keys for c, keys in given.get(source, {}).items() if c not in edited}
    differ = [c for c, keys in kept.items() if ours.get(c) != keys]
    more = [c for c in ours if c not in edited and c not in kept]
    if differ or more:
        wrong.append(f"curves that are not the artist's: {differ[:5]}, {more[:5]}")
    numbers["kept_curves"] = len(kept)

    # The clip as an action of its own: bones where the file has them.
    play(clip)
    fps = bpy.context.scene.render.fps
    worst_distance, worst_angle, travelled, first = 0.0, 0.0, 0.0, {}
    for i, t in enumerate(expected["times"]):
        go_to(t * fps)
        for bone, matrices in expected["world"].items():
            rig = armature_of(bone)
            if rig is None:
                continue
            wanted = numpy.array(matrices[i], float).reshape(4, 4)
            head, turn = UP_Z @ wanted[:3, 3], UP_Z @ pure_turn(wanted[:3, :3]) @ UP_Z.T
            shown = rig.evaluated_get(bpy.context.evaluated_depsgraph_get())
            matrix = numpy.array(shown.matrix_world @ shown.pose.bones[bone].matrix)
            seen = pure_turn(matrix[:3, :3])
            if bone not in first:
                first[bone] = (turn, seen)
            off = (seen @ first[bone][1].T) @ (turn @ first[bone][0].T).T
            worst_distance = max(worst_distance, float(numpy.linalg.norm(matrix[:3, 3] - head)))
            worst_angle = max(worst_angle, angle_of(off))
            travelled = max(travelled, angle_of(seen @ first[bone][1].T))
    numbers.update(distance=worst_distance, angle=worst_angle, turned=travelled, times=len(expected["times"]))
    if not worst_distance <= expected["distance"]:
        wrong.append(f"bones are {worst_distance:.3g} m from where they should be; {expected['distance']:.3g} is asked")
    if not worst_angle <= expected["angle"]:
        wrong.append(f"bones are turned {worst_angle:.3g} rad away; {expected['angle']:.3g} is asked")
    return numbers, wrong


try:
    given_files = [os.path.abspath(a) for a in sys.argv[sys.argv.index("--") + 1 :][:2]]
    clip_name, source_name, expected_file = sys.argv[sys.argv.index("--") + 1 :][2:5]
    with open(expected_file) as file:
        result, problems = check(*given_files, clip_name, source_name, json.load(file))
    print("CHECK " + json.dumps({**result, "wrong": problems}), flush=True)
    sys.exit(1 if problems else 0)
except Exception:  # Blender would go on and end with 0
    traceback.print_exc()
    sys.exit(2)
