#!/usr/bin/env python3
"""Known answers of the outside estimator: series and takes made by formula."""
import json
import math
import os
import random
import struct
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import estimator  # noqa: E402
import ringing  # noqa: E402
import take_files  # noqa: E402


def decaying(f, half_life, n, dt, phase=0.3, size=1.0):
    return [size * 2 ** (-k * dt / half_life) * math.cos(2 * math.pi * f * k * dt + phase) for k in range(n)]


class Ringing(unittest.TestCase):
    def test_one_oscillation(self):
        for f, half_life in ((1.3, 0.4), (0.7, 1.5), (5.0, 0.2), (9.0, 0.3)):
            found = ringing.ring([0.7 + v for v in decaying(f, half_life, 72, 1 / 24)], 1 / 24)
            self.assertAlmostEqual(found.frequency_hz, f, delta=1e-5 * f)
            self.assertAlmostEqual(found.half_life_s, half_life, delta=1e-4 * half_life)
            self.assertLess(found.misfit, 1e-4)

    def test_the_stronger_of_two(self):
        y = [a + b for a, b in zip(decaying(1.3, 0.6, 72, 1 / 24), decaying(3.1, 0.3, 72, 1 / 24, 1.1, 0.5))]
        found = ringing.ring(y, 1 / 24)
        self.assertAlmostEqual(found.frequency_hz, 1.3, delta=1e-3)
        self.assertAlmostEqual(found.half_life_s, 0.6, delta=3e-3)

    def test_a_drift_beside_it(self):
        y = [v + 0.8 * 2 ** (-k / 24 / 0.5) for k, v in enumerate(decaying(1.5, 0.4, 72, 1 / 24))]
        found = ringing.ring(y, 1 / 24)
        self.assertAlmostEqual(found.frequency_hz, 1.5, delta=0.03)
        self.assertAlmostEqual(found.half_life_s, 0.4, delta=0.03)

    def test_noise(self):
        dice = random.Random(5)
        y = [v + dice.gauss(0, 0.01) for v in decaying(2.0, 0.5, 96, 1 / 24)]
        found = ringing.ring(y, 1 / 24)
        self.assertAlmostEqual(found.frequency_hz, 2.0, delta=0.01)
        self.assertAlmostEqual(found.half_life_s, 0.5, delta=0.03)

    def test_nothing_to_be_found(self):
        self.assertIsNone(ringing.ring([1.0] * 50, 1 / 24))
        self.assertIsNone(ringing.ring(decaying(0.3, 5, 48, 1 / 24), 1 / 24))  # less than two periods
        self.assertIsNone(ringing.ring([1, 2, 3], 1 / 24))

    def test_what_does_not_decay(self):
        found = ringing.ring(decaying(1.0, 1e9, 96, 1 / 24), 1 / 24)
        self.assertGreater(found.half_life_s, 100)


def write_take(folder, departure, frames=72, fps=24, drive=lambda t: 0.0, sag=0.0, held_z=0.05):
    """A bar of cells along z in two regions; the lowest ring is held and driven. departure(x, t) is along x."""
    os.makedirs(folder)
    nx, nz = 4, 20
    points = [(i / nx * 0.2, j / nx * 0.2, k / nz) for k in range(nz + 1) for j in range(nx + 1) for i in range(nx + 1)]
    at = lambda i, j, k: i + (nx + 1) * (j + (nx + 1) * k)
    lower, upper = [], []
    for k in range(nz):
        for j in range(nx):
            for i in range(nx):
                o = [at(i + a, j + b, k + c) for c in (0, 1) for b in (0, 1) for a in (0, 1)]
                for t in ((0, 1, 3, 7), (0, 3, 2, 7), (0, 2, 6, 7), (0, 6, 4, 7), (0, 4, 5, 7), (0, 5, 1, 7)):
                    (lower if k < nz / 2 else upper).append([o[c] for c in t])
    with open(os.path.join(folder, "tets.msh"), "w") as out:
        out.write('$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$PhysicalNames\n2\n3 1 "low half"\n3 2 "top"\n$EndPhysicalNames\n')
        out.write("$Entities\n0 0 0 2\n1 0 0 0 1 1 1 1 1 0\n2 0 0 0 1 1 1 1 2 0\n$EndEntities\n")
        out.write("$Nodes\n1 %d 1 %d\n3 1 0 %d\n" % (3 * (len(points),)))
        out.write("".join("%d\n" % (k + 1) for k in range(len(points))) + "".join("%.9g %.9g %.9g\n" % p for p in points))
        out.write("$EndNodes\n$Elements\n2 %d 1 %d\n" % (2 * (len(lower) + len(upper),)))
        number = 0
        for entity, tets in ((1, lower), (2, upper)):
            out.write("3 %d 4 %d\n" % (entity, len(tets)))
            for t in tets:
                number += 1
                out.write("%d %d %d %d %d\n" % (number, *(v + 1 for v in t)))
        out.write("$EndElements\n")
    for name, moves in (("static", False), ("tets", True)):
        with open(os.path.join(folder, name + ".pc2"), "wb") as out:
            out.write(struct.pack("<12siiffi", b"POINTCACHE2\0", 1, len(points), 0, 1, frames))
            for f in range(frames):
                for x in points:
                    free = x[2] > held_z
                    d = departure(x, f / fps) if moves and free else 0
                    out.write(struct.pack("<3f", x[0] + d + drive(f / fps), x[1] - (sag if free else 0), x[2]))
    with open(os.path.join(folder, "report.json"), "w") as out:
        json.dump({"timeline": {"fps": fps}, "measured_ratio": {"amplitude": 2.0}}, out)
    return take_files.Take(folder)


