#include "supple/attach/named_regions.h"

#include <algorithm>

#include "supple/attach/pattern.h"
#include "supple/base/parallel.h"
#include "supple/mesh/bvh.h"
#include "supple/mesh/closest_point.h"
#include "supple/mesh/sides.h"

namespace supple {

namespace {

constexpr double kMost = 0.5;

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& n : names)
    if (text.size() < 400) text += (text.empty() ? "" : ", ") + n;
  return text;
}

class SkinRules {
 public:
  SkinRules(const Drawn& drawn, const std::vector<int>& source) : drawn_(drawn), source_(source) {
    primitive_.assign(source.size(), -1);
    std::vector<int> of_drawn(static_cast<size_t>(drawn.n_vertices()), -1);
    for (size_t p = 0; p < drawn.primitives.size(); ++p)
      for (int v = 0; v < drawn.primitives[p].n_vertices; ++v)
        of_drawn[static_cast<size_t>(drawn.primitives[p].first_vertex + v)] = static_cast<int>(p);
    for (size_t i = 0; i < source.size(); ++i) primitive_[i] = of_drawn[static_cast<size_t>(source[i])];
  }

  bool knows_bone(const std::string& pattern) const {
    return std::any_of(drawn_.bones.begin(), drawn_.bones.end(),
                       [&](const Bone& b) { return matches(pattern, b.name); });
  }

  std::vector<char> skin_of(const RegionRule& rule) const {
    std::vector<char> in(source_.size(), 1);
    if (!rule.bones.empty() || !rule.words.empty()) {
      std::vector<char> on = rule.words;
      on.resize(in.size(), 0);
      if (!rule.bones.empty()) {
        const std::vector<char> led = led_by(rule);
        for (size_t i = 0; i < on.size(); ++i) on[i] = on[i] || led[i];
      }
      keep(in, on);
    }
    if (!rule.place.empty()) keep(in, rule.place);
    for (size_t i = 0; i < rule.map.size(); ++i) in[i] = in[i] && rule.map[i] > kMost;
    const auto named = [&](const std::string& pattern, const char* what, auto&& name) {
      if (pattern.empty()) return;
      std::vector<char> on(source_.size(), 0);
      std::vector<std::string> known;
      for (size_t i = 0; i < source_.size(); ++i) {
        const std::string& own = name(drawn_.primitives[static_cast<size_t>(primitive_[i])]);
        on[i] = matches(pattern, own);
        if (std::find(known.begin(), known.end(), own) == known.end()) known.push_back(own);
      }
      if (std::find(on.begin(), on.end(), 1) == on.end())
        throw InputError(rule.where, std::string("no soft ") + what + " is named \"" + pattern + "\"",
                         "there are: " + listed(known));
      keep(in, on);
    };
    named(rule.material, "material", [](const DrawnPrimitive& p) -> const std::string& { return p.material; });
    named(rule.mesh, "mesh", [](const DrawnPrimitive& p) -> const std::string& { return p.mesh_name; });
    return in;
  }

 private:
  static void keep(std::vector<char>& in, const std::vector<char>& on) {
    for (size_t i = 0; i < in.size(); ++i) in[i] = in[i] && on[i];
  }

  std::vector<char> led_by(const RegionRule& rule) const {
    std::vector<char> mine(drawn_.bones.size(), 0);
    for (const std::string& pattern : rule.bones) {
      bool found = false;
      for (size_t b = 0; b < mine.size(); ++b)
        if (matches(pattern, drawn_.bones[b].name)) mine[b] = 1, found = true;
      if (found) continue;
      std::vector<std::string> known;
      for (const Bone& b : drawn_.bones) known.push_back(b.name);
      throw InputError(rule.where, "no bone is named \"" + pattern + "\"", "the bones are: " + listed(known));
    }
    std::vector<char> on(source_.size(), 0);
    const SkinWeights& w = drawn_.vertices.skin;
    for (size_t i = 0; i < source_.size(); ++i) {
      double sum = 0;
      for (int k = w.first[source_[i]]; k < w.first[source_[i] + 1]; ++k)
        if (mine[static_cast<size_t>(w.bone[k])]) sum += w.weight[k];
      on[i] = sum >= kMost;
    }
    return on;
  }

  const Drawn& drawn_;
  const std::vector<int>& source_;
  std::vector<int> primitive_;  // per skin vertex
};

// By the names of bones, when all of them have another side that is there too.
bool swap_bones(const SkinRules& skin, RegionRule& rule) {
  if (rule.bones.empty() || !rule.map.empty() || !rule.words.empty() || !rule.place.empty()) return false;
  for (std::string& b : rule.bones) {
    const std::string other = other_side(b);
    if (other == b || !skin.knows_bone(other)) return false;
    b = other;
  }
  return true;
}

}  // namespace

