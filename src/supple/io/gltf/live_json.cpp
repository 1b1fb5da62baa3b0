#include "supple/io/gltf/live_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <set>

#include "supple/base/error.h"
#include "supple/base/hash.h"
#include "supple/io/gltf/gltf_file.h"
#include "supple/io/input_file.h"
#include "supple/io/output_file.h"

namespace supple {

namespace {

using nlohmann::ordered_json;

constexpr const char* kExtras = "supple_live";
const char* const kWriteAgain = "Write the pack again.";

// A value and where it is; every step inwards says what is missing or of the wrong kind.
class Reader {
 public:
  Reader(const ordered_json& json, const std::string& file, std::string place)
      : json_(json), file_(file), place_(std::move(place)) {}

  bool has(const char* key) const { return json_.is_object() && json_.contains(key); }
  Reader at(const char* key) const {
    if (!json_.is_object()) fail("an object is expected here");
    const std::string place = place_.empty() ? key : place_ + "." + key;
    if (!json_.contains(key)) Reader(json_, file_, place).fail("it is missing");
    return {json_[key], file_, place};
  }
  std::vector<Reader> list() const {
    if (!json_.is_array()) fail("a list is expected here");
    std::vector<Reader> items;
    for (size_t i = 0; i < json_.size(); ++i) items.push_back({json_[i], file_, fmt::format("{}[{}]", place_, i)});
    return items;
  }
  double number() const {
    if (!json_.is_number()) fail("a number is expected here");
    return json_.get<double>();
  }
  int whole() const {
    const double x = number();
    if (!(x >= 0 && x <= 2147483647.0 && x == std::floor(x))) fail("a whole number from 0 on is expected here");
    return static_cast<int>(x);
  }
  std::string text() const {
    if (!json_.is_string()) fail("a text is expected here");
    return json_.get<std::string>();
  }
  bool truth() const {
    if (!json_.is_boolean()) fail("true or false is expected here");
    return json_.get<bool>();
  }
  template <size_t n>
  std::array<double, n> numbers() const {
    const std::vector<Reader> items = list();
    if (items.size() != n) fail(fmt::format("{} numbers are expected here, not {}", n, items.size()));
    std::array<double, n> out{};
    for (size_t i = 0; i < n; ++i) out[i] = items[i].number();
    return out;
  }
  Vec3 vector() const {
    const std::array<double, 3> x = numbers<3>();
    return {x[0], x[1], x[2]};
  }
  [[noreturn]] void fail(const std::string& what) const { throw InputError({file_, 0, 0, place_}, what, kWriteAgain); }

