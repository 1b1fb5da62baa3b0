#include "supple/pipeline/live/choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <set>

namespace supple::pipeline::live {

namespace {

bool inside(const LivePartConfig& part, const Vec3& x) {
  if (part.shape.empty()) return true;
  const Vec3 degrees = part.rotation.value_or(Vec3::Zero()) * (std::numbers::pi / 180);
  const Quat turn = Eigen::AngleAxisd(degrees[2], Vec3::UnitZ()) * Eigen::AngleAxisd(degrees[1], Vec3::UnitY()) *
                    Eigen::AngleAxisd(degrees[0], Vec3::UnitX());
  const Vec3 p = turn.inverse() * (x - *part.centre), &s = *part.size;
  if (part.shape == "ellipsoid") return p.cwiseQuotient(s).squaredNorm() <= 1;
  if (part.shape == "box") return (p.cwiseAbs().array() <= s.array()).all();
  const double along = std::max(0.0, std::abs(p[1]) - s[1]);
  return Vec3(p[0], along, p[2]).norm() <= s[0];
}

class Chooser {
 public:
  Chooser(const Job& job, const CharacterSetup& c, std::vector<std::string>& warnings)
      : job_(job), c_(c), mesh_(c_.cage.mesh), warnings_(warnings) {
    free_.assign(mesh_.vertices.size(), 1);
    for (int v : job.body->base.driven) free_[v] = 0;
    soft_.assign(mesh_.tets.size(), 0);
    of_tet_.assign(mesh_.tets.size(), -1);
    for (int t = 0; t < mesh_.n_tets(); ++t)
      for (int v : mesh_.tets[t]) soft_[t] = soft_[t] || free_[v];
  }

  std::vector<ChosenPart> choose() {
    std::vector<ChosenPart> parts;
    if (job_.config.live_parts.empty())
      every_region(parts);
    else
      by_config(parts);
    for (size_t k = 0; k < parts.size(); ++k) finish(parts, k);
    blend(parts);
    std::erase_if(parts, [&](const ChosenPart& p) { return p.tets.empty(); });
    if (parts.empty())
      throw InputError(
          {.file = job_.config.surface.file.text}, "no part of it is soft enough for a live pack",
          "paint what is soft and name the map in [attach] soft; softness.png of a take of supple run shows what is");
    return parts;
  }

 private:
  std::string region_of(int tet) const {
    const int r = c_.flesh.region[tet];
    return r < 0 ? "" : c_.flesh.regions[r].name;
  }

  void every_region(std::vector<ChosenPart>& parts) {
    std::set<std::string> taken;
    for (size_t r = 0; r < c_.flesh.regions.size(); ++r) {
      ChosenPart p;
      p.name = p.region = c_.flesh.regions[r].name;
      // Bones may share a name, parts may not.
      for (int n = 2; !taken.insert(p.name).second; ++n) p.name = fmt::format("{} {}", p.region, n);
      take(parts, std::move(p), [&](int t) { return c_.flesh.region[t] == static_cast<int>(r); });
    }
  }

  void by_config(std::vector<ChosenPart>& parts) {
    std::vector<std::string> names;
    for (const FleshRegion& r : c_.flesh.regions) names.push_back(r.name);
    for (size_t k = 0; k < job_.config.live_parts.size(); ++k) {
      const LivePartConfig& config = job_.config.live_parts[k];
      const std::string key = fmt::format("live.part.{}.", k);
      for (const ChosenPart& other : parts)
        if (other.name == config.name)
          throw InputError(job_.config.locate(key + "name"), fmt::format("there are two live parts '{}'", config.name),
                           "Give each a name of its own.");
      if (!config.region.empty() && std::find(names.begin(), names.end(), config.region) == names.end())
        throw InputError(job_.config.locate(key + "region"), fmt::format("there is no soft region '{}'", config.region),
                         fmt::format("Regions: {}.", fmt::join(names, ", ")));
      if (!config.shape.empty() && (!config.centre || !config.size || !(config.size->minCoeff() > 0)))
        throw InputError(job_.config.locate(key + "shape"), "a shape needs a centre and a size above 0",
                         "Give centre = [x, y, z] and size = [x, y, z] in metres.");
      ChosenPart p;
      p.name = config.name;
      p.config = &config;
      if (!config.bone.empty()) p.bone = bone_named(config.bone, key + "bone");
      const size_t before = parts.size();
      take(parts, std::move(p), [&](int t) {
        Vec3 middle = Vec3::Zero();
        for (int v : mesh_.tets[t]) middle += 0.25 * mesh_.vertices[v];
        return (config.region.empty() || region_of(t) == config.region) && inside(config, middle);
      });
      if (parts.size() == before)
        throw InputError(job_.config.locate(key + "name"), fmt::format("'{}' holds no soft flesh", config.name),
                         "Make the shape larger or move it; parts named before it take what they share.");
    }
  }

  int bone_named(const std::string& name, const std::string& key) const {
    const std::vector<Bone>& bones = c_.drawn.bones;
    for (size_t b = 0; b < bones.size(); ++b)
      if (bones[b].name == name) return static_cast<int>(b);
    std::vector<std::string> names;
    for (const Bone& b : bones) names.push_back(b.name);
    const std::string near = nearest_word(name, names.data(), names.data() + names.size());
    throw InputError(job_.config.locate(key), fmt::format("there is no bone '{}'", name),
                     near.empty() ? fmt::format("Bones: {}.", fmt::join(names, ", ")) : "Did you mean " + near + "?");
  }

