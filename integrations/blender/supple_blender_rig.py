"""Blender as the rig: its pose bones, shape keys and custom properties are parameters, the mesh it shows is the surface.

    blender -b shot.blend --python supple_blender_rig.py -- --mesh Body --bones "Tail*" --channels rotation

is a command that Supple can start (docs/reference/rig-protocol.md). All modifiers, constraints and drivers act as they
do in Blender. Parameters are "Tail2.rotation.x" [rad] (exponential), "Tail2.location.x" [m] and "Tail2.scale.x", in the
bone's own axes and against its rest place, "Body.shape.Smile", and "Rig.prop.swell" of a custom property. Rest is every
bone in its rest place and shape keys and properties as the file has them. The scene's own animation moves all else, and
says what keyed values are. Blender computes in single precision, which Supple notices. Tried with Blender 3.4.
"""
import fnmatch
import math
import os
import sys

import bpy
from mathutils import Quaternion

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.path.insert(0, os.path.join(HERE, "..", "rig"))
from supple_rig import Parameter, Rig, serve  # noqa: E402

AXES = "xyz"


def to_vector(q):
    """The rotation vector of a unit quaternion, of the shorter way."""
    if q.w < 0:
        q = -q
    sine = math.sqrt(q.x * q.x + q.y * q.y + q.z * q.z)
    factor = 2 * math.atan2(sine, q.w) / sine if sine > 1e-12 else 2.0
    return [factor * q.x, factor * q.y, factor * q.z]


def to_quaternion(v):
    angle = math.sqrt(sum(x * x for x in v))
    factor = math.sin(angle / 2) / angle if angle > 1e-12 else 0.5
    return Quaternion((math.cos(angle / 2), factor * v[0], factor * v[1], factor * v[2]))


class BoneChannel:
    """Three parameters of a pose bone. metre: of a unit along the bone's axes. unit: of a shift [m]."""

    def __init__(self, bone, kind, metre, unit):
        self.bone, self.kind, self.metre, self.unit = bone, kind, metre, unit

    def parameters(self):
        quantity, rest, unit = {"rotation": ("angle", 0, 0.5), "location": ("length", 0, self.unit),
                                "scale": ("factor", 1, 0.2)}[self.kind]
        return [Parameter("%s.%s.%s" % (self.bone.name.replace(" ", "_"), self.kind, a), quantity, rest, unit)
                for a in AXES]

    def get(self):
        if self.kind == "rotation":
            # Whatever way the bone keeps its rotation in.
            return to_vector(self.bone.matrix_basis.to_quaternion())
        return [self.metre * x for x in self.bone.location] if self.kind == "location" else list(self.bone.scale)

    def set(self, values):
        if self.kind == "location":
            self.bone.location = [x / self.metre for x in values]
        elif self.kind == "scale":
            self.bone.scale = values
        else:
            turn = to_quaternion(values)
            if self.bone.rotation_mode == "QUATERNION":
                self.bone.rotation_quaternion = turn
            elif self.bone.rotation_mode == "AXIS_ANGLE":
                axis, angle = turn.to_axis_angle()
                self.bone.rotation_axis_angle = (angle, axis[0], axis[1], axis[2])
            else:
                self.bone.rotation_euler = turn.to_euler(self.bone.rotation_mode)


class ShapeKey:
    def __init__(self, mesh, key):
        self.mesh, self.key, self.rest = mesh, key, key.value
        # Blender cuts values off at these.
        key.slider_min, key.slider_max = -10, 10

    def parameters(self):
        name = "%s.shape.%s" % (self.mesh.name, self.key.name)
        return [Parameter(name.replace(" ", "_"), "factor", self.rest, 1)]

    def get(self):
        return [self.key.value]

    def set(self, values):
        self.key.value = values[0]


class CustomProperty:
    """What drivers of a rig read."""

    def __init__(self, thing, prop):
        self.thing, self.prop, self.rest = thing, prop, float(thing[prop])

    def parameters(self):
        return [Parameter(("%s.prop.%s" % (self.thing.name, self.prop)).replace(" ", "_"), "factor", self.rest, 1)]

    def get(self):
        return [float(self.thing[self.prop])]

    def set(self, values):
        self.thing[self.prop] = values[0]
        (self.thing if isinstance(self.thing, bpy.types.Object) else self.thing.id_data).update_tag()


