#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "supple/base/error.h"
#include "supple/io/gltf/live_binary.h"
#include "tests/io/gltf/live_files.h"

namespace supple {
namespace {

using nlohmann::ordered_json;

LiveBlock some_block(const Scratch& dir) {
  const LiveCase c(dir.path("in.glb"));
  LiveBlock block{c.pack, {{{0, 1}}, {{0, 4}, {1, 0}}}, "supple test"};
  block.pack.gravity = {0.1, -1.0 / 3, 9};
  for (LivePart& part : block.pack.parts) {
    for (LiveMode& mode : part.modes) mode.shape = {};
  }
  return block;
}

bool optional(const std::string& key) { return key == "coriolis" || key == "force_scale"; }

std::string fault(const std::string& text) {
  try {
    parse_live_json(text, "some.live.json");
  } catch (const InputError& e) {
    EXPECT_EQ(e.where().file, "some.live.json");
    return e.what();
  }
  return "";
}

TEST(LiveJson, AllComesBackToTheBit) {
  const Scratch dir;
  const LiveBlock block = some_block(dir);
  const std::string text = live_json(block, "x");
  const LiveBlock back = parse_live_json(text, "x");
  EXPECT_EQ(live_json(back, "x"), text);
  EXPECT_EQ(back.generator, "supple test");
  EXPECT_EQ(back.pack.unit, block.pack.unit);
  EXPECT_EQ(back.pack.gravity, block.pack.gravity);
  ASSERT_EQ(back.pack.parts.size(), 2u);
  for (size_t p = 0; p < 2; ++p) {
    const LivePart &a = block.pack.parts[p], &b = back.pack.parts[p];
    EXPECT_EQ(a.name, b.name);
    EXPECT_EQ(a.bone, b.bone);
    EXPECT_EQ(a.node, b.node);
    EXPECT_EQ(a.rest_gravity, b.rest_gravity);
    const auto numbers = [](const LivePart& x) {
      return std::vector<double>{
          x.size,        x.cut_m,           x.cut_rad,         x.force_limit, x.angular_force_limit, x.weight_limit,
          x.force_scale, x.dials.frequency, x.dials.amplitude, x.dials.sag,   x.dials.half_life};
    };
    EXPECT_EQ(numbers(a), numbers(b));
    EXPECT_EQ(a.dials.sustained, b.dials.sustained);
    ASSERT_EQ(a.modes.size(), b.modes.size());
    for (size_t m = 0; m < a.modes.size(); ++m) {
      EXPECT_EQ(a.modes[m].name, b.modes[m].name);
      const auto values = [](const LiveMode& x) {
        return std::vector<double>{x.frequency_hz, x.decay, x.mass, x.reach, x.share, x.correction ? 1.0 : 0.0};
      };
      EXPECT_EQ(values(a.modes[m]), values(b.modes[m]));
      EXPECT_EQ(a.modes[m].transfer, b.modes[m].transfer);
      EXPECT_EQ(a.modes[m].centrifugal, b.modes[m].centrifugal);
      EXPECT_EQ(a.modes[m].coriolis, b.modes[m].coriolis);
    }
    ASSERT_EQ(block.targets[p].size(), back.targets[p].size());
    for (size_t t = 0; t < block.targets[p].size(); ++t) {
      EXPECT_EQ(block.targets[p][t].mesh, back.targets[p][t].mesh);
      EXPECT_EQ(block.targets[p][t].first, back.targets[p][t].first);
    }
  }
  EXPECT_NE(block.pack.parts[0].dials.sustained, block.pack.parts[1].dials.sustained);
  write_live_json(dir.path("some.live.json"), block);
  EXPECT_EQ(live_json(read_live(dir.path("some.live.json")), "x"), text);
}

// Walks a value beside its schema: keys of objects, both ways; numbers within bounds; lists as long as they may be.
class Schema {
 public:
  explicit Schema(ordered_json whole) : whole_(std::move(whole)) {}
  std::vector<std::string> faults;

  void walk(const ordered_json& value) { walk(value, whole_, "block"); }

 private:
  void say(const std::string& place, const std::string& what) { faults.push_back(place + ": " + what); }

