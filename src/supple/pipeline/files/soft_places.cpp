#include "supple/pipeline/files/soft_places.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "supple/attach/body_words.h"
#include "supple/attach/reach.h"
#include "supple/base/error.h"
#include "supple/base/printable.h"
#include "supple/pipeline/character/character_subject.h"
#include "supple/pipeline/character/flesh_plan.h"
#include "supple/pipeline/job/job.h"
#include "supple/sim/damped_modes.h"
#include "supple/sim/parts.h"

namespace supple::pipeline {

namespace {

constexpr double kHardlySoft = 0.02;  // of a word's skin: what has less of it free is not listed

class Finder {
 public:
  explicit Finder(const SceneConfig& scene) : scene_(scene) {
    setup_ = set_up_character(scene, scene.surface.clip);
    out_.character = setup_;
    const CharacterSubject subject(scene, setup_);
    flesh_ = scene.flesh.empty() ? subject.plan(scene).flesh : scene.flesh;
    SceneConfig ready = scene;
    ready.flesh = flesh_;
    body_ = ready_body(ready, subject);
    areas_ = vertex_areas(setup_->skin);
    reach_ = reach_of(setup_->cage.mesh, setup_->flesh);
    out_.warnings = setup_->warnings;
    list();
  }
  SoftPlaces take() { return std::move(out_); }

 private:
  void list() {
    Places places = places_of(scene_, *setup_);
    const Flesh& flesh = setup_->flesh;
    const auto first_named = flesh.regions.size() - places.regions().size();
    for (size_t r = 0; r < flesh.regions.size(); ++r)
      add({.name = flesh.regions[r].name,
           .kind = r < first_named ? "flesh" : "region",
           .other = {},
           .on_skin = skin_of_flesh(static_cast<int>(r))},
          {static_cast<int>(r)});
    const PlaceNames& names = places.names();
    for (size_t k = 0; k < names.pairs().size(); ++k) {
      const auto& [left, right] = names.plan().twins[k];
      const std::string &a = setup_->drawn.bones[left].name, &b = setup_->drawn.bones[right].name;
      const int ra = flesh_named(a), rb = flesh_named(b);
      if (ra < 0 || rb < 0) continue;
      std::vector<char> on = skin_of_flesh(ra);
      const std::vector<char> other = skin_of_flesh(rb);
      for (size_t i = 0; i < on.size(); ++i) on[i] = on[i] || other[i];
      add({.name = names.pairs()[k], .kind = "pair", .other = {a, b}, .on_skin = std::move(on)}, {ra, rb});
    }
    for (const BodyWord& w : body_words()) {
      SoftPlace place{.name = w.word, .kind = "word", .other = {}, .on_skin = skin_of({&w}, places.plan())};
      for (const char* other : w.others) place.other.emplace_back(other);
      if (free_share(place.on_skin) >= kHardlySoft) add(std::move(place), {});
    }
  }

  int flesh_named(const std::string& name) const {
    const auto& regions = setup_->flesh.regions;
    for (size_t r = 0; r < regions.size(); ++r)
      if (regions[r].name == name) return static_cast<int>(r);
    return -1;
  }
  std::vector<char> skin_of_flesh(int region) const {
    std::vector<char> on;
    for (const int t : setup_->cage.tet) on.push_back(setup_->flesh.region[static_cast<size_t>(t)] == region);
    return on;
  }
  double free_share(const std::vector<char>& on) const {
    double n = 0, free = 0;
    for (size_t i = 0; i < on.size(); ++i) n += on[i], free += on[i] && setup_->flesh.skin_softness[i] > 0;
    return n > 0 ? free / n : 0;
  }

  // regions: of the flesh, that it is; empty: what lies below its skin.
  void add(SoftPlace place, const std::vector<int>& regions) {
    const CharacterSetup& c = *setup_;
    double soft = 0, here = 0, all = 0;
    for (size_t i = 0; i < place.on_skin.size(); ++i) {
      all += areas_[i];
      if (!place.on_skin[i]) continue;
      ++place.vertices, here += areas_[i], soft += areas_[i] * c.flesh.skin_softness[i];
    }
    place.soft = here > 0 ? soft / here : 0;
    place.share = all > 0 ? here / all : 0;
    const std::vector<char> tets = tets_of(place, regions);
    measure(tets, place);
    place.swing_m = swing_of(tets);
    out_.list.push_back(std::move(place));
  }

  std::vector<char> tets_of(const SoftPlace& place, const std::vector<int>& regions) const {
    Flesh flesh = setup_->flesh;
    if (regions.empty()) put_regions({{place.name, place.on_skin}}, setup_->cage.mesh, setup_->skin, flesh);
    std::vector<char> in;
    for (const int r : flesh.region)
      in.push_back(regions.empty() ? r == static_cast<int>(flesh.regions.size()) - 1
                                   : std::find(regions.begin(), regions.end(), r) != regions.end());
    return in;
  }

