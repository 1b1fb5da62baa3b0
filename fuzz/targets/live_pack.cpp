// NAME.live as games read it: what is accepted is stepped.
#include <cmath>
#include <cstdlib>
#include <vector>

#include "fuzz/target.h"
#include "supple_live.h"

namespace {

// The runtime takes every number that is finite. Of packs with numbers that no body has, only the reading is tried:
// their forces are past what a float holds.
bool is_of_a_body(const supple_live_pack& pack) {
  const auto small = [](const float* values, size_t n) {
    for (size_t k = 0; k < n; ++k)
      if (std::abs(values[k]) > 1e6f) return false;
    return true;
  };
  for (int p = 0; p < pack.part_count; ++p) {
    const supple_live_part& part = pack.parts[p];
    const auto n = static_cast<size_t>(part.mode_count);
    if (!small(part.rest_gravity, 3) || !small(&part.force_scale, 1) || !small(&part.dials.frequency, 4)) return false;
    if (part.weight_limit > 0 && part.weight_limit < 1e-3f) return false;
    if (part.coriolis && !small(part.coriolis, 3 * n * n)) return false;
    for (size_t m = 0; m < n; ++m)
      if (!small(part.modes[m].transfer, 6) || !small(part.modes[m].centrifugal, 6) ||
          !small(&part.modes[m].frequency_hz, 1) || !small(&part.modes[m].decay, 1))
        return false;
  }
  return true;
}

void play(const supple_live_pack& pack) {
  const supple_live_config config = {
      .parts = pack.parts, .part_count = pack.part_count, .instance_count = 1, .gravity = {0, -9.81f, 0}};
  char message[200];
  const size_t size = supple_live_size(&config, message, sizeof message);
  if (size == 0 || size > (size_t{1} << 28)) return;
  std::vector<char> block(size);
  supple_live_world* world = nullptr;
  if (supple_live_init(block.data(), size, &config, &world, message, sizeof message) != SUPPLE_LIVE_OK) return;
  const float turned[4] = {0, 0, 0.0995f, 0.995f};
  for (int step = 0; step < 4; ++step) {
    const float place[3] = {0.1f * static_cast<float>(step), 0, 0};
    supple_live_set_pose(world, 0, place, turned);
    supple_live_step(world, 1.0 / 60);
    const float* weights = supple_live_weights(world, 0);
    for (int m = 0; m < supple_live_mode_count(world, 0); ++m)
      if (!std::isfinite(weights[m])) std::abort();  // a game would draw it
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  char message[200];
  size_t needed = 0;
  if (supple_live_read_size(data, size, &needed, message, sizeof message) != SUPPLE_LIVE_OK) return 0;
  std::vector<char> block(needed);
  supple_live_pack pack;
  if (supple_live_read(data, size, block.data(), needed, &pack, message, sizeof message) != SUPPLE_LIVE_OK)
    std::abort();
  if (is_of_a_body(pack)) play(pack);
  return 0;
}