class Takes(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()

    def tearDown(self):
        self.folder.cleanup()

    def take(self, name, *words, **more):
        return write_take(os.path.join(self.folder.name, name), *words, **more)

    def test_percentiles(self):
        self.assertAlmostEqual(estimator.percentile(range(101), 0.99), 99)
        self.assertAlmostEqual(estimator.percentile([1, 3], 0.25), 1.5)
        self.assertIsNone(estimator.percentile([], 0.5))

    def test_numbers_of_a_take(self):
        size = lambda x: x[2] ** 2
        swing = lambda x, t: 0.05 * size(x) * 2 ** (-t / 0.5) * math.cos(2 * math.pi * 1.5 * t)
        take = self.take("a", swing, sag=0.03, drive=lambda t: 0.1 * min(t, 0.5))
        found = estimator.measure(take)
        whole = found["whole"]
        self.assertEqual(whole["vertices"], 25 * 19)  # two rings are held
        self.assertAlmostEqual(whole["peak_m"], 0.05, delta=1e-6)
        self.assertAlmostEqual(whole["sag_m"], 0.03, delta=1e-6)
        self.assertAlmostEqual(whole["frequency_hz"], 1.5, delta=0.002)
        self.assertAlmostEqual(whole["half_life_s"], 0.5, delta=0.002)
        # By hand: masses are volumes, which are equal but for the ends and sides.
        m = estimator.masses(take.tets)
        free = [v for v, x in enumerate(take.tets.points) if x[2] > 0.05]
        mean = sum(sum(m[v] * swing(take.tets.points[v], f / 24) ** 2 for v in free) for f in range(1, 72)) / 71
        self.assertAlmostEqual(whole["amplitude_rms_m"], math.sqrt(mean / 0.04), delta=1e-7)
        self.assertAlmostEqual(sum(m), 0.04, delta=1e-12)
        self.assertGreater(found["low half"]["border"], 0)
        self.assertLess(found["low half"]["peak_m"], 0.05 * 0.25)

    def test_ratios_by_region(self):
        ring = lambda f, t: math.cos(2 * math.pi * f * t) * 2 ** (-t / 0.6)
        base = self.take("base", lambda x, t: 0.02 * x[2] * ring(2, t), sag=0.01)
        dial = self.take("dial", lambda x, t: (0.06 if x[2] > 0.5 else 0.02) * x[2] * ring(1.4, t), sag=0.02)
        # Of swings as fast: which instants the frames meet decides part of a percentile.
        wide = self.take("wide", lambda x, t: (0.06 if x[2] > 0.5 else 0.02) * x[2] * ring(2, t), sag=0.02)
        found = estimator.compare(base, wide)
        self.assertAlmostEqual(found["ratios"]["top"]["p99_m"], 3, delta=1e-4)
        self.assertAlmostEqual(found["ratios"]["low half"]["p99_m"], 1, delta=1e-4)
        found = estimator.compare(base, dial)
        self.assertAlmostEqual(found["ratios"]["whole"]["frequency_hz"], 0.7, delta=0.003)
        self.assertAlmostEqual(found["ratios"]["whole"]["sag_m"], 2, delta=1e-4)
        self.assertEqual(found["card"]["amplitude"], 2.0)
        self.assertIsNone(found["card"]["sag"])

    def test_a_still_take(self):
        base = self.take("base", lambda x, t: 0.02 * x[2] * math.cos(9 * t))
        found = estimator.compare(base, self.take("still", lambda x, t: 0))
        self.assertEqual(found["ratios"]["whole"]["p99_m"], 0)

    def test_what_is_refused(self):
        folder = os.path.join(self.folder.name, "cut")
        self.take("cut", lambda x, t: 0, frames=3)
        with open(os.path.join(folder, "tets.pc2"), "r+b") as file:
            file.truncate(1000)
        with self.assertRaisesRegex(ValueError, "cut off"):
            take_files.Take(folder)

    def test_distances(self):
        dice = random.Random(3)
        a, b = ([[dice.uniform(-1, 1) for _ in range(3)] for _ in range(n)] for n in (40, 60))
        for x, found in zip(a, estimator.distances(a, b)):
            self.assertAlmostEqual(found, min(math.dist(x, y) for y in b), delta=1e-12)


if __name__ == "__main__":
    unittest.main()