  // Thickness, and the slowest swing of its heaviest piece about the shape that it hangs in.
  void measure(const std::vector<char>& tets, SoftPlace& place) const {
    const AdjustedBody& body = *body_->adjusted;
    const Model& model = *body.model;
    double half = 0, weight = 0;
    const std::vector<double> volumes = tet_volumes(setup_->cage.mesh);
    for (size_t t = 0; t < tets.size(); ++t)
      for (const int v : setup_->cage.mesh.tets[t])
        if (tets[t]) {
          const double w = std::abs(volumes[t]) * setup_->flesh.softness[static_cast<size_t>(v)];
          half += w * setup_->flesh.half_thickness[static_cast<size_t>(v)], weight += w;
        }
    place.thickness_m = weight > 0 ? 2 * half / weight : 0;
    PartGroups groups;
    groups.names = {place.name};
    groups.group.assign(static_cast<size_t>(model.mesh().n_tets()), -1);
    for (size_t t = 0; t < tets.size() && t < groups.group.size(); ++t)
      if (tets[t]) groups.group[t] = 0;
    const Parts parts = split_into_parts(model, groups);
    const auto heaviest =
        std::find_if(parts.list.begin(), parts.list.end(), [](const Part& p) { return p.group == 0 && !p.shared; });
    if (heaviest == parts.list.end()) return;
    std::vector<int> kept;
    const Model alone = held_around(model, heaviest->vertices, &kept);
    VecX hanging;
    if (body.hanging.size() > 0) {
      hanging = VecX::Zero(3 * alone.n_vertices());
      for (size_t v = 0; v < kept.size(); ++v)
        if (kept[v] >= 0) hanging.segment<3>(3 * static_cast<Eigen::Index>(v)) = body.hanging.segment<3>(3 * kept[v]);
    }
    const Modes modes = natural_modes(alone, 1, scene_.solver.linear, hanging);
    if (modes.frequencies_hz.size() == 0 || !(modes.frequencies_hz[0] > 0)) return;
    place.frequency_hz = modes.frequencies_hz[0];
    const double rate = 0.5 * damping_matrix(alone, modes.shapes.leftCols(1), hanging)(0, 0);
    if (rate > 0) place.half_life_s = std::numbers::ln2 / rate;
  }

  std::optional<double> swing_of(const std::vector<char>& tets) const {
    const Flesh& flesh = setup_->flesh;
    double sum = 0, weight = 0;
    for (size_t t = 0; t < tets.size(); ++t) {
      if (!tets[t] || flesh.region[t] < 0) continue;
      const std::string& name = flesh.regions[static_cast<size_t>(flesh.region[t])].name;
      const auto entry =
          std::find_if(flesh_.begin(), flesh_.end(), [&](const FleshConfig& f) { return f.bone == name; });
      if (entry == flesh_.end() || !entry->swing) continue;
      for (const int v : setup_->cage.mesh.tets[t]) {
        const double w = flesh.softness[static_cast<size_t>(v)];
        sum += w * *entry->swing * reach_[static_cast<size_t>(v)], weight += w;
      }
    }
    if (!(weight > 0)) return std::nullopt;
    return sum / weight;
  }

  const SceneConfig& scene_;
  std::shared_ptr<const CharacterSetup> setup_;
  std::vector<FleshConfig> flesh_;
  std::shared_ptr<const ReadyBody> body_;
  std::vector<double> reach_, areas_;  // per tet vertex; per skin vertex
  SoftPlaces out_;
};

std::string number_or_dash(const std::optional<double>& x, const char* format, double times = 1) {
  return x ? fmt::format(fmt::runtime(format), times * *x) : "-";
}

}  // namespace

SoftPlaces find_soft_places(const SceneConfig& scene) { return Finder(scene).take(); }

std::string soft_places_text(const SoftPlaces& places) {
  size_t width = 10;
  for (const SoftPlace& p : places.list) width = std::max(width, p.name.size());
  width = std::min<size_t>(width, 40);
  std::string text = fmt::format("{:<{}}  {:<6} {:>7} {:>6} {:>9} {:>6} {:>9} {:>8}\n", "name", width, "kind",
                                 "of skin", "soft", "thickness", "Hz", "half-life", "swing");
  for (const SoftPlace& p : places.list) {
    text +=
        fmt::format("{:<{}}  {:<6} {:>5.1f} % {:>4.0f} % {:>6.0f} mm {:>6} {:>9} {:>8}", printable(p.name), width,
                    p.kind, 100 * p.share, 100 * p.soft, 1e3 * p.thickness_m, number_or_dash(p.frequency_hz, "{:.2f}"),
                    number_or_dash(p.half_life_s, "{:.2f} s"), number_or_dash(p.swing_m, "{:.0f} mm", 1e3));
    if (!p.other.empty())
      text += "  " + printable(p.kind == "pair" ? fmt::format("{}", fmt::join(p.other, " and "))
                                                : fmt::format("or {}", fmt::join(p.other, ", ")));
    text += '\n';
  }
  text +=
      "flesh: as bones lead it; region: of the scene; pair: both sides; word: by the shape of the body, left or right "
      "of a pair with .L or .R\n"
      "Hz, half-life: slowest swing with all else held, measured; swing: in a brisk walk, as chosen, before the dials\n"
      "Names go to --only, --hold and --region NAME:amplitude=2, and to [attach] only, hold and [[region]] name, "
      "bones\n";
  return text;
}

Json soft_places_json(const SoftPlaces& places) {
  Json j;
  j["height_m"] = places.character->flesh.height;
  j["skin_vertices"] = places.character->skin.vertices.size();
  j["places"] = Json(Json::Array{});
  const auto put = [](Json& to, const char* key, const std::optional<double>& x) {
    if (x) to[key] = *x;
  };
  for (const SoftPlace& p : places.list) {
    Json one;
    one["name"] = p.name, one["kind"] = p.kind;
    if (!p.other.empty()) one[p.kind == "pair" ? "sides" : "also"] = Json::list(p.other);
    one["vertices"] = p.vertices, one["share"] = p.share, one["soft"] = p.soft, one["thickness_m"] = p.thickness_m;
    put(one, "frequency_hz", p.frequency_hz), put(one, "half_life_s", p.half_life_s), put(one, "swing_m", p.swing_m);
    j["places"].push_back(one);
  }
  j["warnings"] = places.warnings.empty() ? Json(Json::Array{}) : Json::list(places.warnings);
  return j;
}

}  // namespace supple::pipeline
