#include "supple/pipeline/character/plan_bytes.h"

#include <optional>

#include "supple/base/pack.h"

namespace supple::pipeline {

namespace {

// Each type is taken apart as a whole, so that a member that is new and left out does not compile.

template <class Io>
void fields(Io& io, std::optional<double>& x) {
  bool given = x.has_value();
  double value = x.value_or(0);
  io(given), io(value);
  if (given) x = value;
}

template <class Io>
void fields(Io& io, FleshConfig& x) {
  auto& [bone, frequency_hz, half_life_s, swing, inertia] = x;
  io(bone), fields(io, frequency_hz), fields(io, half_life_s), fields(io, swing), fields(io, inertia);
}

template <class Io>
void fields(Io& io, RegionForecast& x) {
  auto& [name, swing99] = x;
  io(name), io(swing99);
}

template <class Io>
void fields(Io& io, ClipForecast& x) {
  auto& [clip, run, swing99, held, farthest, regions] = x;
  io(clip), io(run), io(swing99), io(held), io(farthest),
      pack_list(io, regions, [&](RegionForecast& r) { fields(io, r); });
}

template <class Io>
void all_of(Io& io, FleshPlan& plan) {
  pack_list(io, plan.flesh, [&](FleshConfig& f) { fields(io, f); });
  pack_list(io, plan.clips, [&](ClipForecast& c) { fields(io, c); });
}

}  // namespace

std::string pack_plan(FleshPlan plan) {
  Packer pack;
  all_of(pack, plan);
  return pack.take();
}

bool unpack_plan(const std::string& bytes, FleshPlan& plan) {
  Unpacker unpack(bytes);
  all_of(unpack, plan);
  if (unpack.whole()) return !plan.flesh.empty();
  plan = {};
  return false;
}

}  // namespace supple::pipeline