  void walk(const ordered_json& value, ordered_json schema, const std::string& place) {
    if (schema.contains("$ref"))
      schema = whole_.at(ordered_json::json_pointer(schema["$ref"].get<std::string>().substr(1)));
    if (schema.contains("const") && value != schema["const"]) say(place, "another value");
    if (schema.contains("enum") &&
        std::find(schema["enum"].begin(), schema["enum"].end(), value) == schema["enum"].end())
      say(place, "not in the list");
    const std::string type = schema.value("type", "");
    const bool fits = type.empty() || (type == "object" && value.is_object()) ||
                      (type == "array" && value.is_array()) || (type == "string" && value.is_string()) ||
                      (type == "boolean" && value.is_boolean()) || (type == "number" && value.is_number()) ||
                      (type == "integer" && value.is_number_integer());
    if (!fits) return say(place, "should be " + type);
    if (value.is_object()) {
      for (const auto& [key, inner] : value.items()) {
        if (!schema["properties"].contains(key)) {
          say(place + "." + key, "not in the schema");
        } else {
          walk(inner, schema["properties"][key], place + "." + key);
        }
      }
      for (const auto& [key, inner] : schema["properties"].items()) {
        if (!value.contains(key)) say(place + "." + key, "never written");
        const auto& required = schema["required"];
        const bool must = std::find(required.begin(), required.end(), key) != required.end();
        if (must == optional(key)) say(place + "." + key, "required or not");
      }
    }
    if (value.is_array()) {
      if (value.size() < schema.value("minItems", size_t{0}) || value.size() > schema.value("maxItems", SIZE_MAX))
        say(place, "too few or too many");
      for (size_t i = 0; i < value.size(); ++i) walk(value[i], schema["items"], place + "[]");
    }
    if (value.is_number()) {
      if (value < schema.value("minimum", -INFINITY)) say(place, "too small");
      if (value <= schema.value("exclusiveMinimum", -INFINITY)) say(place, "too small");
    }
  }

