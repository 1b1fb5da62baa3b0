#!/usr/bin/env python3
"""estimator.py TAKE                     numbers of a take, from its caches alone
estimator.py TAKE --against BASE [DIAL=X | REGION:DIAL=X ...]
                                         ratios to another take of the same tets, beside those that were asked for
                                         and those on the card (report.json)

Plain Python: nothing but its standard library is needed, and nothing of the engine is used.

    u, p        places of the tet vertices, frame by frame: tets.pc2, static.pc2
    departure   |u - p|; free vertices are those that ever depart
    amplitude   sqrt(mean over frames of sum m |u - p|^2 / sum m): Eq. 5 without its factor sqrt(time). m: volumes;
                sum m: of the whole body, core included, or of the region's free vertices
    p99         the 99th percentile of departures over the free vertices of a region's core and all frames
    core        what is farther than one thickness from free flesh of other regions, the farther half at least;
                thickness: twice the farthest that a vertex of the region is from the boundary
    ring        from two frames after the last at which p moves: the departure along its strongest direction
                (ringing.py)
    sag         mass rms over the free vertices of p in the first frame against the tets at rest, laid on those that
                are held. Of a body whose tets are drawn as they hang, as characters are, it tells nothing
    peak        largest departure
"""
import json
import math
import os
import sys

import ringing
import take_files


def percentile(values, share):
    """As of a sorted list, linear between neighbours."""
    values = sorted(values)
    if not values:
        return None
    at = share * (len(values) - 1)
    k = int(at)
    return values[k] + (values[min(k + 1, len(values) - 1)] - values[k]) * (at - k)


def tet_volume(a, b, c, d):
    u, v, w = ([q[k] - a[k] for k in range(3)] for q in (b, c, d))
    return abs(u[0] * (v[1] * w[2] - v[2] * w[1]) - u[1] * (v[0] * w[2] - v[2] * w[0]) + u[2] * (v[0] * w[1] - v[1] * w[0])) / 6


def masses(tets):
    fill = tets.maps.get("fill")
    m = [0.0] * len(tets.points)
    for k, t in enumerate(tets.tets):
        for v in t:
            m[v] += tet_volume(*(tets.points[w] for w in t)) * (fill[k] if fill else 1) / 4
    return m


def regions_of(tets):
    """Region of each vertex: that of most tets around it."""
    votes = [{} for _ in tets.points]
    for t, r in zip(tets.tets, tets.region):
        for v in t:
            votes[v][r] = votes[v].get(r, 0) + 1
    return [tets.names.get(max(sorted(v), key=v.get), "") if v else "" for v in votes]


def boundary(tets):
    seen = {}
    for t in tets.tets:
        for f in ((0, 1, 2), (0, 1, 3), (0, 2, 3), (1, 2, 3)):
            key = tuple(sorted(t[k] for k in f))
            seen[key] = seen.get(key, 0) + 1
    return {v for f, n in seen.items() if n == 1 for v in f}


def distances(points, to):
    """From each point to the nearest of `to`, through a grid."""
    if not to:
        return [math.inf] * len(points)
    size = max(max(p[k] for p in to) - min(p[k] for p in to) for k in range(3)) or 1.0
    h = size / max(4, int(len(to) ** (1 / 3)))
    cells = {}
    for q in to:
        cells.setdefault(tuple(int(math.floor(c / h)) for c in q), []).append(q)
    out = []
    for p in points:
        at = tuple(int(math.floor(c / h)) for c in p)
        best, ring = math.inf, 0
        while best > (ring - 1) * h and ring < 200:
            for i in range(-ring, ring + 1):
                for j in range(-ring, ring + 1):
                    for k in ((-ring, ring) if max(abs(i), abs(j)) < ring and ring else range(-ring, ring + 1)):
                        for q in cells.get((at[0] + i, at[1] + j, at[2] + k), ()):
                            best = min(best, math.dist(p, q))
            ring += 1
        out.append(best)
    return out


