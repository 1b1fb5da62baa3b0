"""A rig for Supple in Python: derive from Rig, say what it has and what it does, and call serve().

Supple starts the script and speaks with it over standard input and output (docs/reference/rig-protocol.md). While a rig
is served, whatever is printed goes to standard error. Metres, radians and seconds throughout. Needs Python 3.6 and
nothing else.
"""
import os
import sys

VERSION = 1


class Parameter:
    """quantity: "angle" [rad], "length" [m] or "factor". rest: its value in the shape without stress.
    unit: a change that is neither large nor small for it."""

    def __init__(self, name, quantity="factor", rest=0.0, unit=1.0):
        self.name, self.quantity, self.rest, self.unit = name, quantity, float(rest), float(unit)


class Rig:
    """What a rig has to say. Only parameters(), n_points() and evaluate() must be there."""

    def parameters(self):
        """A list of Parameter."""
        raise NotImplementedError

    def n_points(self):
        raise NotImplementedError

    def triangles(self):
        """Of the surface, three points each; or nothing."""
        return []

    def evaluate(self, values, t, points=None):
        """Where the points are: x y z of each, flat. values: of all parameters. t: time, for what is animated besides.
        points: the numbers of those that are asked for, in this order; None: all."""
        raise NotImplementedError

    def keyed(self, t):
        """What the rig's own animation says of the parameters at t."""
        return [p.rest for p in self.parameters()]


def describe(rig):
    lines = ["parameters %d" % len(rig.parameters())]
    lines += ["%s %s %r %r" % (p.name, p.quantity, p.rest, p.unit) for p in rig.parameters()]
    lines.append("points %d" % rig.n_points())
    triangles = list(rig.triangles())
    if triangles:
        lines.append("triangles %d" % len(triangles))
        lines += ["%d %d %d" % tuple(t) for t in triangles]
    return "\n".join(lines + ["offers keyed points", "end"])


def answer(rig, words, chosen):
    """One answer, and the points that are asked for from now on."""
    if words[0] == "supple-rig":
        return "supple-rig %d" % VERSION, chosen
    if words[0] == "describe":
        return describe(rig), chosen
    if words[0] == "points":
        chosen = None if words[1:] == ["all"] else [int(w) for w in words[1:]]
        if chosen and not 0 <= min(chosen) <= max(chosen) < rig.n_points():
            raise ValueError("no such point")
        return "ok", chosen
    if words[0] == "keyed":
        return " ".join(map(repr, map(float, rig.keyed(float(words[1]))))), chosen
    if words[0] == "evaluate":
        values = [float(w) for w in words[2:]]
        if len(values) != len(rig.parameters()):
            raise ValueError("%d parameters in place of %d" % (len(values), len(rig.parameters())))
        flat = rig.evaluate(values, float(words[1]), chosen)
        # repr() of a Python float gives the same number when read; that of other kinds of numbers need not.
        return " ".join(map(repr, map(float, flat))), chosen
    raise ValueError("no such request: " + words[0])


def serve(rig):
    """Answers until it is told bye or nobody asks any more."""
    # The program around may print what it likes: it gets standard error for it.
    sys.stdout.flush()
    out = os.fdopen(os.dup(1), "w", buffering=1 << 20, newline="\n")
    os.dup2(2, 1)
    chosen = None
    try:
        for line in iter(sys.stdin.readline, ""):
            words = line.split()
            if not words:
                continue
            if words[0] == "bye":
                break
            before = chosen
            try:
                text, chosen = answer(rig, words, chosen)
            except Exception as fault:  # is told, and the rig goes on
                text, chosen = "error %s: %s" % (type(fault).__name__, " ".join(str(fault).split())), before
            out.write(text + "\n")
            out.flush()
        out.close()
    except BrokenPipeError:  # nobody listens any more
        os._exit(0)