  const ordered_json whole_;
};

ordered_json schema_file() {
  std::ifstream in(SUPPLE_SOURCE_DIR "/docs/reference/live-pack.schema.json");
  return ordered_json::parse(in);
}

TEST(LiveJson, KeysAreThoseOfTheSchema) {
  const Scratch dir;
  LiveBlock block = some_block(dir);
  for (LivePart& part : block.pack.parts) {
    for (LiveMode& mode : part.modes) mode.coriolis.assign(part.modes.size(), {1, 2, 3});
  }
  const ordered_json json = ordered_json::parse(live_json(block, "x"));
  Schema good(schema_file());
  good.walk(json);
  EXPECT_EQ(good.faults, std::vector<std::string>{});

  // The walk itself finds what is wrong.
  auto faults_of = [](const ordered_json& j) {
    Schema schema(schema_file());
    schema.walk(j);
    return schema.faults;
  };
  ordered_json other = json;
  other["parts"][0]["colour"] = 1;
  EXPECT_EQ(faults_of(other), std::vector<std::string>{"block.parts[].colour: not in the schema"});
  other = json;
  other["parts"][1]["modes"][0].erase("mass");
  EXPECT_EQ(faults_of(other), std::vector<std::string>{"block.parts[].modes[].mass: never written"});
  other = json;
  other["parts"][1]["modes"][0]["transfer"].push_back(1.0);
  EXPECT_EQ(faults_of(other), std::vector<std::string>{"block.parts[].modes[].transfer: too few or too many"});
}

// Names of all properties.
void names_in(const ordered_json& schema, std::set<std::string>& names) {
  if (!schema.is_structured()) return;
  for (const auto& [key, inner] : schema.items()) {
    if (key == "properties") {
      for (const auto& property : inner.items()) names.insert(property.key());
    }
    names_in(inner, names);
  }
}

TEST(LiveJson, ThePageExplainsEveryKey) {
  std::ifstream in(SUPPLE_SOURCE_DIR "/docs/reference/live-pack.md");
  const std::string page(std::istreambuf_iterator<char>(in), {});
  std::set<std::string> names;
  names_in(schema_file(), names);
  EXPECT_GE(names.size(), 35u);
  for (const std::string& name : names) EXPECT_NE(page.find("`" + name + "`"), std::string::npos) << name;
}

// Every key of every object: without it and with a value of another kind the reader says where.
void break_each(const ordered_json& whole, const ordered_json::json_pointer& at, const std::string& place, int* count) {
  const ordered_json value = whole.at(at);
  if (value.is_object()) {
    for (const auto& [key, inner] : value.items()) {
      const std::string name = place.empty() ? key : place + "." + key;
      if (!optional(key)) {
        ordered_json without = whole;
        without.at(at).erase(key);
        EXPECT_NE(fault(without.dump()).find("(" + name + ")"), std::string::npos) << name << fault(without.dump());
      }
      break_each(whole, at / key, name, count);
    }
  } else if (value.is_array()) {
    for (size_t i = 0; i < value.size(); ++i) break_each(whole, at / i, place + "[" + std::to_string(i) + "]", count);
  }
  if (place.empty()) return;
  ordered_json with = whole;
  with.at(at) = value.is_boolean() || value.is_object() || value.is_array() ? ordered_json("x") : ordered_json(true);
  EXPECT_NE(fault(with.dump()).find("(" + place + ")"), std::string::npos) << place << ": " << fault(with.dump());
  ++*count;
}

TEST(LiveJson, FaultsAreNamedWithTheirPlace) {
  const Scratch dir;
  const ordered_json good = ordered_json::parse(live_json(some_block(dir), "x"));
  EXPECT_EQ(fault(good.dump()), "");
  int count = 0;
  break_each(good, ordered_json::json_pointer(""), "", &count);
  EXPECT_GT(count, 200);
  auto expect = [&](const char* pointer, const ordered_json& value, const std::vector<std::string>& words) {
    ordered_json bad = good;
    bad[ordered_json::json_pointer(pointer)] = value;
    for (const std::string& word : words)
      EXPECT_NE(fault(bad.dump()).find(word), std::string::npos) << pointer << ": " << fault(bad.dump());
  };
  expect("/version", 2, {"version 2"});
  expect("/unit", 0, {"unit", "more than 0"});
  expect("/parts", ordered_json::array(), {"no part"});
  expect("/parts/1/name", "belly", {"parts[1].name", "twice"});
  expect("/parts/0/node", -1, {"parts[0].node"});
  expect("/parts/0/node", 1.5, {"parts[0].node", "whole"});
  expect("/parts/0/node", 1e12, {"parts[0].node", "whole"});
  expect("/parts/0/cut_m", 0, {"parts[0].cut_m"});
  expect("/parts/0/dials/frequency", -1, {"parts[0].dials.frequency"});
  expect("/parts/0/dials/motion", "both", {"parts[0].dials.motion", "neither"});
  expect("/parts/0/modes", ordered_json::array(), {"parts[0].modes", "no mode"});
  expect("/parts/0/modes/2/mass", 0, {"parts[0].modes[2].mass"});
  expect("/parts/0/modes/2/decay", -0.1, {"parts[0].modes[2].decay"});
  expect("/parts/0/modes/2/name", "belly 1", {"parts[0].modes[2].name", "twice"});
  expect("/parts/0/modes/2/transfer", {1, 2, 3}, {"parts[0].modes[2].transfer", "6 numbers"});
  expect("/parts/0/modes/0/coriolis", {{1, 2, 3}}, {"parts[0].modes[0].coriolis", "1 rows for 3 modes"});
  // Unknown keys are passed over.
  ordered_json more = good;
  more["parts"][0]["colour"] = "red";
  EXPECT_EQ(fault(more.dump()), "");
}

// The blocks that runtimes are tested with.
TEST(LiveJson, TestVectorsHaveGoodBlocks) {
  const std::filesystem::path folder = SUPPLE_SOURCE_DIR "/docs/reference/live-vectors";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "there are no vectors";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".json") continue;
    std::ifstream in(entry.path());
    const ordered_json vectors = ordered_json::parse(in);
    const LiveBlock block = parse_live_json(vectors["block"].dump(), entry.path());
    const size_t n_modes = block.pack.parts.at(vectors["part"].get<size_t>()).modes.size();
    ASSERT_EQ(vectors["frames"].size(), vectors["weights"].size()) << entry.path();
    for (const ordered_json& weights : vectors["weights"]) EXPECT_EQ(weights.size(), n_modes) << entry.path();
  }
}

