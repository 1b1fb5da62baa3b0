#include "supple/pipeline/character/flesh_swing.h"

#include <algorithm>
#include <limits>

#include "supple/pipeline/character/reach.h"
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

double middle_of(const std::vector<double>& values, const std::vector<int>& vertices) {
  std::vector<double> some;
  for (int v : vertices) some.push_back(values[static_cast<size_t>(v)]);
  return percentile(std::move(some), 0.5);
}

SwingGroups swing_groups(const Model& model, const Parts& parts, const std::vector<const FleshConfig*>& of_part) {
  SwingGroups out;
  const bool all_small =
      std::all_of(parts.list.begin(), parts.list.end(), [](const Part& p) { return p.vertices.size() < kHandful; });
  for (size_t k = 0; k < parts.list.size(); ++k) {
    const FleshConfig* f = of_part[k];
    out.of_part.push_back(-1);
    if (!f || (parts.list[k].vertices.size() < kHandful && !all_small)) continue;
    const auto it = std::find(out.entries.begin(), out.entries.end(), f);
    out.of_part.back() = static_cast<int>(it - out.entries.begin());
    if (it == out.entries.end()) out.entries.push_back(f), out.vertices.emplace_back();
    std::vector<int>& mine = out.vertices[static_cast<size_t>(out.of_part.back())];
    mine.insert(mine.end(), parts.list[k].vertices.begin(), parts.list[k].vertices.end());
  }
  for (size_t e = 0; e < out.entries.size(); ++e) {
    std::vector<double> own(out.entries.size(), 0);
    own[e] = 1;
    out.regions.push_back(
        {.weight = inertia_field(model, parts, out, own), .watched = some_of(out.vertices[e], kWatched)});
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

VecX inertia_for_swings(const SceneConfig& config, const Flesh& flesh, const Model& model, const Parts& parts,
                        const std::vector<const FleshConfig*>& of_part) {
  const SwingGroups groups = swing_groups(model, parts, of_part);
  const std::vector<double> reach = reach_of(model.mesh(), flesh);
  const GivingWay way(model, groups.regions, reach, config.solver.linear);
  std::vector<double> wanted, given;
  for (size_t e = 0; e < groups.entries.size(); ++e) {
    const FleshConfig& f = *groups.entries[e];
    const double swing = f.swing ? *f.swing : usual_swing(config, flesh, middle_of(reach, groups.vertices[e]));
    wanted.push_back(share_of_swing(swing, flesh));
    given.push_back(f.inertia.value_or(kNotGiven));
  }
  const std::vector<double> most(wanted.size(), kMostInertia);
  return inertia_field(model, parts, groups, way.inertia_for(wanted, most, given));
}

}  // namespace supple::pipeline