  template <class Belongs>
  void take(std::vector<ChosenPart>& parts, ChosenPart part, const Belongs& belongs) {
    bool any = false;
    for (int t = 0; t < mesh_.n_tets(); ++t)
      if (soft_[t] && of_tet_[t] < 0 && belongs(t)) of_tet_[t] = static_cast<int>(parts.size()), any = true;
    if (any) parts.push_back(std::move(part));
  }

  // Its tets and those of neighbours that it reaches into.
  void finish(std::vector<ChosenPart>& parts, size_t k) {
    ChosenPart& part = parts[k];
    std::vector<char> in(mesh_.tets.size(), 0), touched(mesh_.vertices.size(), 0);
    std::map<std::string, int> regions;
    for (int t = 0; t < mesh_.n_tets(); ++t)
      if (of_tet_[t] == static_cast<int>(k)) in[t] = 1, ++regions[region_of(t)];
    for (const auto& [name, count] : regions)
      if (part.region.empty() || count > regions[part.region]) part.region = name;
    for (int ring = 0; ring < job_.config.live.blend; ++ring) {
      std::fill(touched.begin(), touched.end(), 0);
      for (int t = 0; t < mesh_.n_tets(); ++t)
        for (int v : mesh_.tets[t])
          if (in[t]) touched[v] = 1;
      for (int t = 0; t < mesh_.n_tets(); ++t)
        for (int v : mesh_.tets[t])
          if (touched[v] && of_tet_[t] >= 0) in[t] = 1;
    }
    // What nothing outside of it and no bone holds is no part of it, nor is what cannot move.
    std::vector<char> outside(mesh_.vertices.size(), 0);
    for (int t = 0; t < mesh_.n_tets(); ++t)
      for (int v : mesh_.tets[t])
        if (!in[t]) outside[v] = 1;
    bool moves = false;
    for (int t = 0; t < mesh_.n_tets(); ++t)
      for (int v : mesh_.tets[t]) moves = moves || (in[t] && free_[v] && !outside[v]);
    if (!moves) {
      warnings_.push_back(fmt::format("live part '{}' is too thin to move: left out", part.name));
      return;
    }
    for (int t = 0; t < mesh_.n_tets(); ++t)
      if (in[t]) part.tets.push_back(t);
    if (part.bone < 0) part.bone = carrier(part, outside);
  }

  // The bone with most weight on what holds the part.
  int carrier(const ChosenPart& part, const std::vector<char>& outside) const {
    std::vector<double> weight(c_.drawn.bones.size(), 0);
    std::vector<char> seen(mesh_.vertices.size(), 0);
    const SkinWeights& skin = c_.flesh.points.skin;
    for (int t : part.tets)
      for (int v : mesh_.tets[t]) {
        if (seen[v]) continue;
        seen[v] = 1;
        const double counts = !free_[v] ? 1 : outside[v] ? 0.3 : 0.01;
        for (int k = skin.first[v]; k < skin.first[v + 1]; ++k) weight[skin.bone[k]] += counts * skin.weight[k];
      }
    // A region that is named after its bone rides on it.
    const std::string& named = part.config ? part.config->region : part.name;
    for (size_t b = 0; b < weight.size(); ++b)
      if (c_.drawn.bones[b].name == named && weight[b] > 0) return static_cast<int>(b);
    return static_cast<int>(std::max_element(weight.begin(), weight.end()) - weight.begin());
  }

  // Where parts meet their motions fade into each other: shares that sum to one, smooth over the rings they share.
  void blend(std::vector<ChosenPart>& parts) {
    const size_t n = mesh_.vertices.size();
    std::vector<std::vector<double>> share(parts.size(), std::vector<double>(n, 0));
    std::vector<double> around(n, 0);
    for (int t = 0; t < mesh_.n_tets(); ++t)
      for (int v : mesh_.tets[t])
        if (of_tet_[t] >= 0) share[of_tet_[t]][v] += 1, around[v] += 1;
    for (auto& s : share)
      for (size_t v = 0; v < n; ++v) s[v] = around[v] > 0 ? s[v] / around[v] : 0;
    for (int ring = 0; ring < job_.config.live.blend; ++ring)
      for (auto& s : share) {
        std::vector<double> sum(n, 0), count(n, 0);
        for (int t = 0; t < mesh_.n_tets(); ++t) {
          if (of_tet_[t] < 0) continue;
          double mean = 0;
          for (int v : mesh_.tets[t]) mean += 0.25 * s[v];
          for (int v : mesh_.tets[t]) sum[v] += mean, count[v] += 1;
        }
        for (size_t v = 0; v < n; ++v)
          if (count[v] > 0) s[v] = sum[v] / count[v];
      }
    for (size_t k = 0; k < parts.size(); ++k) {
      parts[k].shown.assign(n, 0);
      for (size_t v = 0; v < n; ++v) {
        double all = 0;
        for (const auto& s : share) all += s[v];
        if (all > 0) parts[k].shown[v] = share[k][v] / all;
      }
    }
  }

  const Job& job_;
  const CharacterSetup& c_;
  const TetMesh& mesh_;
  std::vector<std::string>& warnings_;
  std::vector<char> free_, soft_;
  std::vector<int> of_tet_;
};

}  // namespace

std::vector<ChosenPart> choose_live_parts(const Job& job, const CharacterSetup& c, std::vector<std::string>& warnings) {
  return Chooser(job, c, warnings).choose();
}

}  // namespace supple::pipeline::live
