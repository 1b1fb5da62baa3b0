#include "supple/demos/shapes/draw_character.h"

#include <algorithm>

#include "supple/base/parallel.h"

namespace supple::demos {

namespace {

bool same_bones(const SkinWeights& skin, int a, int b) {
  const auto row = [&](int v) { return std::pair(skin.first[v], skin.first[v + 1]); };
  const auto [a0, a1] = row(a);
  const auto [b0, b1] = row(b);
  if (a1 - a0 != b1 - b0) return false;
  for (int k = 0; k < a1 - a0; ++k)
    if (skin.bone[a0 + k] != skin.bone[b0 + k] || skin.weight[a0 + k] != skin.weight[b0 + k]) return false;
  return true;
}

// Materials by vertex of the welded skin: where two meet, that which is drawn first.
std::vector<std::string> materials(const WeldedSkin& skin) {
  std::vector<std::string> of_drawn;
  for (const DrawnPrimitive& p : skin.drawn.primitives)
    of_drawn.insert(of_drawn.end(), static_cast<size_t>(p.n_vertices), p.material);
  std::vector<std::string> list;
  for (int v : skin.source) list.push_back(of_drawn[v]);
  return list;
}

// Red is flesh, blue follows.
Points soft_colors(const std::vector<double>& soft) {
  Points colors;
  for (double s : soft) colors.push_back({s, 0.25, 1 - s});
  return colors;
}

}  // namespace

WeldedSkin weld(const Character& character) {
  WeldedSkin out;
  out.drawn = lay_out(character);
  const Points& rest = out.drawn.vertices.rest;
  std::map<std::array<double, 3>, std::vector<int>> at;  // welded vertices by place
  for (int v = 0; v < out.drawn.n_vertices(); ++v) {
    std::vector<int>& here = at[{rest[v][0], rest[v][1], rest[v][2]}];
    const auto same = std::find_if(here.begin(), here.end(),
                                   [&](int w) { return same_bones(out.drawn.vertices.skin, out.source[w], v); });
    if (same != here.end()) {
      out.vertex.push_back(*same);
      continue;
    }
    here.push_back(out.size());
    out.vertex.push_back(out.size());
    out.source.push_back(v);
  }
  for (Tri t : out.drawn.triangles) {
    for (int& v : t) v = out.vertex[v];
    out.triangles.push_back(t);
  }
  return out;
}

Reopened reopen(Character character) {
  character.clips.clear();
  for (CharacterMesh& mesh : character.meshes) {
    mesh.weights.clear();
    for (Primitive& p : mesh.primitives) p.targets.clear();
  }
  Reopened out;
  const WeldedSkin welded = weld(character);
  const Drawn& drawn = welded.drawn;
  TriMesh& mesh = out.skin.surface.mesh;
  mesh.triangles = welded.triangles;
  // Joint j is node j.
  out.skin.weights = MatX::Zero(welded.size(), static_cast<Eigen::Index>(character.skins.at(0).joints.size()));
  for (int i = 0; i < welded.size(); ++i) {
    const int v = welded.source[i];
    mesh.vertices.push_back(drawn.vertices.rest[v]);
    const SkinWeights& skin = drawn.vertices.skin;
    for (int k = skin.first[v]; k < skin.first[v + 1]; ++k)
      out.skin.weights(i, drawn.bones[skin.bone[k]].node) += skin.weight[k];
  }
  for (const DrawnPrimitive& p : drawn.primitives) {
    const auto first = welded.vertex.begin() + p.first_vertex;
    out.character.source.emplace_back(first, first + p.n_vertices);
    out.character.node = p.node;
    out.character.mesh = p.mesh;
  }
  out.character.character = std::move(character);
  return out;
}

DrawnAnimation draw_character(const Character& character, const Clip& clip, int frames, double fps,
                              const Painting& painting) {
  const WeldedSkin skin = weld(character);
  const std::vector<std::string> material = materials(skin);
  DrawnAnimation out;
  out.fps = fps;
  out.neutral.triangles = skin.triangles;
  std::vector<double>& soft = out.neutral.vertex_maps["soft"];
  for (int i = 0; i < skin.size(); ++i) {
    const Vec3& x = skin.drawn.vertices.rest[skin.source[i]];
    out.neutral.vertices.push_back(x);
    soft.push_back(std::clamp(painting.soft(x, material[i]), 0.0, 1.0));
    for (const auto& [name, paint] : painting.parts)
      if (paint(x, material[i]) >= 0.5) out.parts[name].push_back(i);
  }
  out.neutral.colors = soft_colors(soft);
  out.frames.resize(static_cast<size_t>(frames));
  parallel_for(out.frames.size(), 1, [&](size_t begin, size_t end) {
    for (size_t f = begin; f < end; ++f) {
      const double t = static_cast<double>(f) / fps;
      const Points all = posed(skin.drawn.vertices, pose_at(character, skin.drawn, clip, t));
      for (int v : skin.source) out.frames[f].push_back(all[v]);
    }
  });
  return out;
}

void place_limb(const Rig& rig, const Limb& limb, const std::vector<Affine>& bones, const std::array<int, 3>& joints,
                const Vec3& target, const Vec3& pole, const Quat& end_turn, std::vector<Quat>& turns) {
  const Affine& above = bones[rig.joints()[joints[0]].parent];
  const LimbPose pose = reach(limb, above * limb.root, target, pole);
  turns[joints[0]] = Quat(above.linear()).conjugate() * pose.upper;
  turns[joints[1]] = pose.upper.conjugate() * pose.lower;
  turns[joints[2]] = pose.lower.conjugate() * end_turn;
}

}  // namespace supple::demos