 private:
  const ordered_json& json_;
  const std::string& file_;
  std::string place_;
};

LiveMode read_mode(const Reader& r) {
  LiveMode mode;
  mode.name = r.at("name").text();
  mode.frequency_hz = r.at("frequency_hz").number();
  mode.decay = r.at("decay").number();
  mode.mass = r.at("mass").number();
  mode.reach = r.at("reach").number();
  mode.share = r.at("share").number();
  mode.correction = r.at("correction").truth();
  mode.transfer = r.at("transfer").numbers<6>();
  mode.centrifugal = r.at("centrifugal").numbers<6>();
  if (r.has("coriolis")) {
    for (const Reader& row : r.at("coriolis").list()) mode.coriolis.push_back(row.numbers<3>());
  }
  return mode;
}

LivePart read_part(const Reader& r) {
  LivePart part;
  part.name = r.at("name").text();
  part.bone = r.at("bone").text();
  part.node = r.at("node").whole();
  part.rest_gravity = r.at("rest_gravity").vector();
  if (r.has("force_scale")) part.force_scale = r.at("force_scale").number();
  part.size = r.at("size").number();
  part.cut_m = r.at("cut_m").number();
  part.cut_rad = r.at("cut_rad").number();
  part.force_limit = r.at("force_limit").number();
  part.angular_force_limit = r.at("angular_force_limit").number();
  part.weight_limit = r.at("weight_limit").number();
  const Reader dials = r.at("dials");
  part.dials.frequency = dials.at("frequency").number();
  part.dials.amplitude = dials.at("amplitude").number();
  part.dials.sag = dials.at("sag").number();
  part.dials.half_life = dials.at("half_life").number();
  const std::string motion = dials.at("motion").text();
  if (motion != "impulse" && motion != "sustained") dials.at("motion").fail("this is neither impulse nor sustained");
  part.dials.sustained = motion == "sustained";
  for (const Reader& mode : r.at("modes").list()) part.modes.push_back(read_mode(mode));
  return part;
}

LiveBlock read_block(const ordered_json& json, const std::string& file, const std::string& place) {
  const Reader r(json, file, place);
  const int version = r.at("version").whole();
  if (version != kLiveVersion) {
    throw InputError({file, 0, 0, "version"}, fmt::format("this is version {}; only {} is read", version, kLiveVersion),
                     "Write the pack again, with this version of the program.");
  }
  LiveBlock block;
  block.generator = r.at("generator").text();
  block.pack.unit = r.at("unit").number();
  block.pack.gravity = r.at("gravity").vector();
  for (const Reader& part : r.at("parts").list()) {
    block.pack.parts.push_back(read_part(part));
    std::vector<LiveTarget>& targets = block.targets.emplace_back();
    for (const Reader& t : part.at("targets").list()) targets.push_back({t.at("mesh").whole(), t.at("first").whole()});
  }
  require_live_block(block, file);
  return block;
}

ordered_json parsed(std::string_view text, const std::string& file) {
  try {
    return ordered_json::parse(text);
  } catch (const ordered_json::parse_error& error) {
    throw InputError({file, 0, 0, fmt::format("byte {}", error.byte)}, "this is not JSON", kWriteAgain);
  } catch (const ordered_json::exception&) {
    throw InputError({file, 0, 0, ""}, "a number is too large", kWriteAgain);
  }
}

// The first part of a .glb is its JSON.
std::string_view json_of_glb(const std::string& content, const std::string& file) {
  uint32_t length = 0;
  if (content.size() >= 20) std::memcpy(&length, content.data() + 12, sizeof length);
  length = in_order(length, std::endian::little);
  if (content.size() < 20 || length > content.size() - 20 || content.compare(16, 4, "JSON") != 0) {
    throw InputError({file, 0, 0, "header"}, "the JSON part does not fit into the file", "The file may be truncated.");
  }
  return std::string_view(content).substr(20, length);
}

ordered_json json_of(const Vec3& v) { return {v[0], v[1], v[2]}; }

ordered_json json_of(const LiveMode& mode) {
  ordered_json j = {{"name", mode.name},
                    {"frequency_hz", mode.frequency_hz},
                    {"decay", mode.decay},
                    {"mass", mode.mass},
                    {"reach", mode.reach},
                    {"share", mode.share},
                    {"correction", mode.correction},
                    {"transfer", mode.transfer},
                    {"centrifugal", mode.centrifugal}};
  if (!mode.coriolis.empty()) j["coriolis"] = mode.coriolis;
  return j;
}

ordered_json json_of(const LivePart& part, const std::vector<LiveTarget>& targets) {
  ordered_json j = {{"name", part.name},
                    {"bone", part.bone},
                    {"node", part.node},
                    {"rest_gravity", json_of(part.rest_gravity)},
                    {"force_scale", part.force_scale},
                    {"size", part.size},
                    {"cut_m", part.cut_m},
                    {"cut_rad", part.cut_rad},
                    {"force_limit", part.force_limit},
                    {"angular_force_limit", part.angular_force_limit},
                    {"weight_limit", part.weight_limit},
                    {"dials",
                     {{"frequency", part.dials.frequency},
                      {"amplitude", part.dials.amplitude},
                      {"sag", part.dials.sag},
                      {"half_life", part.dials.half_life},
                      {"motion", part.dials.sustained ? "sustained" : "impulse"}}},
                    {"targets", ordered_json::array()},
                    {"modes", ordered_json::array()}};
  for (const LiveTarget& t : targets) j["targets"].push_back({{"mesh", t.mesh}, {"first", t.first}});
  for (const LiveMode& mode : part.modes) j["modes"].push_back(json_of(mode));
  return j;
}

// Numbers of a block, each with the key that is at fault.
class BlockRequirements {
 public:
  BlockRequirements(const LiveBlock& block, const std::string& file) : block_(block), file_(file) {}

  void check() const {
    above("unit", block_.pack.unit);
    finite("gravity", block_.pack.gravity);
    if (block_.pack.parts.empty()) fail("parts", "there is no part");
    if (block_.targets.size() != block_.pack.parts.size()) {
      fail("parts",
           fmt::format("{} parts, but lists of targets for {}", block_.pack.parts.size(), block_.targets.size()));
    }
    std::set<std::string> names;
    for (size_t p = 0; p < block_.pack.parts.size(); ++p) {
      const LivePart& part = block_.pack.parts[p];
      const std::string place = fmt::format("parts[{}].", p);
      if (part.name.empty()) fail(place + "name", "a name is needed");
      if (!names.insert(part.name).second) fail(place + "name", fmt::format("'{}' is there twice", part.name));
      check(part, place);
      for (size_t t = 0; t < block_.targets[p].size(); ++t) {
        const LiveTarget& target = block_.targets[p][t];
        if (target.mesh < 0 || target.first < 0) fail(fmt::format("{}targets[{}]", place, t), "it is below 0");
      }
    }
  }

