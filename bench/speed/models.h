// The bodies that are measured: E 3e5, Poisson 0.45, density 1000, stiffness damping 0.01, held at one end.
#pragma once
#include <memory>
#include <string>

#include "supple/sim/static_solver.h"

namespace supple::bench {

enum class Shape { beam, cube };
const char* name_of(Shape shape);

struct ModelChoice {
  Shape shape = Shape::beam;
  int n_tets = 20000;  // about
  MaterialModel material = MaterialModel::stable_neo_hookean;
  bool anti_locking = false;
};
// A beam of 4:1:1, 0.8 m long, or a cube of 0.4 m, its face x = 0 driven.
Model make_model(const ModelChoice& choice);
TetMesh make_mesh(Shape shape, int n_tets);
// The same material and the same hold for tets of any shape: the twentieth of its length that is lowest in x is driven.
Model held_model(TetMesh mesh, MaterialModel material = MaterialModel::stable_neo_hookean);

// A bar with a rod of driven vertices inside that bends to and fro once a second; for adjusted physics.
Model core_model(int n_tets);
Drive core_drive(const Model& model, int frames, double fps);

// The held end is yanked sideways and back by a quarter of the body's length, a quarter of a second each time, twice a
// second, to alternate sides: the body swings widely.
Drive yank(const Model& model);
// The held end turns to and fro about z, 0.4 rad, once a second.
Drive tilt(const Model& model);

// The matrix of a backward-Euler step of length h about the rest shape, reduced to what is free; h = 0: stiffness
// alone. (With the damping of the first tet everywhere: time does not depend on values.)
BlockMatrix step_matrix(const Model& model, double h);

// Poses for assembly. mild: bent by 0.2 rad with small waves. hard: shortened by a quarter, bent by 1.2 rad, with waves
// that squash tets.
enum class Pose { mild, hard };
VecX pose(const TetMesh& mesh, Pose kind);

std::string size_name(int n_tets);  // "20k"

}  // namespace supple::bench
