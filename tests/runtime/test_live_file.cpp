// Packs in the C runtime's own file: what is written comes back, and no bytes whatever make the reader misbehave.
#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <string>

#include "live_world.h"

namespace live_test {
namespace {

struct Writer {
  std::string bytes;
  void u32(uint32_t v) {
    for (int k = 0; k < 4; ++k) bytes.push_back(char(v >> (8 * k) & 255));
  }
  void f32(double v) {
    const float f = float(v);
    uint32_t u;
    std::memcpy(&u, &f, 4);
    u32(u);
  }
  void text(const std::string& s) {
    bytes.push_back(char(s.size() & 255)), bytes.push_back(char(s.size() >> 8 & 255));
    bytes += s;
    while (bytes.size() % 4) bytes.push_back(0);
  }
};

std::string write_pack(const std::vector<ReferencePart>& parts) {
  Writer out;
  out.bytes = "SUPPLIVE";
  out.u32(1), out.u32(uint32_t(parts.size()));
  out.f32(0.01), out.f32(0), out.f32(-9.81), out.f32(0.5);
  for (const auto& p : parts) {
    const bool coriolis = !p.modes[0].coriolis.empty();
    out.text(p.name), out.text(p.bone), out.u32(uint32_t(p.node));
    for (int k = 0; k < 3; ++k) out.f32(p.rest_gravity[k]);
    out.f32(p.size), out.f32(p.cut_m), out.f32(p.cut_rad);
    out.f32(p.force_limit), out.f32(p.angular_force_limit), out.f32(p.weight_limit), out.f32(1);
    out.f32(p.dials.frequency), out.f32(p.dials.amplitude), out.f32(p.dials.sag), out.f32(p.dials.half_life);
    out.u32((p.dials.sustained ? 1u : 0u) | (coriolis ? 2u : 0u));
    out.u32(2), out.u32(uint32_t(p.modes.size()));
    out.u32(0), out.u32(3), out.u32(4), out.u32(7);
    for (const auto& m : p.modes) {
      out.text(m.name);
      out.f32(m.frequency_hz), out.f32(m.decay), out.f32(m.mass), out.f32(m.reach), out.f32(m.share);
      out.u32(m.correction ? 1 : 0);
      for (double v : m.transfer) out.f32(v);
      for (double v : m.centrifugal) out.f32(v);
    }
    for (size_t i = 0; coriolis && i < p.modes.size(); ++i)
      for (const auto& c : p.modes[i].coriolis) out.f32(c[0]), out.f32(c[1]), out.f32(c[2]);
  }
  return out.bytes;
}

std::vector<ReferencePart> two_parts() {
  ReferencePart second = one_mode(4, 2);
  second.name = "a longer name", second.bone = "", second.dials = {1.5, 0.5, 2, 0.8, true};
  second.modes[0].name = "x";
  return {hand_made_part(), second};
}

struct Read {
  supple_live_result result;
  supple_live_pack pack{};
  std::vector<char> block;
  char message[200] = "";

