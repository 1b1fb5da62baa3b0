#include "supple/io/gltf/gltf_read.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <new>

#include "supple/io/gltf/gltf_data.h"
#include "supple/io/gltf/gltf_parts.h"
#include "supple/io/input_file.h"

namespace supple {

namespace {

std::string node_place(const GltfFile& file, size_t i) { return gltf_place("node", i, file.nodes[i].name); }

// Parents from children. A node has one parent, and nobody is their own ancestor.
void link_nodes(const GltfFile& file, std::vector<Node>& nodes) {
  for (size_t i = 0; i < nodes.size(); ++i) {
    for (const int child : nodes[i].children) {
      int& parent = nodes[static_cast<size_t>(child)].parent;
      if (parent >= 0) {
        file.fail(node_place(file, static_cast<size_t>(child)),
                  fmt::format("it is a child of both {} and {}", node_place(file, static_cast<size_t>(parent)),
                              node_place(file, i)),
                  kDamagedGltf);
      }
      parent = static_cast<int>(i);
    }
  }
  // With one parent each, what cannot be reached from a root goes round.
  std::vector<size_t> stack;
  std::vector<char> reached(nodes.size(), 0);
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i].parent < 0) stack.push_back(i);
  }
  while (!stack.empty()) {
    const size_t i = stack.back();
    stack.pop_back();
    reached[i] = 1;
    for (const int child : nodes[i].children) stack.push_back(static_cast<size_t>(child));
  }
  const auto round = std::find(reached.begin(), reached.end(), 0);
  if (round != reached.end()) {
    file.fail(node_place(file, static_cast<size_t>(round - reached.begin())), "it is its own ancestor", kDamagedGltf);
  }
}

void mend_placements(const GltfFile& file, Character& character) {
  for (size_t i = 0; i < character.nodes.size(); ++i) {
    Quat& q = character.nodes[i].local.rotation;
    const double length = q.norm();
    if (std::abs(length - 1) > 0.01) {
      character.warnings.push_back(fmt::format("{}: a rotation of length {:g}: {}", node_place(file, i), length,
                                               length > 1e-6 ? "normalised" : "set to none"));
    }
    if (length > 1e-6) {
      q.coeffs() /= length;
    } else {
      q = Quat::Identity();
    }
  }
}

std::vector<char> shown_nodes(const GltfFile& file) {
  std::vector<char> shown(file.nodes.size(), file.scene ? 0 : 1);
  if (!file.scene) return shown;
  std::vector<int> stack = *file.scene;
  while (!stack.empty()) {
    const size_t i = static_cast<size_t>(stack.back());
    stack.pop_back();
    if (shown[i]) continue;
    shown[i] = 1;
    stack.insert(stack.end(), file.nodes[i].children.begin(), file.nodes[i].children.end());
  }
  return shown;
}

void read_skins(GltfData& data, Character& character) {
  const GltfFile& file = data.file();
  for (size_t s = 0; s < file.skins.size(); ++s) {
    const GltfSkin& source = file.skins[s];
    const std::string place = gltf_place("skin", s, source.name);
    Skin skin{source.name, source.joints, {}};
    skin.inverse_binds.assign(skin.joints.size(), Affine::Identity());
    size_t there = 0;
    if (source.inverse_binds >= 0) {
      const GltfAccessor& a = data.accessor(source.inverse_binds);
      if (a.width != 16 || a.component != GltfComponent::f32) {
        file.fail(place, "inverse bind matrices should be 4 x 4 floats", kDamagedGltf);
      }
      const std::vector<double> numbers = data.values(source.inverse_binds, place);
      there = std::min(a.count, skin.joints.size());
      for (size_t j = 0; j < there; ++j) {
        const Eigen::Map<const Eigen::Matrix4d> m(numbers.data() + 16 * j);
        if (!m.allFinite()) {
          const size_t joint = static_cast<size_t>(skin.joints[j]);
          file.fail(place, fmt::format("the inverse bind matrix of {} is not finite", node_place(file, joint)),
                    kDamagedGltf);
        }
        skin.inverse_binds[j] = Affine(m.topRows<3>());
      }
      if (there < skin.joints.size()) {
        character.warnings.push_back(
            fmt::format("{}: {} of {} joints have no inverse bind matrix: the identity is taken", place,
                        skin.joints.size() - there, skin.joints.size()));
      }
    }
    character.skins.push_back(std::move(skin));
  }
}

// Joints that every skin has which a mesh is shown with, -1: it is shown without.
std::vector<int> joints_of_meshes(const GltfFile& file) {
  std::vector<int> out(file.meshes.size(), -1);
  for (const Node& n : file.nodes) {
    if (n.mesh < 0 || n.skin < 0) continue;
    const int joints = static_cast<int>(file.skins[static_cast<size_t>(n.skin)].joints.size());
    int& least = out[static_cast<size_t>(n.mesh)];
    least = least < 0 ? joints : std::min(least, joints);
  }
  return out;
}