std::vector<NamedRegion> regions_on_skin(const std::vector<RegionRule>& rules, const Drawn& drawn, const TriMesh& skin,
                                         const std::vector<int>& skin_source, const Vec3& up) {
  const SkinRules on_skin(drawn, skin_source);
  std::vector<int> images;
  std::vector<NamedRegion> named;
  for (const RegionRule& rule : rules) {
    RegionRule side = rule;
    NamedRegion r{rule.name, {}};
    if (!rule.mirrored || swap_bones(on_skin, side)) {
      r.on_skin = on_skin.skin_of(side);
    } else {
      if (images.empty()) images = mirrored_points(skin.vertices, up);
      const std::vector<char> here = on_skin.skin_of(rule);
      for (const int i : images) r.on_skin.push_back(here[static_cast<size_t>(i)]);
    }
    if (std::find(r.on_skin.begin(), r.on_skin.end(), 1) == r.on_skin.end())
      throw InputError(rule.where, "region '" + rule.name + "' has no skin",
                       "give bones, a map, a material or a mesh that soft pieces of the character have");
    named.push_back(std::move(r));
  }
  return named;
}

void put_regions(const std::vector<NamedRegion>& named, const TetMesh& cage, const TriMesh& skin, Flesh& flesh) {
  if (named.empty()) return;
  std::vector<Box> boxes;
  for (const Tri& t : skin.triangles) {
    Box b{skin.vertices[t[0]], skin.vertices[t[0]]};
    for (int v : t) b.low = b.low.cwiseMin(skin.vertices[v]), b.high = b.high.cwiseMax(skin.vertices[v]);
    boxes.push_back(b);
  }
  const Bvh tree(std::move(boxes));
  const auto first = static_cast<int>(flesh.regions.size());
  const std::vector<int> before = flesh.region;
  flesh.found_region = before;
  parallel_for(cage.tets.size(), 64, [&](size_t begin, size_t end) {
    for (size_t t = begin; t < end; ++t) {
      if (flesh.region[t] < 0) continue;
      const Tet& tet = cage.tets[t];
      const Vec3 middle =
          (cage.vertices[tet[0]] + cage.vertices[tet[1]] + cage.vertices[tet[2]] + cage.vertices[tet[3]]) / 4;
      const auto nearest = tree.closest(middle, [&](int k) {
        const Tri& f = skin.triangles[static_cast<size_t>(k)];
        return (closest_on_triangle(middle, skin.vertices[f[0]], skin.vertices[f[1]], skin.vertices[f[2]]) - middle)
            .squaredNorm();
      });
      const Tri& f = skin.triangles[static_cast<size_t>(nearest.item)];
      for (size_t r = 0; r < named.size(); ++r) {
        const std::vector<char>& on = named[r].on_skin;
        if (on[f[0]] + on[f[1]] + on[f[2]] >= 2) flesh.region[t] = first + static_cast<int>(r);
      }
    }
  });
  std::vector<int> taken(named.size(), 0), trailed(named.size(), 0);
  for (size_t t = 0; t < before.size(); ++t) {
    if (flesh.region[t] < first) continue;
    ++taken[static_cast<size_t>(flesh.region[t] - first)];
    trailed[static_cast<size_t>(flesh.region[t] - first)] += flesh.regions[static_cast<size_t>(before[t])].trailing;
  }
  for (const NamedRegion& r : named) flesh.regions.push_back({r.name, 0, 0});
  // Where most of it trailed it still does.
  for (size_t r = 0; r < named.size(); ++r)
    flesh.regions[static_cast<size_t>(first) + r].trailing = 2 * trailed[r] > taken[r];
  // Counts and thickness of all, with the tets they have now.
  std::vector<double> weight(flesh.regions.size(), 0);
  for (FleshRegion& r : flesh.regions) r.n_free = 0, r.half_thickness = 0;
  const std::vector<double> volumes = tet_volumes(cage);
  std::vector<char> counted(cage.vertices.size(), 0);
  for (size_t t = 0; t < cage.tets.size(); ++t) {
    if (flesh.region[t] < 0) continue;
    FleshRegion& r = flesh.regions[static_cast<size_t>(flesh.region[t])];
    for (int v : cage.tets[t]) {
      const double w = std::abs(volumes[t]) * flesh.softness[v];
      r.half_thickness += w * flesh.half_thickness[v], weight[static_cast<size_t>(flesh.region[t])] += w;
      if (flesh.softness[v] > 0 && !counted[v]) counted[v] = 1, ++r.n_free;
    }
  }
  for (size_t r = 0; r < weight.size(); ++r)
    if (weight[r] > 0) flesh.regions[r].half_thickness /= weight[r];
}

}  // namespace supple
