// The step of a live part in double precision, written down as docs/reference/live-pack.md says it and nothing faster:
// what the runtimes are held against. Gains come from a matrix exponential, not from the closed forms.
#pragma once
#include <Eigen/Geometry>
#include <array>
#include <string>
#include <vector>

namespace live_test {

using Vec3 = Eigen::Vector3d;

struct ReferenceMode {
  std::string name;
  double frequency_hz = 1, decay = 0, mass = 1, reach = 0, share = 0;
  bool correction = false;
  std::array<double, 6> transfer{}, centrifugal{};
  std::vector<std::array<double, 3>> coriolis;  // one a mode, or empty
};

struct ReferenceDials {
  double frequency = 1, amplitude = 1, sag = 1, half_life = 1;
  bool sustained = false;
};

struct ReferencePart {
  std::string name = "part", bone = "bone";
  int node = 0;
  Vec3 rest_gravity = Vec3::Zero();
  double size = 0.4, cut_m = 0.5, cut_rad = 1.5, force_limit = 0, angular_force_limit = 0, weight_limit = 0;
  ReferenceDials dials;
  std::vector<ReferenceMode> modes;
};

struct ReferenceSettings {
  ReferenceDials dials;
  Vec3 gravity = {0, -9.81, 0};
  bool use_gravity = true, centrifugal = true, coriolis = true;
  double force_scale = 1;
  int active = -1;              // negative: all
  std::vector<double> forcing;  // extra, one a mode, or empty
};

struct Pose {
  Vec3 position = Vec3::Zero();
  Eigen::Quaterniond rotation = Eigen::Quaterniond::Identity();
};

struct Frame {
  double dt = 0;
  Pose pose;
};

class ReferenceStepper {
 public:
  ReferenceSettings settings;

  explicit ReferenceStepper(ReferencePart part);
  const std::vector<double>& step(double dt, const Pose& pose);
  void reset() { past_.clear(); }

 private:
  struct Moment {  // of the bone, body axes
    Vec3 omega, alpha, v, a, gravity;
  };
  std::array<Moment, 3> read_motion(double dt, const Pose& pose) const;
  Eigen::VectorXd shape(const Vec3& gravity) const;  // S of the spec
  bool strays(double dt, const Pose& pose) const;
  void weigh(const Vec3& gravity);

  ReferencePart part_;
  std::vector<Pose> past_;     // newest first
  std::vector<double> steps_;  // that led to them
  Vec3 last_omega_, last_v_;
  Eigen::VectorXd z_, rate_;
  std::vector<double> weights_;
};

// Five modes of different damping, with Coriolis terms and a correction.
ReferencePart hand_made_part();

}  // namespace live_test
