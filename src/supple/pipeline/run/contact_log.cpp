#include "supple/pipeline/run/contact_log.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "supple/contact/crossings.h"
#include "supple/mesh/winding_number.h"

namespace supple::pipeline {

namespace {

constexpr size_t kNamed = 4;  // of what is tangled

std::vector<std::array<int, 2>> ranges_of(const std::vector<int>& frames) {
  std::vector<std::array<int, 2>> out;
  for (int f : frames) {
    if (!out.empty() && f <= out.back()[1] + 1)
      out.back()[1] = std::max(out.back()[1], f);
    else
      out.push_back({f, f});
  }
  return out;
}

std::string list_of(const std::vector<std::string>& names) {
  std::vector<std::string> some(names.begin(), names.begin() + static_cast<long>(std::min(names.size(), kNamed)));
  std::string text = fmt::format("{}", fmt::join(some, ", "));
  if (names.size() > kNamed) text += fmt::format(" and {} more", names.size() - kNamed);
  return text;
}

}  // namespace

std::string frame_ranges(const std::vector<int>& frames) {
  std::vector<std::string> words;
  for (const auto& [from, to] : ranges_of(frames))
    words.push_back(from == to ? std::to_string(from) : fmt::format("{}-{}", from, to));
  return fmt::format("{}", fmt::join(words, ", "));
}

ContactWatch::ContactWatch(const ContactSetup& setup) : setup_(setup), broad_(setup.model->contact()->shape()) {}

void ContactWatch::add(const StepReport& step) {
  const ContactCount& c = step.contact;
  now_.pairs = std::max(now_.pairs, c.pairs);
  now_.tangled = std::max(now_.tangled, c.tangled);
  now_.let_go = std::max(now_.let_go, c.let_go);
  now_.least_gap = std::min(now_.least_gap, c.least_gap);
  now_.deepest = std::max(now_.deepest, c.deepest);
}

void ContactWatch::drop_frame() { now_ = {}; }

Points ContactWatch::places(const State& state) const {
  const ContactSurface& surface = *setup_.model->contact();
  return surface.places(state.u, setup_.obstacles ? setup_.obstacles->at(state.t) : surface.obstacle_rest());
}

void ContactWatch::begin(const State& state) {
  const ContactSurface& surface = *setup_.model->contact();
  const ContactShape& shape = surface.shape();
  const Points x = places(state);
  std::set<std::array<int, 2>> pairs;
  const auto note = [&](int a, int b) {
    if (a != b) pairs.insert({std::min(a, b), std::max(a, b)});
  };
  for (const Crossing& c : find_crossings(shape, x, broad_))
    note(surface.body()[shape.edges[c.edge][0]], surface.body()[shape.triangles[c.triangle][0]]);
  // Whole bodies inside others cross nothing.
  const auto n = static_cast<int>(setup_.model->spec().contact.bodies.size());
  std::vector<std::vector<Tri>> triangles(static_cast<size_t>(n));
  for (const Tri& t : shape.triangles) triangles[static_cast<size_t>(surface.body()[t[0]])].push_back(t);
  for (int a = 0; a < n; ++a) {
    const WindingNumber around(x, triangles[static_cast<size_t>(a)]);
    for (int b = 0; b < n; ++b)
      if (b != a && !triangles[static_cast<size_t>(b)].empty() &&
          around(x[triangles[static_cast<size_t>(b)][0][0]]) > 0.5)
        note(a, b);
  }
  begun_inside_.assign(pairs.begin(), pairs.end());
  for (size_t k = 0; k < surface.planes().size(); ++k) {
    std::set<int> below;
    for (size_t i = 0; i < x.size(); ++i)
      if (!shape.fixed[i] && surface.planes()[k].normal.dot(x[i]) < surface.planes()[k].offset)
        below.insert(surface.body()[i]);
    for (int b : below) begun_inside_.push_back({b, -1 - static_cast<int>(k)});
  }
}

// What passes through what at the end of the frame.
std::vector<int> ContactWatch::tangled_names(const State& state) {
  const ContactSurface& surface = *setup_.model->contact();
  std::vector<int> names;
  for (const Crossing& c : find_crossings(surface.shape(), places(state), broad_)) {
    names.push_back(setup_.name_of[static_cast<size_t>(surface.shape().edges[c.edge][0])]);
    names.push_back(setup_.name_of[static_cast<size_t>(surface.shape().triangles[c.triangle][0])]);
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

void ContactWatch::end_frame(int frame, const State& state) {
  if (now_.pairs > pairs_max_) pairs_max_ = now_.pairs, busiest_ = frame;
  least_gap_ = std::min(least_gap_, now_.least_gap);
  deepest_ = std::max(deepest_, now_.deepest);
  if (now_.tangled > 0 || now_.let_go > 0) {
    Frame f{.frame = frame, .let_go = now_.let_go, .tangled = {}};
    if (now_.tangled > 0) f.tangled = tangled_names(state);
    if (now_.tangled > 0 && f.tangled.empty()) f.tangled = {-1};
    frames_.push_back(std::move(f));
  }
  now_ = {};
}

void ContactWatch::put(Checkpoint& c) const {
  c.numbers["contact_pairs_max"] = pairs_max_, c.numbers["contact_busiest"] = busiest_;
  c.numbers["contact_least_gap"] = least_gap_;
  c.numbers["contact_deepest"] = deepest_;
  VecX inside(2 * static_cast<Eigen::Index>(begun_inside_.size()));
  for (size_t k = 0; k < begun_inside_.size(); ++k)
    for (size_t i = 0; i < 2; ++i) inside[static_cast<Eigen::Index>(2 * k + i)] = begun_inside_[k][i];
  c.vectors["contact_begun_inside"] = inside;
  std::vector<double> list;
  for (const Frame& f : frames_) {
    list.insert(list.end(), {double(f.frame), double(f.let_go), static_cast<double>(f.tangled.size())});
    list.insert(list.end(), f.tangled.begin(), f.tangled.end());
  }
  c.vectors["contact_frames"] = Eigen::Map<const VecX>(list.data(), static_cast<Eigen::Index>(list.size()));
}

void ContactWatch::get(const Checkpoint& c) {
  pairs_max_ = static_cast<int>(c.numbers.at("contact_pairs_max"));
  busiest_ = static_cast<int>(c.numbers.at("contact_busiest"));
  least_gap_ = c.numbers.at("contact_least_gap");
  deepest_ = c.numbers.at("contact_deepest");
  const VecX& inside = c.vectors.at("contact_begun_inside");
  for (Eigen::Index i = 0; i + 2 <= inside.size(); i += 2)
    begun_inside_.push_back({static_cast<int>(inside[i]), static_cast<int>(inside[i + 1])});
  const VecX& list = c.vectors.at("contact_frames");
  for (Eigen::Index i = 0; i + 3 <= list.size();) {
    Frame f{.frame = static_cast<int>(list[i]), .let_go = static_cast<int>(list[i + 1]), .tangled = {}};
    const auto n = static_cast<Eigen::Index>(list[i + 2]);
    i += 3;
    for (Eigen::Index k = 0; k < n && i < list.size(); ++k) f.tangled.push_back(static_cast<int>(list[i++]));
    frames_.push_back(std::move(f));
  }
}

namespace {

std::string name_at(const ContactSetup& setup, int k) {
  return k < 0 ? "inside one another" : setup.names[static_cast<size_t>(k)];
}

}  // namespace

Json ContactWatch::json() const {
  const ContactSpec& spec = setup_.model->spec().contact;
  Json j = Json::object();
  j["on"] = true;
  j["thickness_m"] = spec.thickness;
  j["friction"] = spec.friction;
  j["self"] = spec.self;
  j["surface"] = setup_.surface;
  j["points"] = spec.anchors.size();
  j["triangles"] = spec.triangles.size();
  j["planes"] = spec.planes.size();
  j["bodies"] = Json::list(spec.bodies);
  j["pairs_max"] = pairs_max_;
  j["busiest_frame"] = busiest_ < 0 ? Json() : Json(busiest_);
  j["least_gap_share"] = least_gap_;
  j["deepest_m"] = deepest_;
  j["tangled_frames"] = Json(Json::Array{});
  j["let_go_frames"] = Json(Json::Array{});
  // Frames one after the other with the same names are one entry.
  const std::vector<int>* before = nullptr;
  int from = 0, to = -2;
  const auto tell = [&] {
    if (!before) return;
    Json one;
    one["from"] = from, one["to"] = to;
    one["where"] = Json(Json::Array{});
    for (int k : *before) one["where"].push_back(name_at(setup_, k));
    j["tangled_frames"].push_back(one);
    before = nullptr;
  };
  std::vector<int> let_go;
  for (const Frame& f : frames_) {
    if (f.let_go > 0) let_go.push_back(f.frame);
    if (f.tangled.empty()) continue;
    if (!before || f.frame != to + 1 || f.tangled != *before) tell(), from = f.frame;
    before = &f.tangled, to = f.frame;
  }
  tell();
  for (const auto& [a, b] : ranges_of(let_go)) j["let_go_frames"].push_back(Json::list(std::array<int, 2>{a, b}));
  return j;
}

std::vector<std::string> ContactWatch::warnings() const {
  std::vector<std::string> out;
  const std::vector<std::string>& bodies = setup_.model->spec().contact.bodies;
  for (const auto& [a, b] : begun_inside_) {
    const std::string& name = bodies[static_cast<size_t>(a)];
    if (b >= 0)
      out.push_back(
          fmt::format("at the start {} and {} are inside one another: give them other places, or they are "
                      "pushed apart as far as that goes",
                      name, bodies[static_cast<size_t>(b)]));
    else
      out.push_back(fmt::format("at the start {} is below plane {}, and is led out", name, -b));
  }
  std::map<std::vector<int>, std::vector<int>> frames_of;  // by what is tangled
  std::vector<int> let_go;
  for (const Frame& f : frames_) {
    if (!f.tangled.empty()) frames_of[f.tangled].push_back(f.frame);
    if (f.tangled.empty() && f.let_go > 0) let_go.push_back(f.frame);
  }
  // Names change from frame to frame: told together, with those met most often first.
  std::map<int, int> times;
  std::vector<int> all;
  for (const auto& [names, frames] : frames_of) {
    for (int k : names) times[k] += static_cast<int>(frames.size());
    all.insert(all.end(), frames.begin(), frames.end());
  }
  std::sort(all.begin(), all.end());
  std::vector<std::pair<int, int>> order;
  for (const auto& [k, n] : times)
    if (k >= 0) order.emplace_back(-n, k);
  std::sort(order.begin(), order.end());
  std::vector<std::string> named;
  for (const auto& [n, k] : order) named.push_back(name_at(setup_, k));
  if (!all.empty())
    out.push_back(
        fmt::format("frame{} {}: parts{} pass through each other, by up to {:.3g} mm; they are led apart "
                    "gently, where what is animated allows it",
                    all.size() > 1 ? "s" : "", frame_ranges(all), named.empty() ? "" : " (" + list_of(named) + ")",
                    1e3 * deepest_));
  if (!let_go.empty())
    out.push_back(fmt::format("frame{} {}: contact was in the way of what is animated and let go in places",
                              let_go.size() > 1 ? "s" : "", frame_ranges(let_go)));
  return out;
}

}  // namespace supple::pipeline
