#include "tests/cast/body.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "supple/anim/key_clip.h"
#include "supple/base/error.h"
#include "supple/demos/shapes/draw_character.h"
#include "supple/demos/shapes/shapes.h"

namespace supple::cast {

using demos::mirrored;

namespace {

constexpr double kThinnest = 0.4;  // of the edge: how fine thin parts are drawn

// What bones are called here is known to nobody else: words without a meaning, the same ones for the same number.
std::string made_up(size_t number) {
  uint64_t h = 0x9e3779b97f4a7c15u * (number + 1);
  std::string word;
  for (int k = 0; k < 5; ++k) {
    h ^= h >> 29, h *= 0xbf58476d1ce4e5b9u;
    word += static_cast<char>('a' + (h >> 40) % 26);
  }
  return word + std::to_string(number);
}

// The half x > 0 of a surface that was cut there, and its mirror image.
demos::SkinSurface both_halves(const demos::SkinSurface& whole, double edge) {
  demos::SkinSurface out;
  out.materials = {whole.materials[0]};
  std::map<int, std::array<int, 2>> place;
  const auto vertex = [&](int v, size_t side) {
    const auto [it, fresh] = place.try_emplace(v, std::array{-1, -1});
    if (fresh) {
      Vec3 x = whole.mesh.vertices[v], n = whole.mesh.normals[v];
      const bool middle = std::abs(x[0]) < 0.02 * edge;
      if (middle) x[0] = 0, n[0] = 0, n.normalize();
      for (size_t k = 0; k < 2; ++k) {
        it->second[k] = k == 1 && middle ? it->second[0] : out.mesh.n_vertices();
        if (k == 1 && middle) break;
        out.mesh.vertices.push_back(k == 0 ? x : mirrored(x));
        out.mesh.normals.push_back(k == 0 ? n : mirrored(n));
      }
    }
    return it->second[side];
  };
  for (size_t t = 0; t < whole.mesh.triangles.size(); ++t) {
    if (whole.triangle_material[t] != 0) continue;
    const Tri& f = whole.mesh.triangles[t];
    out.mesh.triangles.push_back({vertex(f[0], 0), vertex(f[1], 0), vertex(f[2], 0)});
    out.mesh.triangles.push_back({vertex(f[0], 1), vertex(f[2], 1), vertex(f[1], 1)});
  }
  out.triangle_material.assign(out.mesh.triangles.size(), 0);
  return out;
}

}  // namespace

void BodyPlan::bone(const std::string& name, const std::string& parent, const Vec3& place, const Vec3& tip, double ra,
                    double rb) {
  rig.add(name, parent, place, tip, std::max(ra, rb), 0);
  rounds.push_back({place, tip, ra, rb});
}

void BodyPlan::pair(const std::string& name, const std::string& parent, const Vec3& place, const Vec3& tip, double ra,
                    double rb) {
  rig.add_pair(name, parent, place, tip, std::max(ra, rb), 0);
  rounds.push_back({place, tip, ra, rb});
  if (!this->mirrored) rounds.push_back({demos::mirrored(place), demos::mirrored(tip), ra, rb});
}

void BodyPlan::joint(const std::string& name, const std::string& parent, const Vec3& place) {
  rig.add(name, parent, place, place + Vec3(0, 1e-3, 0), 1e-3, 0);
}

void BodyPlan::piece(const std::string& joint, const TriMesh& mesh) { pieces.push_back({"m", rig[joint], mesh}); }

void BodyPlan::pieces_on_both_sides(const std::string& joint, const TriMesh& mesh) {
  const bool paired = rig.find(joint + "_l") >= 0;
  piece(paired ? joint + "_l" : joint, mesh);
  piece(paired ? joint + "_r" : joint, cast::mirrored(mesh));
}

double BodyPlan::distance(const Vec3& x) const {
  const Vec3 p = this->mirrored ? Vec3(std::abs(x[0]), x[1], x[2]) : x;
  double d = 1e9, chain = 1e9;
  const auto add = [&](double other) { d = d > 1e8 ? other : demos::join(d, other, fillet); };
  for (size_t k = 0; k < rounds.size(); ++k) {
    // Bones that follow one another are one part, without a bulge where they meet.
    const Round& r = rounds[k];
    if (k > 0 && r.a != rounds[k - 1].b) {
      add(chain);
      chain = 1e9;
    }
    const double far = (p - (r.a + r.b) / 2).norm() - (r.a - r.b).norm() / 2 - std::max(r.ra, r.rb);
    if (far < std::min(d + fillet, chain)) chain = std::min(chain, demos::round_cone(p, r.a, r.b, r.ra, r.rb));
  }
  add(chain);
  for (const SignedDistance& lump : lumps) add(lump(p));
  return d;
}

demos::RiggedSkin BodyPlan::skin() const {
  demos::RiggedSkin skin;
  skin.surface.materials = {"m"};
  if (rounds.empty()) return skin;
  Box bounds{Vec3::Constant(1e9), Vec3::Constant(-1e9)};
  double thinnest = edge;
  for (const Round& r : rounds) {
    for (const auto& [x, radius] : {std::pair(r.a, r.ra), std::pair(r.b, r.rb)})
      for (const Vec3& y : {x, demos::mirrored(x)}) {
        bounds.low = bounds.low.cwiseMin(y - Vec3::Constant(radius + 2 * edge));
        bounds.high = bounds.high.cwiseMax(y + Vec3::Constant(radius + 2 * edge));
      }
    thinnest = std::min({thinnest, r.ra, r.rb});
  }
  const auto finer = [this](const Vec3& x) {
    const Vec3 p = this->mirrored ? Vec3(std::abs(x[0]), x[1], x[2]) : x;
    double near = 1e9, radius = edge;
    for (const Round& r : rounds) {
      const Vec3 along = r.b - r.a;
      const double s = std::clamp((p - r.a).dot(along) / std::max(along.squaredNorm(), 1e-12), 0.0, 1.0);
      const double here = r.ra + s * (r.rb - r.ra), far = (p - r.a - s * along).norm() - here;
      if (far < near) near = far, radius = here;
    }
    return std::clamp(1.1 * radius / edge, kThinnest, 1.0);
  };
  demos::SurfaceOptions options{.edge = edge, .lattice = std::max(thinnest, 0.45 * edge), .finer = finer};
  if (this->mirrored) options.paints.emplace_back("other side", [](const Vec3& x) { return x[0]; });
  skin.surface = demos::skin_surface([this](const Vec3& x) { return distance(x); }, bounds, options);
  if (this->mirrored) skin.surface = both_halves(skin.surface, edge);
  skin.weights = demos::rig_weights(rig, skin.surface.mesh, 3, alone);
  return skin;
}

Character BodyPlan::character() const {
  Character c = demos::assemble("", rig, skin(), pieces).character;

  for (Primitive& p : c.meshes[0].primitives) p.maps.clear();
  for (const Held& h : held) {
    const int j = rig[h.joint], node = static_cast<int>(c.nodes.size());
    Primitive p;
    p.normals = h.mesh.normals;
    p.triangles = h.mesh.triangles;
    for (const Vec3& x : h.mesh.vertices) p.positions.push_back(x - rig.joints()[static_cast<size_t>(j)].place);
    c.nodes.push_back({.parent = j, .mesh = static_cast<int>(c.meshes.size())});
    c.nodes[static_cast<size_t>(j)].children.push_back(node);
    c.meshes.push_back({.primitives = {p}});
  }
  size_t number = 0;
  for (Node& n : c.nodes) n.name = made_up(number++);
  for (CharacterMesh& m : c.meshes) {
    m.name = made_up(number++);
    for (Primitive& p : m.primitives) p.material = made_up(number++);
  }
  for (Skin& s : c.skins) s.name = made_up(number++);
  c.shown.assign(c.nodes.size(), 1);
  return c;
}

void BodyPose::turn(const std::string& joint, const Vec3& degrees) {
  Quat& q = turns[static_cast<size_t>(rig_[joint])];
  q = turned(degrees) * q;
}

void BodyPose::turn_side(const std::string& joint, bool left, const Vec3& degrees) {
  turn(joint + (left ? "_l" : "_r"), left ? degrees : Vec3(degrees[0], -degrees[1], -degrees[2]));
}

void BodyPose::turn_both(const std::string& joint, const Vec3& degrees) {
  for (bool left : {true, false}) turn_side(joint, left, degrees);
}

void BodyPose::step(const std::array<std::string, 3>& joints, const Vec3& to, const Vec3& degrees, const Vec3& pole) {
  std::array<int, 3> j;
  for (size_t k = 0; k < 3; ++k) j[k] = rig_[joints[k]];
  const auto place = [&](int k) { return rig_.joints()[static_cast<size_t>(k)].place; };
  const Limb limb{place(j[0]), place(j[1]), place(j[2]), pole};
  demos::place_limb(rig_, limb, rig_.pose(turns, shift), j, place(j[2]) + to, pole, turned(degrees), turns);
}

void BodyPose::apply(std::vector<Placement>& nodes) const {
  for (size_t j = 0; j < turns.size(); ++j) nodes[j].rotation = turns[j].normalized();
  for (int j = 0; j < rig_.size(); ++j)
    if (rig_.joints()[static_cast<size_t>(j)].parent < 0) nodes[static_cast<size_t>(j)].translation += shift;
}

void add_action(const BodyPlan& plan, const Action& a, Character& character) {
  const size_t number = character.clips.size();
  Clip clip =
      bake_clip(character, made_up(1000 + number), a.frames, a.fps, [&](double frame, std::vector<Placement>& nodes) {
        const double s = frame / (a.frames - 1);
        BodyPose pose(plan.rig);
        a.pose(a.cycle && s > 1 - 1e-9 ? 0 : s, pose);
        pose.apply(nodes);
      });
  clip.sources = {static_cast<int>(number)};
  character.clips.push_back(std::move(clip));
}

void scale_root(Character& c, const Vec3& scale) {
  const int above = static_cast<int>(c.nodes.size());
  Node node{.name = made_up(2000)};
  node.local.scale = scale;
  for (int n = 0; n < above; ++n)
    if (c.nodes[static_cast<size_t>(n)].parent < 0 && c.nodes[static_cast<size_t>(n)].mesh < 0) {
      c.nodes[static_cast<size_t>(n)].parent = above;
      node.children.push_back(n);
    }
  c.nodes.push_back(node);
  c.shown.push_back(1);
}

void carry_root(Character& c, int clip, const Vec3& velocity) {
  const int above = static_cast<int>(c.nodes.size());
  scale_root(c, Vec3::Ones());
  Clip& into = c.clips[static_cast<size_t>(clip)];
  Channel channel{.node = above, .path = ChannelPath::translation, .times = {into.start, into.end}, .values = {}};
  for (double t : channel.times)
    for (int k = 0; k < 3; ++k) channel.values.push_back((t - into.start) * velocity[k]);
  into.channels.push_back(std::move(channel));
}

}  // namespace supple::cast
