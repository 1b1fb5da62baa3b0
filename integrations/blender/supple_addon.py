"""Supple in Blender, in one panel: the active mesh and its armature, frame by frame, go to the `supple` program, and its
result comes back as a Mesh Cache modifier.

The program is a process of its own: this file knows its command line and two file formats, nothing else. Vertices keep
their order and the object keeps its space, so the cache fits the mesh as it is.
"""
import json
import os
import shutil
import struct
import subprocess
import tempfile

import bpy
from mathutils import Matrix

bl_info = {
    "name": "Supple soft tissue",
    "author": "The Supple project",
    "version": (0, 1, 0),
    "blender": (3, 4, 0),
    "location": "3D View > Sidebar > Supple",
    "description": "Soft tissue for animated characters, with four dials",
    "category": "Animation",
}

MODIFIER = "Supple"
INFLUENCES = 8


class SuppleError(Exception):
    """What a person is told."""


class Glb:
    """A glTF file in the making: views and accessors of one buffer."""

    def __init__(self):
        self.data = bytearray()
        self.json = {"asset": {"version": "2.0", "generator": "Supple add-on"}, "scene": 0, "scenes": [{"nodes": []}],
                     "nodes": [], "meshes": [], "skins": [], "animations": [], "accessors": [], "bufferViews": []}

    def accessor(self, values, kind, code, width, bounds=False):
        """values: one tuple an element. Returns its index."""
        flat = [x for value in values for x in value] if width > 1 else list(values)
        self.data += b"\0" * (-len(self.data) % 4)
        start = len(self.data)
        self.data += struct.pack("<%d%s" % (len(flat), code), *flat)
        self.json["bufferViews"].append({"buffer": 0, "byteOffset": start, "byteLength": len(self.data) - start})
        accessor = {"bufferView": len(self.json["bufferViews"]) - 1, "count": len(flat) // width, "type": kind,
                    "componentType": {"f": 5126, "I": 5125, "H": 5123}[code]}
        if bounds:
            # As the file has them: float32.
            columns = [struct.unpack("<%df" % (len(flat) // width), struct.pack("<%df" % (len(flat) // width), *flat[k::width]))
                       for k in range(width)]
            accessor["min"], accessor["max"] = [min(c) for c in columns], [max(c) for c in columns]
        self.json["accessors"].append(accessor)
        return len(self.json["accessors"]) - 1

    def write(self, path):
        self.data += b"\0" * (-len(self.data) % 4)
        self.json["buffers"] = [{"byteLength": len(self.data)}]
        text = json.dumps(self.json).encode()
        text += b" " * (-len(text) % 4)
        with open(path, "wb") as file:
            file.write(struct.pack("<4sII", b"glTF", 2, 28 + len(text) + len(self.data)))
            file.write(struct.pack("<I4s", len(text), b"JSON") + text)
            file.write(struct.pack("<I4s", len(self.data), b"BIN\0") + self.data)


def armature_of(obj):
    for modifier in obj.modifiers:
        if modifier.type == "ARMATURE" and modifier.object:
            return modifier.object
    raise SuppleError("%s has no Armature modifier: Supple needs bones to follow" % obj.name)


def weights_of(obj, armature, bones):
    """Joints and weights of every vertex, INFLUENCES each; vertices without any follow an extra joint that is the
    object itself."""
    index = {group.index: bones[group.name] for group in obj.vertex_groups if group.name in bones}
    joints, weights = [], []
    for vertex in obj.data.vertices:
        pairs = sorted(((g.weight, index[g.group]) for g in vertex.groups if g.group in index and g.weight > 0),
                       reverse=True)[:INFLUENCES]
        total = sum(w for w, _ in pairs)
        pairs = [(w / total, b) for w, b in pairs] if total > 0 else [(1.0, len(bones))]
        pairs += [(0.0, 0)] * (INFLUENCES - len(pairs))
        joints.append([b for _, b in pairs])
        weights.append([w for w, _ in pairs])
    return joints, weights


def export_character(context, obj, path):
    """The mesh as bound, its bones and where they go in every frame of the scene, all in the object's own space. Bones are
    siblings: what their parents and constraints do is in their matrices."""
    scene, armature = context.scene, armature_of(obj)
    deforming = [b.name for b in armature.data.bones if b.use_deform]
    if not deforming:
        raise SuppleError("%s has no deforming bones" % armature.name)
    bones = {name: k for k, name in enumerate(deforming)}
    to_object = obj.matrix_world.inverted() @ armature.matrix_world
    glb = Glb()
    mesh = obj.data
    mesh.calc_loop_triangles()
    joints, weights = weights_of(obj, armature, bones)
    attributes = {"POSITION": glb.accessor([tuple(v.co) for v in mesh.vertices], "VEC3", "f", 3, True)}
    for k in range(INFLUENCES // 4):
        attributes["JOINTS_%d" % k] = glb.accessor([j[4 * k : 4 * k + 4] for j in joints], "VEC4", "H", 4)
        attributes["WEIGHTS_%d" % k] = glb.accessor([w[4 * k : 4 * k + 4] for w in weights], "VEC4", "f", 4)
    indices = glb.accessor([i for t in mesh.loop_triangles for i in t.vertices], "SCALAR", "I", 1)
    glb.json["meshes"].append({"name": obj.name, "primitives": [{"attributes": attributes, "indices": indices}]})
    rest = [to_object @ armature.data.bones[name].matrix_local for name in deforming] + [Matrix()]
    inverse = [[m.inverted()[row][column] for column in range(4) for row in range(4)] for m in rest]
    names = deforming + ["(object)"]
    for name, matrix in zip(names, rest):
        glb.json["nodes"].append(placed({"name": name}, matrix))
    glb.json["skins"].append({"joints": list(range(len(names))),
                              "inverseBindMatrices": glb.accessor(inverse, "MAT4", "f", 16)})
    glb.json["nodes"].append({"name": obj.name, "mesh": 0, "skin": 0})
    glb.json["scenes"][0]["nodes"] = list(range(len(names) + 1))

    fps = scene.render.fps / scene.render.fps_base
    keys = {name: [] for name in deforming}
    before = scene.frame_current
    frames = range(scene.frame_start, scene.frame_end + 1)
    for frame in frames:
        scene.frame_set(frame)
        evaluated = armature.evaluated_get(context.evaluated_depsgraph_get())
        for name in deforming:
            turn = to_object @ evaluated.pose.bones[name].matrix
            keys[name].append(turn.decompose())
    scene.frame_set(before)
    times = glb.accessor([(f - scene.frame_start) / fps for f in frames], "SCALAR", "f", 1, True)
    animation = {"name": "scene", "samplers": [], "channels": []}
    for name in deforming:
        rotations = []
        for _, q, _ in keys[name]:
            if rotations and sum(a * b for a, b in zip(rotations[-1], (q.x, q.y, q.z, q.w))) < 0:
                q = -q
            rotations.append((q.x, q.y, q.z, q.w))
        for way, values, kind in (("translation", [tuple(t) for t, _, _ in keys[name]], "VEC3"),
                                  ("rotation", rotations, "VEC4"), ("scale", [tuple(s) for _, _, s in keys[name]], "VEC3")):
            animation["samplers"].append({"input": times, "interpolation": "LINEAR",
                                          "output": glb.accessor(values, kind, "f", len(values[0]))})
            animation["channels"].append({"sampler": len(animation["samplers"]) - 1,
                                          "target": {"node": bones[name], "path": way}})
    glb.json["animations"].append(animation)
    glb.write(path)


def placed(node, matrix):
    translation, q, scale = matrix.decompose()
    node.update(translation=list(translation), rotation=[q.x, q.y, q.z, q.w], scale=list(scale))
    return node


def find_program(settings):
    program = bpy.path.abspath(settings.program) if settings.program else shutil.which("supple")
    if not program or not os.path.isfile(program):
        raise SuppleError("the program supple is not found: set its place in the panel")
    return program


def make_soft(context, obj, settings):
    """Runs Supple on the object and gives it the result. Returns the folder of the take."""
    if obj is None or obj.type != "MESH":
        raise SuppleError("choose a mesh first")
    if obj.data.shape_keys and any(k.value for k in obj.data.shape_keys.key_blocks[1:]):
        raise SuppleError("%s has shape keys in use, which this panel does not carry over yet" % obj.name)
    # The cache takes the place of what comes before it.
    names = [m.name for m in obj.modifiers if m.name != MODIFIER]
    others = names[: names.index(next(m.name for m in obj.modifiers if m.type == "ARMATURE"))] if armature_of(obj) else []
    program = find_program(settings)
    folder = bpy.path.abspath(settings.folder) if settings.folder else tempfile.mkdtemp(prefix="supple_")
    os.makedirs(folder, exist_ok=True)
    number = 1
    while os.path.exists(os.path.join(folder, "%03d" % number)):
        number += 1
    take = os.path.join(folder, "%03d" % number)
    source = os.path.join(folder, "%03d.glb" % number)
    export_character(context, obj, source)
    command = [program, "run", source, "-o", os.path.join(folder, "%03d_soft.glb" % number), "--take", take, "--quiet",
               "--json", "--set", "world.up=z", "--set", 'output.formats=["pc2"]',
               "--frequency", repr(settings.frequency), "--amplitude", repr(settings.amplitude),
               "--sag", repr(settings.sag), "--half-life", repr(settings.half_life)]
    if settings.preview:
        command.append("--preview")
    if settings.real_size:
        # The file is in the object's own units.
        command += ["--set", "surface.scale=%r" % (sum(obj.matrix_world.to_scale()) / 3)]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise SuppleError("supple: " + (done.stderr.strip().splitlines() or ["ended with %d" % done.returncode])[-1])
    show(context.scene, obj, os.path.join(take, "surface.pc2"))
    settings.message = "take %03d%s" % (number, "; not in it: " + ", ".join(others) if others else "")
    return take


def show(scene, obj, cache):
    """The cache in place of what the armature does; modifiers after it stay."""
    modifier = obj.modifiers.get(MODIFIER) or obj.modifiers.new(MODIFIER, "MESH_CACHE")
    modifier.cache_format = "PC2"
    modifier.filepath = cache
    modifier.frame_start = scene.frame_start
    modifier.interpolation = "LINEAR"
    modifier.play_mode = "SCENE"
    modifier.deform_mode = "OVERWRITE"
    at = obj.modifiers.find(MODIFIER)
    armature = next(k for k, m in enumerate(obj.modifiers) if m.type == "ARMATURE")
    while at > armature + 1:
        with bpy.context.temp_override(object=obj):
            bpy.ops.object.modifier_move_up(modifier=MODIFIER)
        at -= 1


class SuppleSettings(bpy.types.PropertyGroup):
    program: bpy.props.StringProperty(name="Program", subtype="FILE_PATH", description="Where supple is; empty: on the PATH")
    folder: bpy.props.StringProperty(name="Takes", subtype="DIR_PATH", description="Where takes go; empty: a temporary folder")
    preview: bpy.props.BoolProperty(name="Preview", default=True, description="Few tets: soon done, and moves as the final one will")
    real_size: bpy.props.BoolProperty(name="Real size", default=False,
                                      description="A unit of the scene is a metre; off: the character is person-sized")
    frequency: bpy.props.FloatProperty(name="Speed", default=1, min=0.05, max=20, description="Times as fast")
    amplitude: bpy.props.FloatProperty(name="Amount", default=1, min=0, max=20, description="Times as far")
    sag: bpy.props.FloatProperty(name="Sag", default=1, min=0, max=20, description="Times as much")
    half_life: bpy.props.FloatProperty(name="Settle", default=1, min=0.05, max=20, description="Times as long")
    message: bpy.props.StringProperty()


class SUPPLE_OT_make_soft(bpy.types.Operator):
    bl_idname = "supple.make_soft"
    bl_label = "Make soft"
    bl_description = "Simulate the active mesh over the scene's frames and show the result"

    def execute(self, context):
        try:
            make_soft(context, context.object, context.scene.supple)
        except SuppleError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        self.report({"INFO"}, "Supple: " + context.scene.supple.message)
        return {"FINISHED"}


class SUPPLE_PT_panel(bpy.types.Panel):
    bl_idname = "SUPPLE_PT_panel"
    bl_label = "Supple"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Supple"

    def draw(self, context):
        settings, column = context.scene.supple, self.layout.column()
        for name in ("program", "folder", "preview", "real_size"):
            column.prop(settings, name)
        for name in ("frequency", "amplitude", "sag", "half_life"):
            column.prop(settings, name, slider=False)
        column.operator("supple.make_soft", icon="PHYSICS")
        if settings.message:
            column.label(text=settings.message)


CLASSES = (SuppleSettings, SUPPLE_OT_make_soft, SUPPLE_PT_panel)


def register():
    for kind in CLASSES:
        bpy.utils.register_class(kind)
    bpy.types.Scene.supple = bpy.props.PointerProperty(type=SuppleSettings)


def unregister():
    del bpy.types.Scene.supple
    for kind in reversed(CLASSES):
        bpy.utils.unregister_class(kind)


if __name__ == "__main__":
    register()
