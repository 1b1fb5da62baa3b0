// Writes the test vectors of the live step into a folder: make_vectors docs/reference/live-vectors
// Weights come from the double-precision step in reference_step.cpp.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <iostream>

#include "vector_file.h"

namespace {

using live_test::Frame;
using live_test::Pose;
using live_test::Vec3;

// To seven digits, so that the file holds exactly what was stepped.
double rounded(double x) {
  char text[40];
  std::snprintf(text, sizeof text, "%.7g", x);
  const double value = std::strtod(text, nullptr);
  return std::abs(value) < 1e-12 ? 0 : value;
}

Frame make_frame(double dt, const Pose& pose) {
  Frame f;
  f.dt = rounded(dt);
  for (int k = 0; k < 3; ++k) f.pose.position[k] = rounded(pose.position[k]);
  for (int k = 0; k < 4; ++k) f.pose.rotation.coeffs()[k] = rounded(pose.rotation.coeffs()[k]);
  return f;
}

double smooth(double x) {  // from 0 to 1, with two derivatives of 0 at both ends
  x = x < 0 ? 0 : x > 1 ? 1 : x;
  return x * x * x * (10 + x * (-15 + 6 * x));
}

Eigen::Quaterniond about(const Vec3& axis, double angle) {
  return Eigen::Quaterniond(Eigen::AngleAxisd(angle, axis.normalized()));
}

using Motion = std::function<Pose(double)>;

std::vector<Frame> even_frames(const Motion& motion, int count) {
  std::vector<Frame> frames;
  for (int i = 0; i < count; ++i) frames.push_back(make_frame(1.0 / 60, motion(i / 60.0)));
  return frames;
}

Pose yank(double t) {
  return {{0.3 * smooth((t - 0.1) / 0.25), 1.1 + 0.1 * smooth((t - 0.1) / 0.25), 0}, about({0, 1, 0}, 0.3)};
}
Pose spin(double t) {
  const double ramp = 0.5, angle = 5 * (t < ramp ? t * t * t / (3 * ramp * ramp) : t - ramp * 2 / 3);
  return {{0.1 * std::cos(angle), 1, 0.1 * std::sin(angle)}, about({0.2, 1, 0.1}, angle)};
}
Pose shake(double t) {
  const double on = smooth(t / 0.3), a = 2 * M_PI * 3 * t, b = 2 * M_PI * 4.3 * t;
  return {{0.04 * on * std::sin(a), 1 + 0.03 * on * std::cos(b), 0.02 * on * std::sin(b)},
          about({0, 1, 0.4}, 0.25 * on * std::sin(a + 0.5)) * about({1, 0, 0}, 0.2 * on * std::sin(b))};
}
Pose gravity_turn(double t) { return {{0, 1, 0}, about({0, 0, 1}, M_PI / 2 * smooth((t - 0.1) / 0.6))}; }

// Steps of all lengths, two pauses (whose poses must not count), a long step, a bone put elsewhere, a step too long.
std::vector<Frame> uneven_frames() {
  std::vector<Frame> frames;
  const double lengths[7] = {1.0 / 60, 1.0 / 72, 1.0 / 50, 1.0 / 144, 1.0 / 30, 1.0 / 61, 1.0 / 90};
  double t = 0;
  Vec3 offset = Vec3::Zero();
  for (int i = 0; i < 80; ++i) {
    double dt = lengths[i % 7];
    if (i == 20 || i == 21) dt = 0;
    if (i == 31) dt = 0.09;
    if (i == 45) offset = {4, 0, -2};
    if (i == 62) dt = 0.4;
    t += dt;
    Pose pose = shake(t);
    pose.position += offset;
    if (i == 20) pose.position.x() += 1;
    frames.push_back(make_frame(dt, pose));
  }
  return frames;
}

void write(const std::string& folder, const std::string& name, live_test::VectorFile file) {
  live_test::ReferenceStepper stepper(file.part);
  stepper.settings = file.settings;
  for (const Frame& f : file.frames) {
    file.weights.push_back(stepper.step(f.dt, f.pose));
    for (double& w : file.weights.back()) w = rounded(w);
  }
  live_test::save_vectors(folder + "/" + name + ".json", file);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: make_vectors FOLDER\n";
    return 2;
  }
  try {
    live_test::VectorFile file;
    file.part = live_test::hand_made_part();
    file.settings.coriolis = false;
    file.frames = even_frames(yank, 75);
    write(argv[1], "yank", file);
    file.frames = even_frames(gravity_turn, 75);
    write(argv[1], "gravity-turn", file);
    file.settings.coriolis = true;
    file.frames = even_frames(spin, 75);
    write(argv[1], "spin", file);
    file.frames = even_frames(shake, 75);
    write(argv[1], "shake", file);
    file.frames = uneven_frames();
    write(argv[1], "uneven", file);
    file.frames = even_frames(shake, 75);
    file.settings.dials = {1.6, 1.5, 0.5, 2.0, true};
    file.settings.force_scale = 0.8, file.settings.active = 4;
    file.part.force_limit = 12, file.part.angular_force_limit = 60, file.part.weight_limit = 0.2;
    write(argv[1], "dials", file);
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
  return 0;
}
