"""A bar along x, 1 m long, that bends by two parameters: its left and its right half.

    supple curves scene.toml --allow-run     with  [curves]  rig = "python3 integrations/rig/example_rig.py"
"""
import math
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from supple_rig import Parameter, Rig, serve  # noqa: E402

LENGTH, WIDTH = 1.0, 0.2  # [m]
ALONG, ACROSS = 10, 2  # cells


class Bar(Rig):
    def __init__(self):
        # The surface of a box: a grid on each side of it, corners and edges shared.
        self.rest, self.faces, numbers = [], [], {}
        counts = (ALONG, ACROSS, ACROSS)

        def point(i):
            if i not in numbers:
                numbers[i] = len(self.rest)
                self.rest.append((LENGTH * i[0] / ALONG, WIDTH * (i[1] / ACROSS - 0.5), WIDTH * (i[2] / ACROSS - 0.5)))
            return numbers[i]

        for axis in range(3):
            u, v = (axis + 1) % 3, (axis + 2) % 3
            for side in (0, counts[axis]):
                for a in range(counts[u]):
                    for b in range(counts[v]):
                        corners = []
                        for da, db in ((0, 0), (1, 0), (1, 1), (0, 1)):
                            i = [0, 0, 0]
                            i[axis], i[u], i[v] = side, a + da, b + db
                            corners.append(point(tuple(i)))
                        if side == 0:  # outward
                            corners.reverse()
                        self.faces += [(corners[0], corners[1], corners[2]), (corners[0], corners[2], corners[3])]

    def parameters(self):
        return [Parameter("bend.left", "angle", 0, 0.5), Parameter("bend.right", "angle", 0, 0.5)]

    def n_points(self):
        return len(self.rest)

    def triangles(self):
        return self.faces

    def evaluate(self, values, t, points=None):
        flat = []
        for i in range(len(self.rest)) if points is None else points:
            flat += bend(self.rest[i], values)
        return flat


def bend(x, angles):
    """The middle line turns evenly by the first angle in the left half and by the second in the right one."""
    half = LENGTH / 2
    px, py, heading, left = 0.0, 0.0, 0.0, x[0]
    for angle in angles:
        length = min(left, half)
        turn = angle * length / half
        # Along an arc: the chord points halfway, and is shorter by sin(turn / 2) / (turn / 2).
        chord = length * (math.sin(turn / 2) / (turn / 2) if abs(turn) > 1e-9 else 1.0)
        px += chord * math.cos(heading + turn / 2)
        py += chord * math.sin(heading + turn / 2)
        heading += turn
        left -= length
        if left <= 0:
            break
    return [px - x[1] * math.sin(heading), py + x[1] * math.cos(heading), x[2]]


if __name__ == "__main__":
    serve(Bar())
