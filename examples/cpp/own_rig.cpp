// A rig of one's own, of two parameters: "lift" is keyed, and physics finds "bend".
#include <cmath>
#include <cstdio>

#include "supple/rigs/differenced_rig.h"
#include "supple/rigspace/rig_stepper.h"

using namespace supple;

// A bar along x whose axis is bent to a circle, and lifted as a whole.
class BendingBar final : public RigMap {
 public:
  BendingBar(Points rest, double length) : rest_(std::move(rest)), length_(length) {}
  const std::vector<RigParameter>& parameters() const override { return parameters_; }
  int n_points() const override { return static_cast<int>(rest_.size()); }
  VecX evaluate(const VecX& p, double /*t*/) const override {
    VecX at(3 * n_points());
    for (int i = 0; i < n_points(); ++i) {
      const Vec3& x = rest_[i];
      const double angle = p[1] * x[0] / length_;  // of the cross-section at x
      const double s = std::abs(angle) < 1e-4 ? 1 - angle * angle / 6 : std::sin(angle) / angle;
      const double c = std::abs(angle) < 1e-4 ? angle / 2 : (1 - std::cos(angle)) / angle;
      at.segment<3>(3 * i) = Vec3(x[0] * s - x[1] * std::sin(angle), p[0] + x[0] * c + x[1] * std::cos(angle), x[2]);
    }
    return at;
  }

 private:
  Points rest_;
  double length_;
  std::vector<RigParameter> parameters_ = {{.name = "lift", .quantity = Quantity::length, .unit = 0.1},
                                           {.name = "bend", .quantity = Quantity::angle}};
};

int main() {
  const double length = 0.4;
  RigBodySpec spec;
  spec.model.mesh = make_box(8, 2, 2, Vec3(length, 0.06, 0.06), Vec3(0, -0.03, -0.03));
  spec.model.per_tet.assign(spec.model.mesh.tets.size(), {.youngs_modulus = 5e4, .stiffness_damping = 0.002});
  spec.model.gravity = Vec3::Zero();
  const TriMesh surface = boundary_surface(spec.model.mesh, &spec.rigged);
  spec.map = identity_map(surface.n_vertices());  // every vertex of the surface is a point of the rig

  const RigBody body(spec, with_derivatives(std::make_shared<BendingBar>(surface.vertices, length)));
  const auto keys = [](double t) {  // up by 10 cm in half a second
    const double s = std::min(1.0, 2 * t);
    return VecX(Eigen::Vector2d(0.1 * s * s * (3 - 2 * s), 0));
  };
  RigStepper stepper(body, {1}, keys, {});
  State state = stepper.start(0);
  for (int frame = 1; frame <= 36; ++frame) {
    stepper.step(state, 1.0 / 24);
    if (frame % 4 == 0) std::printf("%.2f s: lift %5.3f m, bend %6.3f rad\n", state.t, state.q[0], state.q[1]);
  }
}
