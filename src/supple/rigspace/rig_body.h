// A body of tets of which a rig moves some vertices (its surface) and the others move by themselves (its interior).
#pragma once
#include <memory>
#include <vector>

#include "supple/linalg/affine_map.h"
#include "supple/rigs/rig_map.h"
#include "supple/rigspace/surface_map.h"
#include "supple/sim/model.h"

namespace supple {

// fixed: the interior follows at once, as if it had no inertia (its mass goes with the surface around it).
enum class Interior { dynamic, fixed };

struct RigBodySpec {
  ModelSpec model;          // mesh, material, damping, gravity, contact; nothing driven or tied: `driven` is filled in
  std::vector<int> rigged;  // vertices of the mesh that the rig moves, in the order of the rows of the map
  SurfaceMap map;           // rows: rigged vertices
  Interior interior = Interior::dynamic;
  std::vector<double> stiffness;  // of every tet, a factor on Young's modulus (rig-space materials); empty: 1
  // Points of the surface that are pulled (inverse kinematics): handles of their own, beside the tets.
  std::vector<int> handles;       // points of the rig
  std::vector<double> strengths;  // alpha of each [N/m]
};

class RigBody {
 public:
  // rig: only its number of points is looked at. InputError: vertices out of range or twice, rows that do not fit,
  // nothing rigged, interior vertices that belong to nothing rigged, handles that are no points, stiffness that is not
  // positive, a model with ties, springs or other bodies.
  RigBody(RigBodySpec spec, std::shared_ptr<const RigMap> rig);

  const RigBodySpec& spec() const { return spec_; }
  const Model& model() const { return *model_; }                     // its mesh has a vertex more for each handle, last
  const std::shared_ptr<const RigMap>& rig() const { return rig_; }  // restricted to the points that are used
  const SurfaceMap& map() const { return map_; }                     // rows: rigged vertices, then handles
  const std::vector<int>& rigged() const { return rigged_; }         // vertices of the model, one a row
  const AffineMap& interior() const { return interior_; }            // unknowns: vertices that are not rigged
  int n_vertices() const { return model_->n_vertices(); }
  int n_interior() const { return interior_.n_free(); }
  const std::shared_ptr<const Mass>& mass() const { return mass_; }  // what inertia uses: see Interior

  // Displacements that the rig prescribes, zero on the interior: u_d of u = Z n + u_d.
  VecX rigged_displacement(const VecX& p, double t) const;
  // d u_d / dp on the rows of `rigged` (3 rows each).
  MatX rigged_jacobian(const VecX& p, double t, const std::vector<int>& which) const;
  // sum f d^2 u_d / dp_a dp_b for forces f on all vertices.
  MatX rigged_curvature(const VecX& p, double t, const std::vector<int>& which, const VecX& f) const;
  // Values on rigged vertices continued into the interior: all vertices, flat. The affine map that fits them best, and
  // what it leaves harmonically; so exact for affine maps.
  VecX extend(const VecX& u_d) const;

  // What pulls at the handles; null without handles.
  std::unique_ptr<SpringTerm> make_handles() const;
  // Surfaces in contact. The model itself has none: to it all that is rigged is prescribed, and cannot be pushed.
  const ContactSpec& contact() const { return spec_.model.contact; }
  double contact_stiffness() const;  // [Pa]

 private:
  RigBodySpec spec_;
  std::shared_ptr<const RigMap> rig_;
  std::unique_ptr<Model> model_;
  SurfaceMap map_;
  std::vector<int> rigged_;
  AffineMap interior_;
  std::shared_ptr<const Mass> mass_;
  struct Extension;
  std::shared_ptr<const Extension> extension_;
};

}  // namespace supple
