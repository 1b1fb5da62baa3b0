// The C runtime in the hands of the tests: worlds from reference parts, memory included.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "../../runtime/c/supple_live.h"
#include "reference_step.h"

namespace live_test {

// Parts as the C runtime wants them; owns what they point to.
class CParts {
 public:
  explicit CParts(const std::vector<ReferencePart>& parts) : modes_(parts.size()), coriolis_(parts.size()) {
    for (size_t p = 0; p < parts.size(); ++p) {
      const ReferencePart& from = parts[p];
      for (const auto& m : from.modes) {
        supple_live_mode mode{};
        mode.name = m.name.c_str();
        mode.frequency_hz = float(m.frequency_hz), mode.decay = float(m.decay), mode.mass = float(m.mass);
        std::copy(m.transfer.begin(), m.transfer.end(), mode.transfer);
        std::copy(m.centrifugal.begin(), m.centrifugal.end(), mode.centrifugal);
        modes_[p].push_back(mode);
        for (const auto& c : m.coriolis) coriolis_[p].insert(coriolis_[p].end(), c.begin(), c.end());
      }
      supple_live_part part{};
      part.name = from.name.c_str(), part.bone = from.bone.c_str();
      for (int k = 0; k < 3; ++k) part.rest_gravity[k] = float(from.rest_gravity[k]);
      part.size = float(from.size), part.cut_m = float(from.cut_m), part.cut_rad = float(from.cut_rad);
      part.force_limit = float(from.force_limit), part.angular_force_limit = float(from.angular_force_limit);
      part.weight_limit = float(from.weight_limit);
      const auto& d = from.dials;
      part.dials = {float(d.frequency), float(d.amplitude), float(d.sag), float(d.half_life), d.sustained};
      part.mode_count = int(from.modes.size()), part.modes = modes_[p].data();
      part.coriolis = coriolis_[p].empty() ? nullptr : coriolis_[p].data();
      parts_.push_back(part);
    }
  }
  const std::vector<supple_live_part>& parts() const { return parts_; }

 private:
  std::vector<std::vector<supple_live_mode>> modes_;
  std::vector<std::vector<float>> coriolis_;
  std::vector<supple_live_part> parts_;
};

struct World {
  std::vector<ReferencePart> kept;
  CParts parts;
  std::vector<char> block;
  supple_live_world* world = nullptr;

  explicit World(const ReferencePart& part, int instances = 1, int slots = 0)
      : World(std::vector<ReferencePart>{part}, std::vector<int>(size_t(instances), 0), slots) {}
  World(const std::vector<ReferencePart>& all, const std::vector<int>& instance_part, int slots = 0)
      : kept(all), parts(kept) {
    supple_live_config config{};
    config.parts = parts.parts().data(), config.part_count = int(all.size());
    config.instance_part = instance_part.data(), config.instance_count = int(instance_part.size());
    config.slots = slots;
    char message[200] = "";
    block.resize(supple_live_size(&config, message, sizeof message));
    EXPECT_EQ(supple_live_init(block.data(), block.size(), &config, &world, message, sizeof message), SUPPLE_LIVE_OK)
        << message;
  }
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  void pose(int instance, const Pose& p) {
    float c[3], q[4];
    for (int k = 0; k < 3; ++k) c[k] = float(p.position[k]);
    for (int k = 0; k < 4; ++k) q[k] = float(p.rotation.coeffs()[k]);
    supple_live_set_pose(world, instance, c, q);
  }
  std::vector<double> weights(int instance = 0) const {
    const float* w = supple_live_weights(world, instance);
    return std::vector<double>(w, w + supple_live_mode_count(world, instance));
  }
  std::vector<double> step(double dt, const Pose& p, int instance = 0) {
    pose(instance, p);
    supple_live_step(world, dt);
    return weights(instance);
  }
  supple_live_settings settings(int instance = 0) const { return supple_live_get_settings(world, instance); }
  void use(const supple_live_settings& s, int instance = 0) {
    EXPECT_EQ(supple_live_set_settings(world, instance, &s), SUPPLE_LIVE_OK);
  }
  void use(const ReferenceSettings& s, int instance = 0) {
    supple_live_settings out{};
    const auto& d = s.dials;
    out.dials = {float(d.frequency), float(d.amplitude), float(d.sag), float(d.half_life), d.sustained};
    for (int k = 0; k < 3; ++k) out.gravity[k] = float(s.gravity[k]);
    out.force_scale = float(s.force_scale);
    out.use_gravity = s.use_gravity, out.use_centrifugal = s.centrifugal, out.use_coriolis = s.coriolis;
    use(out, instance);
    supple_live_set_active_modes(world, instance, s.active);
    const std::vector<float> forcing(s.forcing.begin(), s.forcing.end());
    supple_live_set_forcing(world, instance, forcing.empty() ? nullptr : forcing.data());
  }
};

inline Pose turned(const Vec3& axis, double angle, const Vec3& position = Vec3::Zero()) {
  return {position, Eigen::Quaterniond(Eigen::AngleAxisd(angle, axis.normalized()))};
}

// One mode that answers to everything along x.
inline ReferencePart one_mode(double frequency_hz, double decay) {
  ReferencePart part;
  ReferenceMode m;
  m.frequency_hz = frequency_hz, m.decay = decay, m.mass = 0.5;
  m.transfer = {0, 0, -0.3, -1, 0, 0}, m.centrifugal = {0, 0.2, 0.3, 0, 0, 0.1};
  part.modes = {m};
  part.cut_m = 0, part.cut_rad = 0;
  return part;
}

}  // namespace live_test
