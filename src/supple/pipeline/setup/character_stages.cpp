#include "supple/pipeline/setup/character_stages.h"

#include <algorithm>

#include "supple/base/pack.h"
#include "supple/pipeline/setup/stage_cache.h"

namespace supple::pipeline {

namespace {

// Each type is taken apart as a whole, so that a member that is new and left out does not compile.

template <class Io>
void fields(Io& io, Morph& x) {
  auto& [node, target, points, offsets] = x;
  io(node), io(target), io(points), io(offsets);
}

template <class Io>
void fields(Io& io, FleshRegion& x) {
  auto& [name, half_thickness, n_free, trailing] = x;
  io(name), io(half_thickness), io(n_free), io(trailing);
}

template <class Io, class T>
void each(Io& io, std::vector<T>& list) {
  pack_list(io, list, [&](T& x) { fields(io, x); });
}

template <class Io>
void fields(Io& io, VertexBlend& x) {
  auto& [first, vertex, weight] = x;
  io(first), io(vertex), io(weight);
}

template <class Io>
void fields(Io& io, TetMesh& x) {
  auto& [vertices, tets, vertex_maps, tet_maps, tet_region, region_names] = x;
  io(vertices), io(tets), io(vertex_maps), io(tet_maps), io(tet_region), io(region_names);
}

template <class Io>
void fields(Io& io, CageReport& x) {
  auto& [edge, n_vertices, n_tets, n_components, n_duplicated, n_thin, n_outside, max_outside, min_angle, max_angle,
         volume, solid, n_open, n_nonmanifold, n_degenerate, n_flipped, sheet, warnings] = x;
  io(edge), io(n_vertices), io(n_tets), io(n_components), io(n_duplicated), io(n_thin), io(n_outside), io(max_outside);
  io(min_angle), io(max_angle), io(volume), io(solid), io(n_open), io(n_nonmanifold), io(n_degenerate), io(n_flipped);
  io(sheet), io(warnings);
}

template <class Io>
void fields(Io& io, Cage& x) {
  auto& [mesh, surface, tet] = x;
  fields(io, mesh), fields(io, surface), io(tet);
}

template <class Io>
void fields(Io& io, SkinnedPoints& x) {
  auto& [rest, skin, morphs] = x;
  auto& [first, bone, weight] = skin;
  io(rest), io(first), io(bone), io(weight), each(io, morphs);
}

template <class Io>
void fields(Io& io, Flesh& x) {
  // at_rest and held_points are put in afterwards.
  auto& [height, alike, softness, half_thickness, points, at_rest, held_points, region, found_region, regions, trails,
         skin_softness, hard_skin, still_skin, skin_way, border, n_planted, n_morphed, n_beside_rigid, n_thin_layer,
         follows_only, warnings] = x;
  io(height), io(alike), io(softness), io(half_thickness), fields(io, points), io(region), io(found_region),
      each(io, regions), io(trails);
  io(skin_softness), io(hard_skin), io(still_skin), io(skin_way), io(border), io(n_planted), io(n_morphed),
      io(n_beside_rigid), io(n_thin_layer);
  io(follows_only), io(warnings);
}

template <class... T>
std::string packed_stage(T&... parts) {
  Packer pack;
  (fields(pack, parts), ...);
  return pack.take();
}

template <class... T>
bool unpacked_stage(const std::string& bytes, T&... parts) {
  if (bytes.empty()) return false;
  Unpacker unpack(bytes);
  (fields(unpack, parts), ...);
  return unpack.whole();
}

void add(Digest& d, const Affine& m) {
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 4; ++c) d.add(m.matrix()(r, c));
}

void add(Digest& d, const Drawn& drawn) {
  const auto& [primitives, bones, vertices, normals, triangles, scale, bound_nodes, at_rest, warnings] = drawn;
  for (const DrawnPrimitive& p : primitives) {
    const auto& [node, mesh, primitive, mesh_name, material, first_v, n_v, first_t, n_t, to_world] = p;
    d.add(node).add(mesh).add(primitive).add(mesh_name).add(material).add(first_v).add(n_v).add(first_t).add(n_t);
    add(d, to_world);
  }
  for (const Bone& b : bones) {
    const auto& [name, node, parent, from_bound, head] = b;
    d.add(name).add(node).add(parent).add(head);
    add(d, from_bound);
  }
  const auto& [rest, skin, morphs] = vertices;
  d.add(rest).add(skin.first).add(skin.bone).add(skin.weight);
  for (const Morph& m : morphs) d.add(m.node).add(m.target).add(m.points).add(m.offsets);
  d.add(normals).add(triangles).add(scale).add(at_rest);
  for (const Affine& m : bound_nodes) add(d, m);
}

void add(Digest& d, const Piece& p) {
  const auto& [name, node, mesh, material, node_index, vertices, triangles, joined, role, why, size, area, residual,
               skinned, sheet, hard, on, planted] = p;
  d.add(name).add(node).add(mesh).add(material).add(node_index).add(vertices).add(triangles).add(joined).add(role);
  d.add(size).add(area).add(residual).add(skinned).add(sheet).add(hard).add(on).add(planted);
}

}  // namespace

