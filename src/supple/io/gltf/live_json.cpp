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

// Numbers by their keys, in the order of the file.
enum class Least { from_0, above_0 };
template <class T>
struct NumberKey {
  const char* key;
  double T::*number;
  Least least;
  bool may_miss = false;
};
constexpr NumberKey<LiveMode> kModeNumbers[] = {{"frequency_hz", &LiveMode::frequency_hz, Least::above_0},
                                                {"decay", &LiveMode::decay, Least::from_0},
                                                {"mass", &LiveMode::mass, Least::above_0},
                                                {"reach", &LiveMode::reach, Least::from_0},
                                                {"share", &LiveMode::share, Least::from_0}};
constexpr NumberKey<LivePart> kPartNumbers[] = {{"force_scale", &LivePart::force_scale, Least::from_0, true},
                                                {"size", &LivePart::size, Least::from_0},
                                                {"cut_m", &LivePart::cut_m, Least::above_0},
                                                {"cut_rad", &LivePart::cut_rad, Least::above_0},
                                                {"force_limit", &LivePart::force_limit, Least::from_0},
                                                {"angular_force_limit", &LivePart::angular_force_limit, Least::from_0},
                                                {"weight_limit", &LivePart::weight_limit, Least::from_0}};
constexpr NumberKey<LiveDials> kDialNumbers[] = {{"frequency", &LiveDials::frequency, Least::above_0},
                                                 {"amplitude", &LiveDials::amplitude, Least::from_0},
                                                 {"sag", &LiveDials::sag, Least::from_0},
                                                 {"half_life", &LiveDials::half_life, Least::above_0}};

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
  template <class T, size_t n>
  void numbers(const NumberKey<T> (&keys)[n], T& out) const {
    for (const NumberKey<T>& k : keys)
      if (!k.may_miss || has(k.key)) out.*k.number = at(k.key).number();
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
  r.numbers(kModeNumbers, mode);
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
  r.numbers(kPartNumbers, part);
  const Reader dials = r.at("dials");
  dials.numbers(kDialNumbers, part.dials);
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

template <class T, size_t n>
void put_numbers(ordered_json& j, const NumberKey<T> (&keys)[n], const T& from) {
  for (const NumberKey<T>& k : keys) j[k.key] = from.*k.number;
}

ordered_json json_of(const LiveMode& mode) {
  ordered_json j;
  j["name"] = mode.name;
  put_numbers(j, kModeNumbers, mode);
  j["correction"] = mode.correction, j["transfer"] = mode.transfer, j["centrifugal"] = mode.centrifugal;
  if (!mode.coriolis.empty()) j["coriolis"] = mode.coriolis;
  return j;
}

ordered_json json_of(const LivePart& part, const std::vector<LiveTarget>& targets) {
  ordered_json j = {
      {"name", part.name}, {"bone", part.bone}, {"node", part.node}, {"rest_gravity", json_of(part.rest_gravity)}};
  put_numbers(j, kPartNumbers, part);
  put_numbers(j["dials"], kDialNumbers, part.dials);
  j["dials"]["motion"] = part.dials.sustained ? "sustained" : "impulse";
  j["targets"] = ordered_json::array();
  j["modes"] = ordered_json::array();
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
  template <class T, size_t n>
  void numbers(const std::string& place, const NumberKey<T> (&keys)[n], const T& from) const {
    for (const NumberKey<T>& k : keys) {
      const double x = from.*k.number;
      if (k.least == Least::above_0) above(place + k.key, x);
      if (!(x >= 0 && std::isfinite(x))) fail(place + k.key, fmt::format("it should be at least 0, not {}", x));
    }
  }
  void above(const std::string& place, double x) const {
    if (!(x > 0 && std::isfinite(x))) fail(place, fmt::format("it should be more than 0, not {}", x));
  }

  void check(const LivePart& part, const std::string& place) const {
    if (part.node < 0) fail(place + "node", "a node is needed");
    finite(place + "rest_gravity", part.rest_gravity);
    numbers(place, kPartNumbers, part);
    numbers(place + "dials.", kDialNumbers, part.dials);
    if (part.modes.empty()) fail(place + "modes", "there is no mode");
    std::set<std::string> names;
    for (size_t m = 0; m < part.modes.size(); ++m) {
      const LiveMode& mode = part.modes[m];
      const std::string at = fmt::format("{}modes[{}].", place, m);
      if (mode.name.empty()) fail(at + "name", "a name is needed");
      if (!names.insert(mode.name).second) fail(at + "name", fmt::format("'{}' is there twice", mode.name));
      numbers(at, kModeNumbers, mode);
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