 private:
  [[noreturn]] void fail(const std::string& place, const std::string& what) const {
    throw InputError({file_, 0, 0, place}, what, kWriteAgain);
  }
  void finite(const std::string& place, const Vec3& x) const {
    if (!x.allFinite()) fail(place, "it is not finite");
  }
  template <size_t n>
  void finite(const std::string& place, const std::array<double, n>& x) const {
    if (!std::all_of(x.begin(), x.end(), [](double v) { return std::isfinite(v); })) fail(place, "it is not finite");
  }
  void from_0(const std::string& place, double x) const {
    if (!(x >= 0 && std::isfinite(x))) fail(place, fmt::format("it should be at least 0, not {}", x));
  }
  void above(const std::string& place, double x) const {
    if (!(x > 0 && std::isfinite(x))) fail(place, fmt::format("it should be more than 0, not {}", x));
  }

  void check(const LivePart& part, const std::string& place) const {
    if (part.node < 0) fail(place + "node", "a node is needed");
    finite(place + "rest_gravity", part.rest_gravity);
    from_0(place + "force_scale", part.force_scale);
    from_0(place + "size", part.size);
    above(place + "cut_m", part.cut_m);
    above(place + "cut_rad", part.cut_rad);
    from_0(place + "force_limit", part.force_limit);
    from_0(place + "angular_force_limit", part.angular_force_limit);
    from_0(place + "weight_limit", part.weight_limit);
    above(place + "dials.frequency", part.dials.frequency);
    from_0(place + "dials.amplitude", part.dials.amplitude);
    from_0(place + "dials.sag", part.dials.sag);
    above(place + "dials.half_life", part.dials.half_life);
    if (part.modes.empty()) fail(place + "modes", "there is no mode");
    std::set<std::string> names;
    for (size_t m = 0; m < part.modes.size(); ++m) {
      const LiveMode& mode = part.modes[m];
      const std::string at = fmt::format("{}modes[{}].", place, m);
      if (mode.name.empty()) fail(at + "name", "a name is needed");
      if (!names.insert(mode.name).second) fail(at + "name", fmt::format("'{}' is there twice", mode.name));
      above(at + "frequency_hz", mode.frequency_hz);
      from_0(at + "decay", mode.decay);
      above(at + "mass", mode.mass);
      from_0(at + "reach", mode.reach);
      from_0(at + "share", mode.share);
      finite(at + "transfer", mode.transfer);
      finite(at + "centrifugal", mode.centrifugal);
      if (!mode.coriolis.empty() && mode.coriolis.size() != part.modes.size()) {
        fail(at + "coriolis", fmt::format("{} rows for {} modes", mode.coriolis.size(), part.modes.size()));
      }
      for (size_t l = 0; l < mode.coriolis.size(); ++l) finite(fmt::format("{}coriolis[{}]", at, l), mode.coriolis[l]);
    }
  }

  const LiveBlock& block_;
  const std::string& file_;
};

}  // namespace

void require_live_block(const LiveBlock& block, const std::string& file) { BlockRequirements(block, file).check(); }

std::string live_json(const LiveBlock& block, const std::string& file, int indent) {
  require_live_block(block, file);
  ordered_json j = {{"version", kLiveVersion},
                    {"generator", block.generator.empty() ? std::string("supple ") + version() : block.generator},
                    {"unit", block.pack.unit},
                    {"gravity", json_of(block.pack.gravity)},
                    {"parts", ordered_json::array()}};
  for (size_t p = 0; p < block.pack.parts.size(); ++p)
    j["parts"].push_back(json_of(block.pack.parts[p], block.targets[p]));
  // A name that is not UTF-8 must not stop the writing: its odd bytes are replaced.
  return j.dump(indent, ' ', false, ordered_json::error_handler_t::replace);
}

LiveBlock parse_live_json(const std::string& text, const std::string& file) {
  return read_block(parsed(text, file), file, "");
}

void write_live_json(const std::string& path, const LiveBlock& block) {
  write_text(path, live_json(block, path, 1) + "\n");
}

LiveBlock read_live(const std::string& path) {
  const std::string content = read_whole_file(path, "");
  const bool binary = content.compare(0, 4, "glTF") == 0;
  const ordered_json whole = parsed(binary ? json_of_glb(content, path) : std::string_view(content), path);
  if (!binary && !(whole.is_object() && whole.contains("asset"))) return read_block(whole, path, "");
  const ordered_json extras = whole.is_object() ? whole.value("extras", ordered_json()) : ordered_json();
  if (!extras.is_object() || !extras.contains(kExtras)) {
    throw InputError({path, 0, 0, "extras"}, "the file has no live pack", "Make one from it first.");
  }
  return read_block(extras[kExtras], path, std::string("extras.") + kExtras);
}

}  // namespace supple