  explicit Read(const std::string& bytes) {
    // A copy of exactly that size, so that tools see any reading past its end.
    const std::vector<char> copy(bytes.begin(), bytes.end());
    size_t size = 0;
    result = supple_live_read_size(copy.data(), copy.size(), &size, message, sizeof message);
    if (result != SUPPLE_LIVE_OK) return;
    block.resize(size);
    result = supple_live_read(copy.data(), copy.size(), block.data(), size, &pack, message, sizeof message);
  }
};

TEST(LiveFile, ComesBackWhole) {
  const auto parts = two_parts();
  const Read read(write_pack(parts));
  ASSERT_EQ(read.result, SUPPLE_LIVE_OK) << read.message;
  ASSERT_EQ(read.pack.part_count, 2);
  EXPECT_EQ(read.pack.unit, 0.01f);
  EXPECT_EQ(read.pack.gravity[1], -9.81f);
  EXPECT_EQ(read.pack.gravity[2], 0.5f);
  for (size_t p = 0; p < 2; ++p) {
    const auto& found = read.pack.parts[p];
    const auto& from = parts[p];
    EXPECT_EQ(found.name, from.name);
    EXPECT_EQ(found.bone, from.bone);
    EXPECT_EQ(found.node, from.node);
    EXPECT_EQ(found.rest_gravity[1], float(from.rest_gravity[1]));
    EXPECT_EQ(found.size, float(from.size));
    EXPECT_EQ(found.cut_m, float(from.cut_m));
    EXPECT_EQ(found.cut_rad, float(from.cut_rad));
    EXPECT_EQ(found.force_limit, float(from.force_limit));
    EXPECT_EQ(found.angular_force_limit, float(from.angular_force_limit));
    EXPECT_EQ(found.weight_limit, float(from.weight_limit));
    EXPECT_EQ(found.force_scale, 1.0f);
    EXPECT_EQ(found.dials.frequency, float(from.dials.frequency));
    EXPECT_EQ(found.dials.amplitude, float(from.dials.amplitude));
    EXPECT_EQ(found.dials.sag, float(from.dials.sag));
    EXPECT_EQ(found.dials.half_life, float(from.dials.half_life));
    EXPECT_EQ(found.dials.sustained, int(from.dials.sustained));
    ASSERT_EQ(found.target_count, 2);
    EXPECT_EQ(found.targets[1].mesh, 4);
    EXPECT_EQ(found.targets[1].first, 7);
    ASSERT_EQ(found.mode_count, int(from.modes.size()));
    EXPECT_EQ(found.coriolis != nullptr, p == 0);
    for (size_t i = 0; i < from.modes.size(); ++i) {
      const auto& m = found.modes[i];
      const auto& e = from.modes[i];
      EXPECT_EQ(m.name, e.name);
      EXPECT_EQ(m.frequency_hz, float(e.frequency_hz));
      EXPECT_EQ(m.decay, float(e.decay));
      EXPECT_EQ(m.mass, float(e.mass));
      EXPECT_EQ(m.reach, float(e.reach));
      EXPECT_EQ(m.share, float(e.share));
      EXPECT_EQ(m.correction, int(e.correction));
      for (size_t k = 0; k < 6; ++k) {
        EXPECT_EQ(m.transfer[k], float(e.transfer[k]));
        EXPECT_EQ(m.centrifugal[k], float(e.centrifugal[k]));
      }
      for (size_t l = 0; l < e.coriolis.size(); ++l)
        for (size_t k = 0; k < 3; ++k) EXPECT_EQ(found.coriolis[(i * 5 + l) * 3 + k], float(e.coriolis[l][k]));
    }
  }
}

TEST(LiveFile, StepsAsThePartsItWasMadeFrom) {
  const auto parts = two_parts();
  const Read read(write_pack(parts));
  ASSERT_EQ(read.result, SUPPLE_LIVE_OK);
  const int which[2] = {0, 1};
  supple_live_config config{};
  config.parts = read.pack.parts, config.part_count = 2, config.instance_count = 2, config.instance_part = which;
  std::vector<char> block(supple_live_size(&config, nullptr, 0));
  supple_live_world* world = nullptr;
  ASSERT_EQ(supple_live_init(block.data(), block.size(), &config, &world, nullptr, 0), SUPPLE_LIVE_OK);
  World expected(parts, {0, 1});
  for (int i = 0; i < 30; ++i) {
    const float c[3] = {0.1f * std::sin(0.2f * float(i)), 0, 0}, q[4] = {0, std::sin(0.1f * float(i)), 0, 1};
    for (int k = 0; k < 2; ++k) supple_live_set_pose(world, k, c, q), supple_live_set_pose(expected.world, k, c, q);
    supple_live_step(world, 1.0 / 60);
    supple_live_step(expected.world, 1.0 / 60);
    for (int k = 0; k < 2; ++k)
      for (int m = 0; m < supple_live_mode_count(world, k); ++m)
        EXPECT_EQ(supple_live_weights(world, k)[m], supple_live_weights(expected.world, k)[m]);
  }
}

TEST(LiveFile, CutShortAtEveryLength) {
  auto parts = two_parts();
  for (int order = 0; order < 2; ++order) {
    const std::string bytes = write_pack(parts);
    for (size_t length = 0; length < bytes.size(); ++length) {
      const Read read(bytes.substr(0, length));
      EXPECT_EQ(read.result, SUPPLE_LIVE_BAD_FILE) << length;
      EXPECT_NE(read.message[0], 0);
    }
    EXPECT_EQ(Read(bytes + '\0').result, SUPPLE_LIVE_BAD_FILE);
    std::swap(parts[0], parts[1]);  // so that each ends the file once
  }
  EXPECT_EQ(supple_live_read_size(nullptr, 0, nullptr, nullptr, 0), SUPPLE_LIVE_BAD_FILE);
}

TEST(LiveFile, HostileBytes) {
  const std::string bytes = write_pack(two_parts());
  std::mt19937 random(5);
  int refused = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string spoiled = bytes;
    for (int k = 0; k <= round % 3; ++k) {
      const size_t at = random() % spoiled.size();
      spoiled[at] = round % 2 ? char(random()) : char(255);
    }
    const Read read(spoiled);
    refused += read.result != SUPPLE_LIVE_OK;
    if (read.result != SUPPLE_LIVE_OK) continue;
    supple_live_config config{};  // what is let through can be stepped
    config.parts = read.pack.parts, config.part_count = read.pack.part_count, config.instance_count = 1;
    std::vector<char> block(supple_live_size(&config, nullptr, 0));
    supple_live_world* world = nullptr;
    if (supple_live_init(block.data(), block.size(), &config, &world, nullptr, 0) == SUPPLE_LIVE_OK)
      for (int i = 0; i < 3; ++i) supple_live_step(world, 1.0 / 60);
  }
  EXPECT_GT(refused, 100);
}

TEST(LiveFile, ErrorsNameTheirPlace) {
  const auto parts = two_parts();
  const auto says = [](const std::string& bytes, const std::string& words) {
    const Read read(bytes);
    EXPECT_EQ(read.result, SUPPLE_LIVE_BAD_FILE);
    EXPECT_NE(std::string(read.message).find(words), std::string::npos) << read.message;
  };
  says("SUPPLIVX", "SUPPLIVE");
  std::string bytes = write_pack(parts);
  bytes[8] = 2, says(bytes, "version 2");
  bytes = write_pack(parts), bytes[15] = 127, says(bytes, "parts: more than the file has room for");
  auto wrong = parts;
  wrong[0].modes[2].frequency_hz = -1, says(write_pack(wrong), "part 0, mode 2: frequency_hz");
  wrong = parts, wrong[1].dials.half_life = 0, says(write_pack(wrong), "part 1: half_life");
  wrong = parts, wrong[0].modes[1].transfer[3] = NAN, says(write_pack(wrong), "part 0, mode 1: transfer");
  wrong = parts, wrong[0].modes[1].coriolis[2][0] = INFINITY, says(write_pack(wrong), "part 0: coriolis");
  std::vector<char> block(10);
  supple_live_pack pack;
  bytes = write_pack(parts);
  EXPECT_EQ(supple_live_read(bytes.data(), bytes.size(), block.data(), block.size(), &pack, nullptr, 0),
            SUPPLE_LIVE_TOO_SMALL);
}

}  // namespace
}  // namespace live_test