class Motion:
    """Departures of a take."""

    def __init__(self, take):
        self.take = take
        self.n = take.moving.points
        self.d = [[[u[3 * v + k] - p[3 * v + k] for k in range(3)] for v in range(self.n)]
                  for u, p in zip(take.moving.frames, take.still.frames)]
        points = take.tets.points
        self.size = math.dist([min(x[k] for x in points) for k in range(3)], [max(x[k] for x in points) for k in range(3)])

    def free(self):
        eps = 1e-6 * self.size
        return {v for v in range(self.n) if any(max(map(abs, f[v])) > eps for f in self.d)}

    def free_from(self, free):
        """The first frame from which on what is not free stands still; None where all is free."""
        held = [v for v in range(self.n) if v not in free]
        still = self.take.still.frames
        # Without anything held the equilibrium itself tells.
        look = held or range(self.n)
        for f in range(len(still) - 1, 0, -1):
            if any(abs(still[f][3 * v + k] - still[f - 1][3 * v + k]) > 1e-5 * self.size for v in look for k in range(3)):
                return f
        return 0


def strongest_direction(rows, mass):
    """rows: frames of flat vectors with their mean taken off. Power iteration on the frames' products."""
    n = len(rows)
    G = [[sum(m * a * b for m, a, b in zip(mass, p, q)) for q in rows] for p in rows]
    x = [1.0 + 0.1 * math.sin(7 * k) for k in range(n)]
    for _ in range(200):
        y = [sum(g * v for g, v in zip(row, x)) for row in G]
        norm = math.sqrt(sum(v * v for v in y))
        if norm == 0:
            return [0.0] * n
        x = [v / norm for v in y]
    return x  # up to a factor the coordinate along the strongest direction, frame by frame


