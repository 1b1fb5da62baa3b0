// A beam that is held at one end, stepped by hand in a wind of one's own.
#include <cstdio>

#include "supple/sim/force.h"
#include "supple/sim/stepper.h"

using namespace supple;

// Drag of the air on some vertices: each is pulled by c (w - v), w the wind, which blows for a second.
class Wind final : public Force {
 public:
  explicit Wind(std::vector<int> vertices) : vertices_(std::move(vertices)) {}
  void at(double t) override { wind_ = t < 1 ? Vec3(0, 0, 8) : Vec3(0, 0, 0); }
  void add(const Kinematics& x, const Evaluation& out) const override {
    for (const int i : vertices_) {
      if (out.residual) out.residual->segment<3>(3 * i) -= kDrag * (wind_ - x.v.segment<3>(3 * i));
      if (out.matrix)  // what the residual changes by with u: its v does, by dv_du
        for (int d = 0; d < 3; ++d) out.matrix->block(out.matrix->pattern->find(i, i))[4 * d] += kDrag * x.dv_du;
    }
  }

 private:
  static constexpr double kDrag = 0.01;  // [N s/m]
  std::vector<int> vertices_;
  Vec3 wind_ = Vec3::Zero();
};

int main() {
  ModelSpec spec;
  spec.mesh = make_box(8, 2, 2, Vec3(0.4, 0.06, 0.06));
  spec.per_tet.assign(spec.mesh.tets.size(), {.youngs_modulus = 5e4, .density = 1000, .stiffness_damping = 0.004});
  std::vector<int> tip;
  VecX held(0);
  for (int i = 0; i < spec.mesh.n_vertices(); ++i) {
    const Vec3& x = spec.mesh.vertices[i];
    if (x[0] > 0.399) tip.push_back(i);
    if (x[0] > 0.001) continue;
    spec.driven.push_back(i);
    held.conservativeResize(held.size() + 3);
    held.tail<3>() = x;
  }
  spec.gravity = Vec3::Zero();
  const Model model(spec);

  const Drive drive = {.vertices = make_sampled_track({held}, 1)};  // one sample: it stays there
  Wind wind(tip);
  Stepper stepper(model, drive, {}, &wind);
  const VecX still = VecX::Zero(3 * model.n_vertices());
  State state = stepper.start(0, still, still);
  for (int frame = 1; frame <= 48; ++frame) {
    stepper.step(state, 1.0 / 24);
    if (frame % 6 == 0) std::printf("%.2f s: %5.1f mm\n", state.t, 1e3 * state.u[3 * tip[0] + 2]);
  }
}