class BlenderRig(Rig):
    def __init__(self, options):
        self.scene = bpy.context.scene
        self.mesh = bpy.data.objects.get(options.mesh) if options.mesh else None
        if self.mesh is None:
            meshes = sorted(o.name for o in self.scene.objects if o.type == "MESH")
            raise SystemExit("supple_blender_rig: name the mesh by --mesh, one of: " + ", ".join(meshes))
        self.start, self.up_y = options.start, options.up == "y"
        self.scale = self.scene.unit_settings.scale_length or 1.0  # [m] a unit
        self.time = None
        self.channels = []
        size = self.scale * max(self.mesh.dimensions) or 1.0
        for thing in self.scene.objects:
            for bone in thing.pose.bones if thing.pose else ():
                if matches(bone.name, options.bones):
                    metre = self.scale * sum(thing.matrix_world.to_scale()) / 3
                    self.channels += [BoneChannel(bone, kind, metre, 0.05 * size) for kind in options.channels]
                self.channels += [CustomProperty(bone, p) for p in numbers_of(bone) if matches(p, options.properties)]
            self.channels += [CustomProperty(thing, p) for p in numbers_of(thing) if matches(p, options.properties)]
        keys = self.mesh.data.shape_keys
        for key in keys.key_blocks[1:] if keys else ():
            if matches(key.name, options.shapes):
                self.channels.append(ShapeKey(self.mesh, key))
        if not self.channels:
            raise SystemExit("supple_blender_rig: nothing matches --bones, --shapes or --properties")
        self.described = [p for c in self.channels for p in c.parameters()]
        self.as_found = [c.get() for c in self.channels]
        shown, mesh = self.shown()
        mesh.calc_loop_triangles()
        self.count = len(mesh.vertices)
        self.faces = [tuple(t.vertices) for t in mesh.loop_triangles]
        shown.to_mesh_clear()

    def shown(self):
        shown = self.mesh.evaluated_get(bpy.context.evaluated_depsgraph_get())
        return shown, shown.to_mesh()

    def parameters(self):
        return self.described

    def n_points(self):
        return self.count

    def triangles(self):
        return self.faces

    def go_to(self, t):
        """The scene's own animation at t."""
        frame = self.start + t * self.scene.render.fps / self.scene.render.fps_base
        whole = math.floor(frame)
        self.scene.frame_set(whole, subframe=frame - whole)
        self.time = t

    def evaluate(self, values, t, points=None):
        if t != self.time:
            self.go_to(t)
        first = 0
        for channel in self.channels:
            n = len(channel.parameters())
            channel.set(values[first:first + n])
            first += n
        bpy.context.view_layer.update()
        shown, mesh = self.shown()
        if len(mesh.vertices) != self.count:
            raise RuntimeError("the mesh has %d vertices in place of %d: a modifier changes their number"
                               % (len(mesh.vertices), self.count))
        flat = [0.0] * (3 * self.count)
        mesh.vertices.foreach_get("co", flat)
        shown.to_mesh_clear()
        rows = [[self.scale * x for x in shown.matrix_world[k]] for k in range(3)]
        if self.up_y:
            rows = [rows[0], rows[2], [-x for x in rows[1]]]
        out = []
        for i in range(self.count) if points is None else points:
            x, y, z = flat[3 * i:3 * i + 3]
            out += [r[0] * x + r[1] * y + r[2] * z + r[3] for r in rows]
        return out

    def keyed(self, t):
        # What is not animated is as the file has it, whatever was tried meanwhile.
        for channel, values in zip(self.channels, self.as_found):
            channel.set(values)
        self.go_to(t)
        return [v for c in self.channels for v in c.get()]


def numbers_of(thing):
    return [k for k in thing.keys() if k != "_RNA_UI" and isinstance(thing[k], (int, float))]


def matches(name, patterns):
    return any(fnmatch.fnmatchcase(name, p) for p in patterns)


def main(arguments):
    import argparse

    parser = argparse.ArgumentParser(prog="supple_blender_rig", description=__doc__.splitlines()[0])
    parser.add_argument("--mesh", help="the object whose vertices are the points")
    parser.add_argument("--bones", action="append", default=[], help="pattern of pose bones; may be repeated")
    parser.add_argument("--channels", default="rotation", help="of these: rotation,location,scale")
    parser.add_argument("--shapes", action="append", default=[], help="pattern of shape keys of the mesh")
    parser.add_argument("--properties", action="append", default=[], help="pattern of custom properties")
    parser.add_argument("--start", type=float, help="the frame at time 0; unset: the first of the scene")
    parser.add_argument("--up", choices=("y", "z"), default="y", help="y: as glTF files have it, z: as Blender does")
    options = parser.parse_args(arguments)
    options.channels = options.channels.split(",")
    if options.start is None:
        options.start = bpy.context.scene.frame_start
    serve(BlenderRig(options))


if __name__ == "__main__":
    try:
        main(sys.argv[sys.argv.index("--") + 1:] if "--" in sys.argv else [])
    except SystemExit as end:
        if end.code and not isinstance(end.code, int):
            print(end.code, file=sys.stderr)
        sys.stderr.flush()
        os._exit(0 if end.code is None else end.code if isinstance(end.code, int) else 1)
