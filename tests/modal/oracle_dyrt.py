"""A beam on a moving bone by an independent reference: python3 oracle_dyrt.py REFERENCE_FOLDER FILES_FOLDER

Reads vertices.txt tets.txt fixed.txt places.txt axes.txt numbers.txt (E nu rho stiffness_damping step modes gravity) and
writes displacements.txt, a row a sample.
"""
import os
import sys

reference, folder = sys.argv[1:3]
sys.path.insert(0, reference)
import numpy as np
import dyrt
from fem import TetModel

read = lambda name, kind=float: np.loadtxt(os.path.join(folder, name + ".txt"), dtype=kind, ndmin=1)
E, nu, rho, damping, step, modes, gravity = read("numbers")
model = TetModel(read("vertices"), read("tets", int), "linear", E, nu, rho)
m = dyrt.ModalModel(model, read("fixed", int), int(modes), origin=(0.01, 0.02, -0.03), d_k=damping)
axes = read("axes").reshape(-1, 3, 3)
kin = dyrt.bone_kinematics(axes, read("places"), step)
force = m.forcing(kin, "centrifugal", gravity=(0, gravity, 0), Theta=axes)
q, _ = m.run(force, step, kin=kin, coriolis=True)
np.savetxt(os.path.join(folder, "displacements.txt"), m.displacement(q).reshape(len(q), -1))