// As many targets in every primitive as in the one with most, and as many weights.
void even_out_targets(CharacterMesh& mesh, const std::string& place, std::vector<std::string>& warnings) {
  size_t most = 0, least = SIZE_MAX;
  for (const Primitive& p : mesh.primitives) {
    most = std::max(most, p.targets.size());
    least = std::min(least, p.targets.size());
  }
  if (!mesh.primitives.empty() && least < most) {
    warnings.push_back(fmt::format("{}: {} morph targets in one primitive and {} in another: what lacks does not move",
                                   place, most, least));
  }
  for (Primitive& p : mesh.primitives) p.targets.resize(most);
  if (mesh.weights.size() > most) {
    warnings.push_back(
        fmt::format("{}: {} weights for {} morph targets: the rest ignored", place, mesh.weights.size(), most));
  }
  mesh.weights.resize(most, 0.0);
}

void read_meshes(GltfData& data, Character& character) {
  const GltfFile& file = data.file();
  const std::vector<int> n_joints = joints_of_meshes(file);
  for (size_t m = 0; m < file.meshes.size(); ++m) {
    CharacterMesh mesh{file.meshes[m].name, {}, file.meshes[m].weights};
    for (size_t p = 0; p < file.meshes[m].primitives.size(); ++p) {
      mesh.primitives.push_back(read_primitive(data, m, p, n_joints[m], character.warnings));
    }
    even_out_targets(mesh, gltf_place("mesh", m, mesh.name), character.warnings);
    character.meshes.push_back(std::move(mesh));
  }
  for (size_t i = 0; i < character.nodes.size(); ++i) {
    Node& node = character.nodes[i];
    const size_t targets = node.mesh < 0 ? 0 : character.meshes[static_cast<size_t>(node.mesh)].weights.size();
    if (node.weights.empty() || node.weights.size() == targets) continue;
    character.warnings.push_back(
        fmt::format("{}: {} weights for {} morph targets: fitted", node_place(file, i), node.weights.size(), targets));
    node.weights.resize(targets, 0.0);
  }
}

void require_something_to_draw(const GltfFile& file, const Character& character) {
  bool elsewhere = false;
  for (size_t i = 0; i < character.nodes.size(); ++i) {
    const int mesh = character.nodes[i].mesh;
    if (mesh < 0) continue;
    const std::vector<Primitive>& primitives = character.meshes[static_cast<size_t>(mesh)].primitives;
    const bool drawn =
        std::any_of(primitives.begin(), primitives.end(), [](const Primitive& p) { return !p.triangles.empty(); });
    if (drawn && character.shown[i]) return;
    elsewhere |= drawn;
  }
  file.fail("", elsewhere ? "the file's scene shows no triangles" : "there are no triangles to draw",
            elsewhere ? "Make the scene that holds the character the default one and export again."
                      : "Export the character's mesh too, not only its skeleton or its clips.");
}

Character read_unguarded(const std::string& path, const GltfReadOptions& options) {
  GltfFile file = load_gltf(path);
  Character character;
  character.file = path;
  character.warnings = std::move(file.warnings);
  character.nodes = file.nodes;
  link_nodes(file, character.nodes);
  mend_placements(file, character);
  character.shown = shown_nodes(file);
  GltfData data(file);
  read_meshes(data, character);
  read_skins(data, character);
  require_something_to_draw(file, character);
  character.clips = read_clips(data, character);
  if (options.merge_actions) merge_actions(character);
  name_clips(character);
  return character;
}

}  // namespace

Character read_gltf(const std::string& path, const GltfReadOptions& options) {
  try {
    return read_unguarded(path, options);
  } catch (const std::bad_alloc&) {
    throw InputError({path, 0, 0, ""}, "the file needs more memory than there is", "Is it damaged?");
  }
}

const Clip& find_clip(const Character& character, const std::string& name) {
  const std::vector<Clip>& clips = character.clips;
  if (name.empty() && !clips.empty()) return clips[0];
  for (const Clip& c : clips) {
    if (c.name == name) return c;
  }
  // Blender writes ARMATURE|NAME: the name alone will do where only one clip has it.
  const Clip* only = nullptr;
  int found = 0;
  for (const Clip& c : clips) {
    if (c.name.size() > name.size() && c.name.ends_with("|" + name)) only = &c, ++found;
  }
  if (found == 1) return *only;
  long long number = -1;
  if (parse_integer(name, number) && number >= 0 && number < static_cast<long long>(clips.size())) {
    return clips[static_cast<size_t>(number)];
  }
  if (clips.empty()) {
    throw InputError({character.file, 0, 0, ""}, "the file has no clips", "Export it with its animations.");
  }
  std::vector<std::string> names;
  std::string list;
  for (const Clip& c : clips) {
    names.push_back(c.name);
    list += (list.empty() ? "" : ", ") + c.name;
  }
  const std::string near = nearest_word(name, names.data(), names.data() + names.size());
  throw InputError(
      {character.file, 0, 0, ""}, fmt::format("there is no clip '{}'", name),
      fmt::format("{}The clips are: {}.", near.empty() ? "" : fmt::format("Did you mean '{}'? ", near), list));
}

}  // namespace supple
