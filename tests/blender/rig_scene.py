"""A bar along x, 1 m long, of two bones that share its middle: "Root" turns, 0.5 rad in a second of 24 frames, and "Tip".
A shape key "Wide", twice as wide along y, is keyed too, and a property "lift" of the armature lifts all by a driver."""
import bpy

CELLS = 8
for thing in list(bpy.data.objects):
    bpy.data.objects.remove(thing)

points = [(i / CELLS, y, z) for i in range(CELLS + 1) for y, z in ((-0.1, -0.1), (0.1, -0.1), (0.1, 0.1), (-0.1, 0.1))]
faces = [(4 * i + k, 4 * i + (k + 1) % 4, 4 * i + 4 + (k + 1) % 4, 4 * i + 4 + k) for i in range(CELLS) for k in range(4)]
faces += [(3, 2, 1, 0), tuple(4 * CELLS + k for k in range(4))]
mesh = bpy.data.meshes.new("Bar")
mesh.from_pydata(points, [], faces)
bar = bpy.data.objects.new("Bar", mesh)
bpy.context.collection.objects.link(bar)

rig = bpy.data.objects.new("Rig", bpy.data.armatures.new("Rig"))
bpy.context.collection.objects.link(rig)
bpy.context.view_layer.objects.active = rig
bpy.ops.object.mode_set(mode="EDIT")
bones = rig.data.edit_bones
for name, head, tail in (("Root", 0, 0.5), ("Tip", 0.5, 1)):
    bone = bones.new(name)
    bone.head, bone.tail = (head, 0, 0), (tail, 0, 0)
bones["Tip"].parent = bones["Root"]
bpy.ops.object.mode_set(mode="OBJECT")

groups = [bar.vertex_groups.new(name=name) for name in ("Root", "Tip")]
for i, point in enumerate(points):
    weight = min(max((point[0] - 0.4) / 0.2, 0), 1)
    groups[0].add([i], 1 - weight, "REPLACE")
    groups[1].add([i], weight, "REPLACE")
bar.modifiers.new("Armature", "ARMATURE").object = rig
bar.shape_key_add(name="Basis")
wide = bar.shape_key_add(name="Wide")
for i, point in enumerate(points):
    wide.data[i].co = (point[0], 2 * point[1], point[2])

root = rig.pose.bones["Root"]
root.rotation_mode = "XYZ"
for frame, share in ((1, 0), (25, 1)):
    root.rotation_euler = (0, 0, 0.5 * share)
    root.keyframe_insert("rotation_euler", frame=frame)
    wide.value = share
    wide.keyframe_insert("value", frame=frame)
for action in bpy.data.actions:
    for curve in action.fcurves:
        for key in curve.keyframe_points:
            key.interpolation = "LINEAR"

rig["lift"] = 0.25
driver = bar.driver_add("location", 2).driver
variable = driver.variables.new()
variable.name = "lift"
variable.targets[0].id = rig
variable.targets[0].data_path = '["lift"]'
driver.expression = "lift - 0.25"
bpy.context.scene.frame_set(1)