def lay_on(points, onto):
    """Rotation and translation that lay points on others: by the largest eigenvector of Horn's matrix."""
    n = len(points)
    c, e = ([sum(p[k] for p in q) / n for k in range(3)] for q in (points, onto))
    S = [[sum((p[i] - c[i]) * (q[j] - e[j]) for p, q in zip(points, onto)) for j in range(3)] for i in range(3)]
    N = [[S[0][0] + S[1][1] + S[2][2], S[1][2] - S[2][1], S[2][0] - S[0][2], S[0][1] - S[1][0]],
         [0, S[0][0] - S[1][1] - S[2][2], S[0][1] + S[1][0], S[2][0] + S[0][2]],
         [0, 0, -S[0][0] + S[1][1] - S[2][2], S[1][2] + S[2][1]], [0, 0, 0, -S[0][0] - S[1][1] + S[2][2]]]
    for i in range(4):
        for j in range(i):
            N[i][j] = N[j][i]
    shift = sum(abs(v) for row in N for v in row) + 1e-30
    q = [1.0, 0.01, 0.02, 0.03]
    for _ in range(2000):
        q = [sum(v * x for v, x in zip(row, q)) + shift * x for row, x in zip(N, q)]
        norm = math.sqrt(sum(v * v for v in q))
        q = [v / norm for v in q]
    w, x, y, z = q
    R = [[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
         [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
         [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]]
    return lambda p: [e[i] + sum(R[i][k] * (p[k] - c[k]) for k in range(3)) for i in range(3)]


def core(tets, region, name, free):
    """Free vertices of a region, without its border; and the share of a thickness that the border is wide."""
    inside = [v for v in sorted(free) if region[v] == name]
    outside = [tets.points[v] for v in sorted(free) if region[v] != name]
    if not inside or not outside:
        return inside, 1.0
    skin = sorted(boundary(tets))
    deep = distances([tets.points[v] for v in inside], [tets.points[v] for v in skin])
    thickness = 2 * max(max(deep), 1e-12)
    away = distances([tets.points[v] for v in inside], outside)
    # At least the farther half is its core.
    border = min(thickness, sorted(away)[len(away) // 2])
    kept = [v for v, a in zip(inside, away) if a >= border * (1 - 1e-6)]
    if kept:
        return kept, border / thickness
    return inside, 0.0


def measure(take, free=None, region=None):
    """The numbers of a take, whole and by region. free, region: those of another take of the same tets."""
    motion = Motion(take)
    free = free if free is not None else motion.free()
    region = region or regions_of(take.tets)
    m = masses(take.tets)
    rest = take.tets.points
    out = {}
    from_frame = motion.free_from(free)
    held = [v for v in range(motion.n) if v not in free]
    first = take.still.frames[0]
    place = None
    if len(held) >= 3:
        place = lay_on([rest[v] for v in held], [first[3 * v:3 * v + 3] for v in held])
    for name in [None] + sorted({region[v] for v in free}):
        vertices = sorted(free) if name is None else [v for v in sorted(free) if region[v] == name]
        kept, border = (vertices, None) if name is None else core(take.tets, region, name, free)
        one = out["whole" if name is None else name] = {"vertices": len(vertices), "border": border}
        lengths = [math.hypot(*f[v]) for f in motion.d for v in kept]
        one["p99_m"], one["peak_m"] = percentile(lengths, 0.99), max(lengths, default=None)
        total = sum(m) if name is None else sum(m[v] for v in vertices)
        if total > 0:
            squares = [sum(m[v] * sum(c * c for c in f[v]) for v in vertices) / total for f in motion.d]
            one["amplitude_rms_m"] = math.sqrt(sum(squares[1:]) / max(1, len(squares) - 1))
            if place:
                total = sum(m[v] for v in vertices)
                one["sag_m"] = math.sqrt(sum(m[v] * math.dist(first[3 * v:3 * v + 3], place(rest[v])) ** 2 for v in vertices) / total)
        frames = motion.d[from_frame + 2:]
        if len(frames) >= 12 and vertices:
            weights = [m[v] for v in kept for _ in range(3)]
            flat = [[c for v in kept for c in f[v]] for f in frames]
            mean = [sum(col) / len(flat) for col in zip(*flat)]
            signal = strongest_direction([[a - b for a, b in zip(row, mean)] for row in flat], weights)
            found = ringing.ring(signal, 1 / take.fps)
            if found and found.misfit < 0.2:
                one.update(frequency_hz=found.frequency_hz, half_life_s=found.half_life_s, misfit=found.misfit, periods=found.periods)
    return out


DIALS = {"frequency": "frequency_hz", "half_life": "half_life_s", "sag": "sag_m", "amplitude": "p99_m"}


def compare(base, dial, region=None):
    """Ratios of two takes of the same tets, whole and by regions (the second one's), beside those on its card."""
    if len(base.tets.points) != len(dial.tets.points):
        raise ValueError("they are not of the same tets")
    a, b = Motion(base), Motion(dial)
    free = a.free() | b.free()
    region = region or regions_of(dial.tets)
    if set(region) <= {"", "(core)"}:
        region = regions_of(base.tets)
    before, after = measure(base, free, region), measure(dial, free, region)
    out = {}
    for name, now in after.items():
        then, row = before[name], {}
        for key in ("frequency_hz", "half_life_s", "sag_m", "p99_m", "amplitude_rms_m", "peak_m"):
            if key == "sag_m" and then.get(key, 0) < 1e-4 * a.size:
                continue  # drawn as it hangs
            if then.get(key) and now.get(key) is not None:
                row[key] = now[key] / then[key]
        out[name] = row
    card = {k: dial.card("measured_ratio", k) for k in ("frequency", "half_life", "sag", "amplitude")}
    return {"ratios": out, "before": before, "after": after, "card": card,
            "card_absolute": {k: dial.card("measured", k) for k in ("amplitude_rms_m", "peak_m", "sag_m", "frequency_hz", "half_life_s")}}


def text(x):
    return "-" if x is None else "%.4g" % x


def main(words):
    if not words or words[0].startswith("-"):
        sys.exit(__doc__)
    take = take_files.Take(words[0])
    if "--against" not in words:
        print(json.dumps(measure(take), indent=1))
        return 0
    base = take_files.Take(words[words.index("--against") + 1])
    asked = {}
    for word in words[words.index("--against") + 2:]:
        what, _, value = word.partition("=")
        name, _, key = what.rpartition(":")
        asked[name or "whole", key] = float(value)
    result = compare(base, take)
    print("%-16s %-10s %8s %8s %8s" % ("where", "dial", "asked", "outside", "card"))
    for name, row in result["ratios"].items():
        for key, column in DIALS.items():
            if row.get(column) is not None:
                print("%-16s %-10s %8s %8s %8s" % (name, key, text(asked.get((name, key), 1.0)), text(row[column]),
                                                   text(result["card"][key]) if name == "whole" else "-"))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
