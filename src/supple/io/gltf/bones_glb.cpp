#include "supple/io/gltf/bones_glb.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "supple/base/index.h"
#include "supple/io/gltf/bones_parts.h"

namespace supple {

namespace {

std::string node_place(const GlbDocument& doc, int node) {
  return gltf_place("node", at(node), doc.file().nodes[at(node)].name);
}

constexpr GlbArrayKind kQuads = {.type = "VEC4", .use = kGltfVertexData};  // four numbers a vertex

// Joints of one skin: those there are, and ours as far as its meshes use them.
class SkinJoints {
 public:
  SkinJoints(GlbDocument& doc, const Drawn& drawn, int skin, const std::vector<NewJoint>& joints)
      : doc_(doc), drawn_(drawn), skin_(skin), joints_(joints), nodes_(doc.file().skins[at(skin)].joints) {
    const int accessor = doc.file().skins[at(skin)].inverse_binds;
    if (accessor >= 0) {
      binds_ = doc.array(accessor).floats();
    } else {
      for (size_t j = 0; j < nodes_.size(); ++j) {
        for (int k = 0; k < 16; ++k) binds_.push_back(k % 5 == 0 ? 1.0f : 0.0f);
      }
    }
    if (binds_.size() < 16 * nodes_.size()) fail("it has fewer inverse binds than joints", "Export the file again.");
    binds_.resize(16 * nodes_.size());
  }

  int of_bone(int bone) const {
    const auto found = std::find(nodes_.begin(), nodes_.end(), drawn_.bones[at(bone)].node);
    if (found == nodes_.end()) fail(fmt::format("it has no joint '{}'", drawn_.bones[at(bone)].name), "");
    return static_cast<int>(found - nodes_.begin());
  }
  int of_joint(int joint) {
    const auto known = ours_.find(joint);
    if (known != ours_.end()) return known->second;
    // World of the joint = world of the bone x shift, so its inverse bind is that of the bone, shifted back.
    const NewJoint& j = joints_[at(joint)];
    const Vec3 shift = drawn_.bones[at(j.bone)].from_bound * j.head;
    const auto from = static_cast<std::ptrdiff_t>(16 * of_bone(j.bone));
    std::vector<float> bind(binds_.begin() + from, binds_.begin() + from + 16);
    for (size_t k = 0; k < 3; ++k) {
      bind[12 + k] = static_cast<float>(static_cast<double>(bind[12 + k]) - shift[static_cast<Eigen::Index>(k)]);
    }
    binds_.insert(binds_.end(), bind.begin(), bind.end());
    nodes_.push_back(j.node);
    return ours_[joint] = static_cast<int>(nodes_.size()) - 1;
  }

  void write() {
    if (ours_.empty()) return;
    OrderedJson& skin = doc_.json()["skins"][at(skin_)];
    skin["joints"] = nodes_;
    skin["inverseBindMatrices"] = doc_.add_array(binds_, {.type = "MAT4"});
  }

