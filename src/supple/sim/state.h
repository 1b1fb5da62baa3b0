// How a body stands at an instant.
#pragma once
#include "supple/base/types.h"
#include "supple/contact/contact_term.h"

namespace supple {

// Everything that changes but for the factor that is kept.
struct State {
  double t = 0;              // [s]
  VecX u, v, a;              // displacement from rest, velocity, acceleration; flat 3n
  VecX strain, strain_rate;  // history of the viscous stress, empty without it
  VecX p, p_rate, p_accel;   // the equilibrium that adjusted inertia follows, with its differences; empty without it
  double tangled_s = 0;      // for how long some tets have been inside out [s]
  double untangling_s = 0;   // for how long they have been helped [s]
  VecX goal;                 // while they are: the equilibrium they are pulled to, and its time [s]
  double goal_t = 0;
  double contact_stiffness = 0;  // [Pa] as it has been raised; 0: as at first. `a` is without contact forces
  ContactHistory contact;
  VecX q, q_rate;  // of a rig: all its parameters, and how they last changed [1/s]; q_rate may be empty
};

}  // namespace supple
