#include "vector_file.h"

#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace live_test {
namespace {

using Json = nlohmann::ordered_json;

Json list(const Vec3& v) { return {v.x(), v.y(), v.z()}; }
Vec3 vec3(const Json& j) { return {j.at(0).get<double>(), j.at(1).get<double>(), j.at(2).get<double>()}; }

Json write_dials(const ReferenceDials& d) {
  return {{"frequency", d.frequency},
          {"amplitude", d.amplitude},
          {"sag", d.sag},
          {"half_life", d.half_life},
          {"motion", d.sustained ? "sustained" : "impulse"}};
}

ReferenceDials read_dials(const Json& j) {
  return {j.at("frequency"), j.at("amplitude"), j.at("sag"), j.at("half_life"), j.at("motion") == "sustained"};
}

Json write_part(const ReferencePart& p) {
  Json modes = Json::array();
  for (const auto& m : p.modes) {
    Json mode = {
        {"name", m.name},   {"frequency_hz", m.frequency_hz}, {"decay", m.decay}, {"mass", m.mass}, {"reach", m.reach},
        {"share", m.share}, {"correction", m.correction}};
    mode["transfer"] = m.transfer, mode["centrifugal"] = m.centrifugal;
    if (!m.coriolis.empty()) mode["coriolis"] = m.coriolis;
    modes.push_back(mode);
  }
  return {{"name", p.name},
          {"bone", p.bone},
          {"node", p.node},
          {"rest_gravity", list(p.rest_gravity)},
          {"size", p.size},
          {"cut_m", p.cut_m},
          {"cut_rad", p.cut_rad},
          {"force_limit", p.force_limit},
          {"angular_force_limit", p.angular_force_limit},
          {"weight_limit", p.weight_limit},
          {"dials", write_dials(p.dials)},
          {"targets", Json::array({{{"mesh", 0}, {"first", 0}}})},
          {"modes", modes}};
}

ReferencePart read_part(const Json& j) {
  ReferencePart p;
  p.name = j.at("name"), p.bone = j.at("bone"), p.node = j.at("node");
  p.rest_gravity = vec3(j.at("rest_gravity"));
  p.size = j.at("size"), p.cut_m = j.at("cut_m"), p.cut_rad = j.at("cut_rad");
  p.force_limit = j.at("force_limit"), p.angular_force_limit = j.at("angular_force_limit");
  p.weight_limit = j.at("weight_limit");
  p.dials = read_dials(j.at("dials"));
  for (const Json& mode : j.at("modes")) {
    ReferenceMode m;
    m.name = mode.at("name");
    m.frequency_hz = mode.at("frequency_hz"), m.decay = mode.at("decay"), m.mass = mode.at("mass");
    m.transfer = mode.at("transfer"), m.centrifugal = mode.at("centrifugal");
    if (mode.contains("coriolis")) m.coriolis = mode.at("coriolis").get<std::vector<std::array<double, 3>>>();
    p.modes.push_back(m);
  }
  return p;
}

}  // namespace

VectorFile load_vectors(const std::string& path) {
  std::ifstream in(path);
  if (!in) throw std::runtime_error("cannot read " + path);
  const Json j = Json::parse(in);
  VectorFile file;
  file.part = read_part(j.at("block").at("parts").at(j.at("part").get<size_t>()));
  const Json& s = j.at("settings");
  file.settings.dials = read_dials(s);
  file.settings.gravity = vec3(s.at("gravity"));
  file.settings.use_gravity = s.at("use_gravity"), file.settings.centrifugal = s.at("centrifugal");
  file.settings.coriolis = s.at("coriolis"), file.settings.force_scale = s.at("force_scale");
  file.settings.active = s.at("active_modes");
  for (const Json& f : j.at("frames")) {
    const Json& r = f.at("rotation");
    Frame frame;
    frame.dt = f.at("dt"), frame.pose.position = vec3(f.at("position"));
    frame.pose.rotation.coeffs() << r.at(0).get<double>(), r.at(1).get<double>(), r.at(2).get<double>(),
        r.at(3).get<double>();
    file.frames.push_back(frame);
  }
  file.weights = j.at("weights").get<std::vector<std::vector<double>>>();
  return file;
}

void save_vectors(const std::string& path, const VectorFile& file) {
  const Json block = {{"version", 1},
                      {"generator", "supple"},
                      {"unit", 1},
                      {"gravity", list(file.settings.gravity)},
                      {"parts", Json::array({write_part(file.part)})}};
  Json settings = write_dials(file.settings.dials);
  settings["gravity"] = list(file.settings.gravity);
  settings["use_gravity"] = file.settings.use_gravity, settings["centrifugal"] = file.settings.centrifugal;
  settings["coriolis"] = file.settings.coriolis, settings["force_scale"] = file.settings.force_scale;
  settings["active_modes"] = file.settings.active < 0 ? int(file.part.modes.size()) : file.settings.active;
  const std::string part_file = path + ".part";
  std::ofstream out(part_file);
  // One line a frame and a row of weights: small, and readable beside one another.
  out << "{\n\"block\": " << block.dump(1) << ",\n\"part\": 0,\n\"settings\": " << settings.dump()
      << ",\n\"frames\": [";
  for (size_t i = 0; i < file.frames.size(); ++i) {
    const auto& f = file.frames[i];
    const auto& q = f.pose.rotation;
    const Json line = {{"dt", f.dt}, {"position", list(f.pose.position)}, {"rotation", {q.x(), q.y(), q.z(), q.w()}}};
    out << (i ? ",\n" : "\n") << line.dump();
  }
  out << "],\n\"weights\": [";
  for (size_t i = 0; i < file.weights.size(); ++i) out << (i ? ",\n" : "\n") << Json(file.weights[i]).dump();
  out << "]\n}\n";
  out.close();
  if (!out || std::rename(part_file.c_str(), path.c_str()) != 0) throw std::runtime_error("cannot write " + path);
}

}  // namespace live_test