 private:
  [[noreturn]] void fail(const std::string& what, const std::string& advice) const {
    doc_.fail(gltf_place("skin", at(skin_), doc_.file().skins[at(skin_)].name), what, advice);
  }
  GlbDocument& doc_;
  const Drawn& drawn_;
  int skin_;
  const std::vector<NewJoint>& joints_;
  std::vector<int> nodes_;
  std::vector<float> binds_;  // 16 a joint, columns
  std::map<int, int> ours_;   // new joint -> place in the skin
};

// One soft vertex of a primitive.
struct NewInfluences {
  size_t vertex = 0;
  std::array<int, 4> joints{};
  std::array<float, 4> weights{};
};

// The further sets of a primitive, JOINTS_1 and so on, say nothing of those vertices any more.
void clear_further_sets(GlbDocument& doc, OrderedJson& attributes, const std::vector<NewInfluences>& changed) {
  for (int set = 1;; ++set) {
    const std::string joints = fmt::format("JOINTS_{}", set), weights = fmt::format("WEIGHTS_{}", set);
    if (!attributes.contains(joints) && !attributes.contains(weights)) return;
    for (const std::string& name : {joints, weights}) {
      if (!attributes.contains(name)) continue;
      GlbArray old = doc.array(attributes[name].get<int>());
      const size_t each = byte_size(old.component) * at(old.width);
      for (const NewInfluences& c : changed) {
        if (c.vertex < old.count) std::memset(&old.bytes[c.vertex * each], 0, each);
      }
      const int view = doc.add_view(old.bytes, 0, 34962);
      OrderedJson accessor = {{"bufferView", view},
                              {"componentType", static_cast<int>(old.component)},
                              {"count", old.count},
                              {"type", "VEC4"}};
      if (old.normalized) accessor["normalized"] = true;
      attributes[name] = doc.add_accessor(accessor);
    }
  }
}

void write_influences(GlbDocument& doc, const DrawnPrimitive& p, const std::vector<NewInfluences>& changed) {
  OrderedJson& attributes = doc.json()["meshes"][at(p.mesh)]["primitives"][at(p.primitive)]["attributes"];
  const GlbArray old_joints = doc.array(attributes.at("JOINTS_0").get<int>());
  std::vector<float> weights = doc.array(attributes.at("WEIGHTS_0").get<int>()).floats();
  std::vector<uint16_t> joints;
  for (const float j : old_joints.floats()) joints.push_back(static_cast<uint16_t>(j));
  if (joints.size() != 4 * at(p.n_vertices) || weights.size() != joints.size()) {
    doc.fail(gltf_place("mesh", at(p.mesh), p.mesh_name), "it has not as many joints and weights as vertices",
             "Export the file again.");
  }
  uint16_t most = 0;
  for (const NewInfluences& c : changed) {
    for (size_t k = 0; k < 4; ++k) {
      joints[4 * c.vertex + k] = static_cast<uint16_t>(c.joints[k]);
      weights[4 * c.vertex + k] = c.weights[k];
      most = std::max(most, joints[4 * c.vertex + k]);
    }
  }
  if (old_joints.component == GltfComponent::u8 && most < 256) {
    attributes["JOINTS_0"] = doc.add_array(std::vector<uint8_t>(joints.begin(), joints.end()), kQuads);
  } else {
    attributes["JOINTS_0"] = doc.add_array(joints, kQuads);
  }
  attributes["WEIGHTS_0"] = doc.add_array(weights, kQuads);
  clear_further_sets(doc, attributes, changed);
}

// Floats that sum to 1 as closely as floats can.
void round_weights(NewInfluences& c) {
  float sum = 0;
  for (const float w : c.weights) sum += w;
  c.weights[0] += 1.0f - sum;
}

}  // namespace

void require_same_file(const GlbDocument& doc, const Drawn& drawn) {
  const GltfFile& file = doc.file();
  bool same = drawn.bound_nodes.size() == file.nodes.size();
  for (const DrawnPrimitive& p : drawn.primitives) {
    same = same && p.node >= 0 && at(p.node) < file.nodes.size() && file.nodes[at(p.node)].mesh == p.mesh &&
           at(p.primitive) < file.meshes[at(p.mesh)].primitives.size();
    if (!same) break;
    const GltfAttributes& attributes = file.meshes[at(p.mesh)].primitives[at(p.primitive)].attributes;
    const auto position = attributes.find("POSITION");
    same = position != attributes.end() && file.accessors[at(position->second)].count == at(p.n_vertices);
  }
  for (const Bone& b : drawn.bones) same = same && b.node >= 0 && at(b.node) < file.nodes.size();
  if (!same) doc.fail("", "not written: it is not the file that the character was read from");
}

const Affine& even_frame(const GlbDocument& doc, const Drawn& drawn, int bone, const std::string& what) {
  const Affine& frame = drawn.bones[at(bone)].from_bound;
  const Mat3 square = frame.linear().transpose() * frame.linear();
  const double size = square.trace() / 3;
  if (!(size > 0) || (square / size - Mat3::Identity()).cwiseAbs().maxCoeff() > 0.02) {
    doc.fail(node_place(doc, drawn.bones[at(bone)].node),
             fmt::format("{} should hang under this bone, which is stretched unevenly", what),
             "Apply the scale of the armature in your modelling program, or deliver morph targets.");
  }
  return frame;
}

std::string free_node_name(const GlbDocument& doc, const std::string& wish) {
  std::set<std::string> taken;
  for (const OrderedJson& node : doc.json().at("nodes")) {
    if (node.is_object() && node.contains("name") && node["name"].is_string()) taken.insert(node["name"]);
  }
  std::string name = wish;
  for (int n = 2; taken.count(name) > 0; ++n) name = fmt::format("{}_{}", wish, n);
  return name;
}

int add_node(GlbDocument& doc, int parent, const std::string& name, const Vec3& place) {
  OrderedJson& nodes = doc.json()["nodes"];
  const int added = static_cast<int>(nodes.size());
  nodes.push_back({{"name", name}, {"translation", {place[0], place[1], place[2]}}});
  nodes[at(parent)]["children"].push_back(added);
  return added;
}

void add_joints(GlbDocument& doc, const Drawn& drawn, std::vector<NewJoint>& joints) {
  for (NewJoint& j : joints) {
    const Affine& frame = even_frame(doc, drawn, j.bone, fmt::format("joint '{}'", j.name));
    j.name = free_node_name(doc, j.name);
    j.node = add_node(doc, drawn.bones[at(j.bone)].node, j.name, frame * j.head);
  }
}

void reskin(GlbDocument& doc, const Drawn& drawn, const std::vector<int>& vertices, const SkinWeights& skin,
            const std::vector<NewJoint>& joints) {
  const int n_bones = static_cast<int>(drawn.bones.size());
  if (vertices.size() != at(skin.size())) {
    doc.fail("", fmt::format("not written: {} soft vertices, but weights of {}", vertices.size(), skin.size()));
  }
  for (int b : skin.bone) {
    if (b < 0 || at(b) >= at(n_bones) + joints.size()) doc.fail("", fmt::format("not written: there is no bone {}", b));
  }
  std::map<int, std::vector<size_t>> by_primitive;  // entries of `vertices` on new joints
  for (size_t i = 0; i < vertices.size(); ++i) {
    const auto first = skin.bone.begin() + skin.first[i], last = skin.bone.begin() + skin.first[i + 1];
    if (std::none_of(first, last, [&](int b) { return b >= n_bones; })) continue;
    int p = 0;
    while (at(p) < drawn.primitives.size() &&
           (vertices[i] < drawn.primitives[at(p)].first_vertex ||
            vertices[i] >= drawn.primitives[at(p)].first_vertex + drawn.primitives[at(p)].n_vertices)) {
      ++p;
    }
    if (at(p) == drawn.primitives.size()) doc.fail("", fmt::format("not written: there is no vertex {}", vertices[i]));
    if (last - first > 4) doc.fail("", fmt::format("not written: vertex {} follows more than 4 bones", vertices[i]));
    by_primitive[p].push_back(i);
  }
  std::map<int, SkinJoints> skins;
  for (const auto& [index, entries] : by_primitive) {
    const DrawnPrimitive& p = drawn.primitives[at(index)];
    const Node& node = doc.file().nodes[at(p.node)];
    const OrderedJson& attributes = doc.json()["meshes"][at(p.mesh)]["primitives"][at(p.primitive)]["attributes"];
    if (node.skin < 0 || !attributes.contains("JOINTS_0") || !attributes.contains("WEIGHTS_0")) {
      doc.fail(node_place(doc, p.node), "its mesh is soft but has no skin, so joints cannot move it",
               "Bind it to an armature (one bone with weight 1 will do), or deliver morph targets.");
    }
    for (size_t n = 0; n < doc.file().nodes.size(); ++n) {
      if (static_cast<int>(n) != p.node && doc.file().nodes[n].mesh == p.mesh) {
        doc.fail(gltf_place("mesh", at(p.mesh), p.mesh_name),
                 fmt::format("it is soft, but {} and {} both show it and would share its weights",
                             node_place(doc, p.node), node_place(doc, static_cast<int>(n))),
                 "Give each object a mesh of its own, or deliver morph targets.");
      }
    }
    SkinJoints& own = skins.try_emplace(node.skin, doc, drawn, node.skin, joints).first->second;
    std::vector<NewInfluences> changed;
    for (const size_t i : entries) {
      NewInfluences c{at(vertices[i] - p.first_vertex), {}, {}};
      std::vector<std::pair<double, int>> sorted;
      for (int k = skin.first[i]; k < skin.first[i + 1]; ++k) {
        const int b = skin.bone[at(k)];
        sorted.emplace_back(skin.weight[at(k)], b < n_bones ? own.of_bone(b) : own.of_joint(b - n_bones));
      }
      std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
      for (size_t k = 0; k < sorted.size(); ++k) {
        c.joints[k] = sorted[k].second;
        c.weights[k] = static_cast<float>(sorted[k].first);
      }
      round_weights(c);
      changed.push_back(c);
    }
    write_influences(doc, p, changed);
  }
  for (auto& [index, own] : skins) own.write();
}

BonesReport write_bones_glb(const std::string& in, const std::string& out, const Drawn& drawn,
                            const std::vector<int>& vertices, const SkinDecomposition& skin,
                            const std::vector<BonesClip>& clips, const BonesOptions& options) {
  BonesReport report;
  GlbDocument doc(in, report.warnings);
  try {
    require_same_file(doc, drawn);
    if (!skin.helpers.empty() && at(skin.n_bones) != drawn.bones.size()) {
      doc.fail("", fmt::format("not written: {} bones are drawn, but the helpers hang under {}", drawn.bones.size(),
                               skin.n_bones));
    }
    const size_t before = doc.size();
    std::vector<NewJoint> joints;
    for (const HelperJoint& h : skin.helpers) {
      if (h.bone < 0 || at(h.bone) >= drawn.bones.size() || !h.head.allFinite()) {
        doc.fail("", fmt::format("not written: helper '{}' has no bone or no place", h.name));
      }
      joints.push_back({h.name, h.bone, h.head, -1});
    }
    add_joints(doc, drawn, joints);
    reskin(doc, drawn, vertices, skin.skin, joints);
    add_bone_clips(doc, drawn, skin, joints, clips, options, report);
    for (const NewJoint& j : joints) report.nodes.push_back(j.name);
    report.helpers = static_cast<int>(joints.size());
    doc.write(out);
    report.bytes = doc.size();
    report.bytes_added = report.bytes - std::min(before, report.bytes);
  } catch (const nlohmann::json::exception& error) {
    doc.fail_of_kind(error);
  }
  return report;
}

}  // namespace supple
