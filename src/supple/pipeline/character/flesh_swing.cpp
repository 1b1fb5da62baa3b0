#include "supple/pipeline/character/flesh_swing.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>

#include "supple/tune/carried_motion.h"

namespace supple::pipeline {

namespace {

constexpr size_t kWatched = 256;     // of a region, that its swing is judged by
constexpr size_t kHandful = 12;      // fewer vertices than that cannot tell how they bend: they follow
constexpr double kMostInertia = 12;  // for a cage that is far stiffer somewhere than the one swings were chosen on
constexpr double kOfReach = 0.2;     // a swing that thin flesh bears
constexpr double kNotGiven = std::numeric_limits<double>::quiet_NaN();

}  // namespace

std::vector<int> some_of(const std::vector<int>& vertices, size_t most) {
  std::vector<int> some;
  const double step = std::max(1.0, static_cast<double>(vertices.size()) / static_cast<double>(most));
  for (double at = 0; at < static_cast<double>(vertices.size()); at += step)
    some.push_back(vertices[static_cast<size_t>(at)]);
  return some;
}

namespace {

// Per entry the first of those that it hangs together with.
std::vector<int> pieces_of_entries(const Model& model, const Parts& parts, const SwingGroups& groups) {
  std::vector<int> first(groups.entries.size());
  std::iota(first.begin(), first.end(), 0);
  const auto top = [&](int e) {
    while (first[e] != e) e = first[e] = first[first[e]];
    return e;
  };
  for (const Tet& tet : model.mesh().tets) {
    int last = -1;
    for (int v : tet) {
      const int part = parts.of_vertex[static_cast<size_t>(v)];
      const int e = part < 0 ? -1 : groups.of_part[static_cast<size_t>(part)];
      if (e < 0) continue;
      if (last >= 0) first[std::max(top(last), top(e))] = std::min(top(last), top(e));
      last = e;
    }
  }
  for (int& e : first) e = top(e);
  return first;
}

}  // namespace

SwingGroups swing_groups(const Model& model, const SoftSkin& skin, const Parts& parts,
                         const std::vector<const FleshConfig*>& of_part) {
  SwingGroups out;
  std::map<const FleshConfig*, std::vector<int>> seen;
  for (size_t p = 0; p < skin.carrier.size(); ++p)
    if (const int part = parts.of_vertex[static_cast<size_t>(skin.carrier[p])]; part >= 0)
      seen[of_part[static_cast<size_t>(part)]].push_back(static_cast<int>(p));
  const bool all_small =
      std::all_of(parts.list.begin(), parts.list.end(), [](const Part& p) { return p.vertices.size() < kHandful; });
  for (size_t k = 0; k < parts.list.size(); ++k) {
    const FleshConfig* f = of_part[k];
    out.of_part.push_back(-1);
    if (!f || !seen.contains(f) || (parts.list[k].vertices.size() < kHandful && !all_small)) continue;
    const auto it = std::find(out.entries.begin(), out.entries.end(), f);
    out.of_part.back() = static_cast<int>(it - out.entries.begin());
    if (it == out.entries.end()) {
      out.entries.push_back(f), out.vertices.emplace_back();
      out.points.push_back(seen.at(f));
    }
    std::vector<int>& mine = out.vertices[static_cast<size_t>(out.of_part.back())];
    mine.insert(mine.end(), parts.list[k].vertices.begin(), parts.list[k].vertices.end());
  }
  const std::vector<int> piece = pieces_of_entries(model, parts, out);
  for (size_t e = 0; e < out.entries.size(); ++e) {
    std::vector<double> own(out.entries.size(), 0);
    own[e] = 1;
    const std::vector<int>& watched = out.watched.emplace_back(some_of(out.points[e], kWatched));
    std::vector<double> reach;
    for (int p : watched) reach.push_back(skin.reach[static_cast<size_t>(p)]);
    out.regions.push_back({.weight = inertia_field(model, parts, out, own),
                           .watched = only(skin.blend, watched),
                           .reach = std::move(reach),
                           .piece = piece[e]});
  }
  return out;
}

VecX inertia_field(const Model& model, const Parts& parts, const SwingGroups& groups,
                   const std::vector<double>& inertia) {
  std::vector<double> of_part;
  for (int e : groups.of_part) of_part.push_back(e < 0 ? 0 : inertia[static_cast<size_t>(e)]);
  return smooth_on_vertices(model.mesh(), parts, of_part);
}

double share_of_swing(double swing, const Flesh& flesh) { return swing / (kBrisk * flesh.height); }

double usual_swing(const SceneConfig& config, const Flesh& flesh, double reach) {
  if (!(reach > 0)) return 0;
  // Thin flesh too goes further where further is asked for.
  const double more = config.material.swing / MaterialConfig().swing;
  return std::min(MaterialConfig().swing * flesh.height / reach, kOfReach) * more;
}

std::vector<double> inertia_for_swings(const GivingWay& way, const Flesh& flesh, const std::vector<double>& swing,
                                       std::vector<double> given) {
  std::vector<double> wanted;
  for (double s : swing) wanted.push_back(share_of_swing(s, flesh));
  given.resize(wanted.size(), kNotGiven);
  return way.inertia_for(wanted, std::vector<double>(wanted.size(), kMostInertia), given);
}

VecX inertia_for_swings(const SceneConfig& config, const Flesh& flesh, const Model& model, const SoftSkin& skin,
                        const Parts& parts, const std::vector<const FleshConfig*>& of_part) {
  const SwingGroups groups = swing_groups(model, skin, parts, of_part);
  const GivingWay way(model, groups.regions, config.solver.linear);
  std::vector<double> swing, given;
  for (size_t e = 0; e < groups.entries.size(); ++e) {
    const FleshConfig& f = *groups.entries[e];
    swing.push_back(f.swing.value_or(usual_swing(config, flesh, percentile(groups.regions[e].reach, 0.5))));
    given.push_back(f.inertia.value_or(kNotGiven));
  }
  return inertia_field(model, parts, groups, inertia_for_swings(way, flesh, swing, given));
}

}  // namespace supple::pipeline