void StagesFound::note(const std::string& stage, bool found) {
  const auto it = std::find_if(stages_.begin(), stages_.end(), [&](const auto& s) { return s.first == stage; });
  if (it == stages_.end())
    stages_.emplace_back(stage, found);
  else
    it->second = it->second && found;
}

std::vector<std::string> StagesFound::all_found() const {
  std::vector<std::string> names;
  for (const auto& [name, found] : stages_)
    if (found) names.push_back(name);
  return names;
}

CageOptions cage_options_of(const TetsConfig& t) {
  return {.edge = t.edge.value_or(0),
          .count = t.count.value_or(0),
          .preset = t.edge || t.count ? "" : t.preset,
          .graded = t.graded,
          .keep_apart = t.keep_apart};
}

CageStage cage_stage(const TriMesh& skin, const CageOptions& options, StagesFound& found) {
  const auto& [edge, count, preset, graded, edges_across, keep_apart, sheet_thickness, finer_at, finer_edge, part] =
      options;
  CageStage out;
  out.key = stage_digest()
                .add(skin.vertices)
                .add(skin.triangles)
                .add(edge)
                .add(count)
                .add(preset)
                .add(graded)
                .add(edges_across)
                .add(keep_apart)
                .add(sheet_thickness)
                .add(finer_at)
                .add(finer_edge)
                .add(part)
                .text();
  const bool known = unpacked_stage(stage_cache().find("tets", out.key), out.cage, out.report);
  found.note("tets", known);
  if (known) return out;
  out.cage = make_cage(skin, options, &out.report);
  if (stage_cache().is_open()) stage_cache().keep("tets", out.key, packed_stage(out.cage, out.report));
  return out;
}

VertexBlend blend_stage(const CageStage& cage, const TriMesh& skin, StagesFound& found) {
  VertexBlend blend;
  const bool known =
      unpacked_stage(stage_cache().find("embedding", cage.key), blend) && blend.size() == skin.n_vertices();
  found.note("embedding", known);
  if (known) return blend;
  blend = smooth_blend(cage.cage.mesh, cage.cage.tet, skin.vertices);
  if (stage_cache().is_open()) stage_cache().keep("embedding", cage.key, packed_stage(blend));
  return blend;
}

std::string flesh_key(const FleshInput& input, const FleshOptions& options, const std::vector<NamedRegion>& named) {
  if (!stage_cache().is_open()) return "";
  Digest d = stage_digest();
  const auto& [drawn, pieces, poses, clips, up, cage, skin, blend, skin_source, morphs_carry] = input;
  add(d, *drawn);
  for (const Piece& p : *pieces) add(d, p);
  for (const Pose& pose : *poses) {
    for (const Affine& m : pose.bones) add(d, m);
    d.add(pose.morphs);
  }
  for (const auto& [first, count, fps] : clips) d.add(first).add(count).add(fps);
  d.add(up).add(skin.vertices).add(skin.triangles).add(skin_source);
  const auto& [joints, radius, painted, held, tracked, tied, by_hand, trailing, trail, hold, at_least] = options;
  d.add(joints).add(radius).add(painted).add(held).add(tracked).add(tied).add(by_hand).add(morphs_carry);
  d.add(trailing).add(trail).add(hold).add(at_least);
  for (const NamedRegion& r : named) d.add(r.name).add(r.on_skin);
  return d.text();
}

Flesh flesh_stage(const std::string& key, const std::function<Flesh()>& make, StagesFound& found) {
  Flesh flesh;
  const bool known = unpacked_stage(stage_cache().find("weights", key), flesh);
  found.note("weights", known);
  if (known) return flesh;
  flesh = make();
  if (stage_cache().is_open()) stage_cache().keep("weights", key, packed_stage(flesh));
  return flesh;
}

}  // namespace supple::pipeline
