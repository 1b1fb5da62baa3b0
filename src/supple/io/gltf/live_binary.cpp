#include "supple/io/gltf/live_binary.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "supple/base/error.h"
#include "supple/io/output_file.h"

namespace supple {

namespace {

class LivePacker {
 public:
  explicit LivePacker(const std::string& file) : file_(file) {}

  void place(std::string where) { place_ = std::move(where); }
  template <class T>
  void raw(T value) {
    value = in_order(value, std::endian::little);
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void count(size_t n) { raw(static_cast<uint32_t>(n)); }
  void real(double x) {
    if (!(std::abs(x) <= static_cast<double>(std::numeric_limits<float>::max()))) {
      fail(fmt::format("{} does not fit into single precision", x));
    }
    raw(static_cast<float>(x));
  }
  template <class List>
  void reals(const List& list) {
    for (const double x : list) real(x);
  }
  void text(const std::string& s) {
    if (s.size() > std::numeric_limits<uint16_t>::max()) fail("a name is longer than 65535 bytes");
    raw(static_cast<uint16_t>(s.size()));
    bytes_ += s;
    bytes_.resize((bytes_.size() + 3) / 4 * 4, '\0');
  }
  void plain(std::string_view s) { bytes_ += s; }
  std::string take() { return std::move(bytes_); }

 private:
  [[noreturn]] void fail(const std::string& what) const { throw InputError({file_, 0, 0, place_}, what); }
  const std::string& file_;
  std::string place_, bytes_;
};

void pack_part(LivePacker& out, const LivePart& part, const std::vector<LiveTarget>& targets) {
  bool coriolis = false;
  for (const LiveMode& mode : part.modes) coriolis = coriolis || !mode.coriolis.empty();
  out.text(part.name);
  out.text(part.bone);
  out.raw(int32_t{part.node});
  out.reals(part.rest_gravity);
  for (const double x :
       {part.size, part.cut_m, part.cut_rad, part.force_limit, part.angular_force_limit, part.weight_limit,
        part.force_scale, part.dials.frequency, part.dials.amplitude, part.dials.sag, part.dials.half_life}) {
    out.real(x);
  }
  out.raw(uint32_t{part.dials.sustained ? 1u : 0u} | (coriolis ? 2u : 0u));
  out.count(targets.size());
  out.count(part.modes.size());
  for (const LiveTarget& t : targets) {
    out.raw(int32_t{t.mesh});
    out.raw(int32_t{t.first});
  }
  for (const LiveMode& mode : part.modes) {
    out.text(mode.name);
    for (const double x : {mode.frequency_hz, mode.decay, mode.mass, mode.reach, mode.share}) out.real(x);
    out.raw(uint32_t{mode.correction ? 1u : 0u});
    out.reals(mode.transfer);
    out.reals(mode.centrifugal);
  }
  // The table is whole or absent; a mode without its row feels nothing of it.
  for (const LiveMode& mode : part.modes) {
    for (size_t l = 0; coriolis && l < part.modes.size(); ++l) {
      out.reals(mode.coriolis.empty() ? std::array<double, 3>{} : mode.coriolis[l]);
    }
  }
}

}  // namespace

std::string live_binary(const LiveBlock& block, const std::string& file) {
  require_live_block(block, file);
  LivePacker out(file);
  out.plain("SUPPLIVE");
  out.count(kLiveVersion);
  out.count(block.pack.parts.size());
  out.place("unit");
  out.real(block.pack.unit);
  out.reals(block.pack.gravity);
  for (size_t p = 0; p < block.pack.parts.size(); ++p) {
    out.place(fmt::format("parts[{}]", p));
    pack_part(out, block.pack.parts[p], block.targets[p]);
  }
  return out.take();
}

void write_live_binary(const std::string& path, const LiveBlock& block) { write_text(path, live_binary(block, path)); }

}  // namespace supple
