// What a step of the C runtime costs: nanoseconds a mode and step, everything included, and the share of one core at
// 60 steps a second. Prints a table, or JSON with --json.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <random>
#include <vector>

#include "supple_live.h"

namespace {

struct Case {
  const char* name;
  int instances, modes;
  bool distinct;    // every instance has a part of its own
  bool uneven;      // dt differs from step to step, so all gains are found anew
  bool coriolis;    // the part has Coriolis terms
  int active = -1;  // modes that move
};

struct Outcome {
  double step_us, mode_ns, core_percent, checksum;
  size_t bytes;
};

struct MadeParts {
  std::vector<std::vector<supple_live_mode>> modes;
  std::vector<std::vector<float>> coriolis;
  std::vector<supple_live_part> parts;
};

MadeParts make_parts(const Case& c) {
  MadeParts made;
  std::mt19937 random(1);
  std::uniform_real_distribution<float> any(-1, 1);
  const int count = c.distinct ? c.instances : 1;
  made.modes.resize(count), made.coriolis.resize(count);
  for (int p = 0; p < count; ++p) {
    for (int i = 0; i < c.modes; ++i) {
      supple_live_mode m{};
      m.frequency_hz = 3.0f + 0.9f * float(i) + 0.2f * any(random);
      m.decay = 2 + 0.5f * float(i), m.mass = 1, m.reach = 0.01f;
      for (float& h : m.transfer) h = any(random) / float(1 + i);
      for (float& h : m.centrifugal) h = 0.1f * any(random) / float(1 + i);
      made.modes[p].push_back(m);
    }
    if (c.coriolis)
      for (int k = 0; k < 3 * c.modes * c.modes; ++k) made.coriolis[p].push_back(0.01f * any(random));
    supple_live_part part{};
    part.cut_m = 0.5f, part.cut_rad = 1.5f, part.weight_limit = 30, part.force_limit = 200;
    part.dials = {1, 1, 1, 1, 0};
    part.mode_count = c.modes, part.modes = made.modes[p].data();
    part.coriolis = c.coriolis ? made.coriolis[p].data() : nullptr;
    made.parts.push_back(part);
  }
  return made;
}

Outcome measure(const Case& c) {
  const MadeParts made = make_parts(c);
  std::vector<int> which(c.instances, 0);
  if (c.distinct)
    for (int i = 0; i < c.instances; ++i) which[i] = i;
  supple_live_config config{};
  config.parts = made.parts.data(), config.part_count = int(made.parts.size());
  config.instance_count = c.instances, config.instance_part = which.data();
  char message[200] = "";
  Outcome out{};
  out.bytes = supple_live_size(&config, message, sizeof message);
  std::vector<char> block(out.bytes);
  supple_live_world* world = nullptr;
  if (supple_live_init(block.data(), block.size(), &config, &world, message, sizeof message) != SUPPLE_LIVE_OK) {
    std::fprintf(stderr, "%s: %s\n", c.name, message);
    return out;
  }
  for (int i = 0; i < c.instances; ++i) supple_live_set_active_modes(world, i, c.active);

  // A handful of frames of poses, played over and over, so that only their copying is timed.
  const int frames = 64, steps = 16;
  std::vector<float> position(size_t(frames) * c.instances * 3), rotation(size_t(frames) * c.instances * 4);
  for (int f = 0; f < frames; ++f)
    for (int i = 0; i < c.instances; ++i) {
      const double phase = 6.283185307179586 * f / frames + 0.01 * i, turn = 0.4 * std::sin(phase);
      float* p = &position[(size_t(f) * c.instances + i) * 3];
      float* q = &rotation[(size_t(f) * c.instances + i) * 4];
      p[0] = float(0.1 * std::sin(phase)), p[1] = float(1 + 0.05 * std::cos(2 * phase)), p[2] = float(0.1 * i);
      q[0] = 0, q[1] = float(std::sin(turn / 2)), q[2] = 0, q[3] = float(std::cos(turn / 2));
    }
  // The best of many short runs: what others do on the machine meanwhile is not ours.
  double best = 1e30;
  for (int s = 0, run = 0; run < 200; ++run) {
    const auto start = std::chrono::steady_clock::now();
    for (int k = 0; k < steps; ++k, ++s) {
      const int f = s % frames;
      supple_live_set_poses(world, 0, c.instances, &position[size_t(f) * c.instances * 3], 0,
                            &rotation[size_t(f) * c.instances * 4], 0);
      supple_live_step(world, c.uneven ? (1.0 / 60) * (1 + 0.01 * ((s * 7) % 11)) : 1.0 / 60);
    }
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    best = std::min(best, took.count() / steps);
  }
  out.step_us = best * 1e6;
  out.mode_ns = best * 1e9 / (double(c.instances) * c.modes);
  out.core_percent = best * 60 * 100;
  for (int i = 0; i < c.instances; ++i) out.checksum += supple_live_weights(world, i)[0];
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  const bool json = argc > 1 && !std::strcmp(argv[1], "--json");
  if (argc > 1 && !json) {
    std::fprintf(stderr, "usage: bench_live [--json]\n");
    return 2;
  }
  const Case cases[] = {
      {"1000 instances of one part, 20 modes", 1000, 20, false, false, false},
      {"the same, every step another dt", 1000, 20, false, true, false},
      {"1000 parts of their own, 20 modes", 1000, 20, true, false, false},
      {"the same, every step another dt", 1000, 20, true, true, false},
      {"50 parts of their own, 20 modes", 50, 20, true, false, false},
      {"the same, every step another dt", 50, 20, true, true, false},
      {"1000 instances with Coriolis, 20 modes", 1000, 20, false, false, true},
      {"1000 instances of one part, 5 modes", 1000, 5, false, false, false},
      {"1000 instances of 20 modes, 8 active", 1000, 20, false, false, false, 8},
      {"1000 instances of 20 modes, none active", 1000, 20, false, false, false, 0},
      {"one character: 4 parts, 20 modes", 4, 20, true, false, false},
  };
  std::printf(json ? "[" : "%-42s %10s %12s %10s %10s\n", "case", "step us", "ns/mode-step", "core at 60", "KiB");
  bool first = true;
  for (const Case& c : cases) {
    const Outcome o = measure(c);
    if (json)
      std::printf(
          "%s\n  {\"case\": \"%s\", \"step_us\": %.3f, \"ns_per_mode_step\": %.3f, \"core_percent_60hz\": %.4f, "
          "\"bytes\": %zu, \"checksum\": %.6g}",
          first ? "" : ",", c.name, o.step_us, o.mode_ns, o.core_percent, o.bytes, o.checksum);
    else
      std::printf("%-42s %10.1f %12.2f %9.3f%% %10.0f\n", c.name, o.step_us, o.mode_ns, o.core_percent,
                  o.bytes / 1024.0);
    first = false;
  }
  std::printf(json ? "\n]\n" : "");
  return 0;
}