TEST(LiveJson, CutFilesAreRefused) {
  const Scratch dir;
  const std::string text = live_json(some_block(dir), "x");
  for (size_t n = 0; n < text.size(); n += 7) EXPECT_NE(fault(text.substr(0, n)), "") << n;
  EXPECT_NE(fault(text + "}"), "");
  EXPECT_NE(fault("[]"), "");
  EXPECT_NE(fault("{\"version\": 1e999}"), "");
  EXPECT_THROW(read_live(dir.path("none.live.json")), InputError);
  const std::string glb = dir.get("in.glb");
  EXPECT_THROW(read_live(dir.path("in.glb")), InputError);  // has no pack
  for (const size_t n : {size_t{3}, size_t{4}, size_t{19}, size_t{20}, size_t{25}, size_t{400}})
    EXPECT_THROW(read_live(dir.put("cut.glb", glb.substr(0, n))), InputError) << n;
  LiveBlock bad = some_block(dir);
  bad.pack.parts[1].modes[0].transfer[3] = NAN;
  EXPECT_THROW(write_live_json(dir.path("bad.live.json"), bad), InputError);
  bad = some_block(dir);
  bad.targets.pop_back();
  EXPECT_THROW(live_json(bad, ""), InputError);
}

// Written out by hand from the layout in the C runtime's header.
TEST(LiveBinary, BytesAreThoseOfTheLayout) {
  const Scratch dir;
  LiveBlock block = some_block(dir);
  block.pack.parts[1].modes[0].coriolis.clear();
  block.pack.parts[1].modes[1].coriolis.clear();
  auto f = [](std::initializer_list<double> list) {
    std::string out;
    for (const double x : list) out += bytes_of(static_cast<float>(x), false);
    return out;
  };
  auto u = [](unsigned x) { return bytes_of<uint32_t>(x, false); };
  auto text = [](const std::string& s) {
    std::string out = bytes_of(static_cast<uint16_t>(s.size()), false) + s;
    while (out.size() % 4 != 0) out += '\0';
    return out;
  };
  std::string wanted = "SUPPLIVE" + u(1) + u(2) + f({0.01, 0.1, -1.0 / 3, 9});
  for (size_t p = 0; p < 2; ++p) {
    const LivePart& part = block.pack.parts[p];
    const auto n = static_cast<unsigned>(part.modes.size());
    wanted += text(part.name) + text("Tip") + u(static_cast<unsigned>(part.node));
    wanted += f({0.5, -9, 1, 0.4, 0.5, 1.5, 200, 900, 3, part.force_scale, 1.5, 0.5, 0.25, 2});
    wanted += u(p == 0 ? 3 : 0) + u(p == 0 ? 1 : 2) + u(n);  // even nodes are sustained; only the belly has coriolis
    wanted += p == 0 ? u(0) + u(1) : u(0) + u(4) + u(1) + u(0);
    for (const LiveMode& m : part.modes) {
      wanted += text(m.name) + f({m.frequency_hz, m.decay, m.mass, m.reach, m.share}) + u(m.correction ? 1 : 0);
      for (const double x : m.transfer) wanted += f({x});
      for (const double x : m.centrifugal) wanted += f({x});
    }
    for (unsigned i = 0; p == 0 && i < n; ++i) {
      for (unsigned l = 0; l < n; ++l) wanted += i < 2 ? f({0.1 * i, 0.2 * l, -0.3}) : f({0, 0, 0});
    }
  }
  EXPECT_EQ(live_binary(block, "x"), wanted);
  write_live_binary(dir.path("some.live"), block);
  EXPECT_EQ(dir.get("some.live"), wanted);
  block.pack.parts[0].modes[0].transfer[1] = 1e39;
  EXPECT_THROW(live_binary(block, "x"), InputError);
  block = some_block(dir);
  block.pack.parts[0].bone = std::string(70000, 'x');
  EXPECT_THROW(live_binary(block, "x"), InputError);
}

}  // namespace
}  // namespace supple
