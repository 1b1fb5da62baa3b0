"""Maya as the rig: attributes are parameters, the mesh at the end of all deformers is the surface.

    mayapy supple_maya_rig.py shot.ma --mesh bodyShape --attributes "tail*_ctl.rotate?" --attributes "face.smile"

is a command that Supple can start (docs/reference/rig-protocol.md). Rest is what --rest says, or the attributes' default
values. Curves that drive the attributes are cut off from them here, and say what keyed values are; the file is not
saved. Written from Autodesk's documentation of maya.cmds and maya.api.OpenMaya and not tried in Maya yet.
"""
import argparse
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.path.insert(0, os.path.join(HERE, "..", "rig"))
from supple_rig import Parameter, Rig, serve  # noqa: E402

METRES = 0.01  # of Maya's internal unit, in which its API answers


class MayaRig(Rig):
    def __init__(self, options):
        from maya import cmds, mel
        from maya.api import OpenMaya

        self.cmds = cmds
        cmds.file(options.file, open=True, force=True, executeScriptNodes=False)
        # What commands take and give. The API keeps to its own.
        cmds.currentUnit(linear="m", angle="rad", updateAnimation=False)
        self.fps = float(mel.eval("currentTimeUnitToFPS"))
        self.start = options.start if options.start is not None else cmds.playbackOptions(query=True, minTime=True)
        self.up_y = cmds.upAxis(query=True, axis=True) == "y"

        selection = OpenMaya.MSelectionList()
        selection.add(options.mesh)
        path = selection.getDagPath(0)
        path.extendToShape()
        self.space = OpenMaya.MSpace.kWorld
        self.mesh = OpenMaya.MFnMesh(path)
        self.count = self.mesh.numVertices
        corners = self.mesh.getTriangles()[1]
        self.faces = [tuple(corners[i:i + 3]) for i in range(0, len(corners), 3)]

        self.attributes, self.sources, self.described = [], [], []
        for name in sorted({n for pattern in options.attributes for n in cmds.ls(pattern) or []}):
            kind = cmds.getAttr(name, type=True)
            if kind not in ("double", "float", "doubleLinear", "doubleAngle") or cmds.getAttr(name, lock=True):
                continue
            source = cmds.listConnections(name, source=True, destination=False, plugs=True) or []
            for plug in source:
                cmds.disconnectAttr(plug, name)
            quantity, unit = {"doubleAngle": ("angle", 0.5), "doubleLinear": ("length", 0.05)}.get(kind, ("factor", 1.0))
            rest = cmds.attributeQuery(name.split(".")[-1], node=name.split(".")[0], listDefault=True)
            self.attributes.append(name)
            self.sources.append(source[0] if source else None)
            self.described.append(Parameter(name.replace("|", "/"), quantity,
                                            options.rest.get(name, rest[0] if rest else 0.0), unit))
        if not self.attributes:
            raise SystemExit("supple_maya_rig: no attribute of a number matches --attributes")
        self.as_found = [cmds.getAttr(name) for name in self.attributes]

    def parameters(self):
        return self.described

    def n_points(self):
        return self.count

    def triangles(self):
        return self.faces

    def frame(self, t):
        return self.start + t * self.fps

    def evaluate(self, values, t, points=None):
        if self.cmds.currentTime(query=True) != self.frame(t):
            self.cmds.currentTime(self.frame(t), edit=True)
        for name, value in zip(self.attributes, values):
            self.cmds.setAttr(name, value)
        places = self.mesh.getPoints(self.space)
        out = []
        for i in range(self.count) if points is None else points:
            x, y, z = METRES * places[i].x, METRES * places[i].y, METRES * places[i].z
            out += [x, y, z] if self.up_y else [x, z, -y]
        return out

    def keyed(self, t):
        return [self.cmds.getAttr(source, time=self.frame(t)) if source else found
                for source, found in zip(self.sources, self.as_found)]


def rest_value(text):
    name, _, value = text.rpartition("=")
    return name, float(value)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", help="the scene")
    parser.add_argument("--mesh", required=True, help="the mesh whose vertices are the points")
    parser.add_argument("--attributes", action="append", default=[], help="pattern of node.attribute; may be repeated")
    parser.add_argument("--rest", action="append", default=[], type=rest_value, help="node.attribute=value without stress")
    parser.add_argument("--start", type=float, help="the frame at time 0; unset: the first that is played")
    options = parser.parse_args()
    options.rest = dict(options.rest)

    import maya.standalone

    maya.standalone.initialize(name="python")
    serve(MayaRig(options))
    # Leaving in good order takes Maya long and changes nothing.
    sys.stderr.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
