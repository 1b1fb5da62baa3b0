// guide_cast FOLDER: the characters that the guide speaks of, made by code: one body on two legs with ears and a tail,
// whose joints and clips have the names that a page uses. Also tets for the pages about those.
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <map>

#include "supple/demos/examples/examples.h"
#include "supple/io/gltf/gltf_write.h"
#include "supple/io/tets/tet_formats.h"
#include "supple/mesh/tet_mesh.h"
#include "tests/cast/body.h"

namespace supple::cast {
namespace {

using Names = std::map<std::string, std::string>;

BodyPlan beast_plan() {
  BodyPlan b;
  b.edge = 0.09, b.fillet = 0.05;
  b.bone("hips", "", {0, 0.93, 0}, {0, 1.04, 0}, 0.16, 0.17);
  b.bone("belly", "hips", {0, 1.04, 0}, {0, 1.22, 0}, 0.17, 0.165);
  b.bone("chest", "belly", {0, 1.22, 0}, {0, 1.39, -0.01}, 0.16, 0.13);
  b.bone("neck", "chest", {0, 1.45, 0}, {0, 1.54, 0.01}, 0.07, 0.065);
  b.bone("head", "neck", {0, 1.57, 0.01}, {0, 1.68, 0.02}, 0.11, 0.11);
  b.bone("jaw", "head", {0, 1.58, 0.08}, {0, 1.57, 0.14}, 0.05, 0.045);
  b.pair("ear", "head", {0.07, 1.76, 0}, {0.13, 1.9, 0}, 0.045, 0.04);
  const Vec3 tail[] = {{0, 0.95, -0.14}, {0, 0.9, -0.28}, {0, 0.82, -0.4}, {0, 0.72, -0.5}};
  const char* names[] = {"tail_a", "tail_b", "tail_c"};
  for (size_t k = 0; k < 3; ++k) b.bone(names[k], k ? names[k - 1] : "hips", tail[k], tail[k + 1], 0.055, 0.05);
  b.pair("arm", "chest", {0.17, 1.41, -0.01}, {0.43, 1.4, -0.02}, 0.07, 0.055);
  b.pair("forearm", "arm", {0.43, 1.4, -0.02}, {0.7, 1.4, 0}, 0.052, 0.045);
  b.pair("thigh", "hips", {0.095, 0.88, 0}, {0.11, 0.49, 0.03}, 0.11, 0.08);
  b.pair("shin", "thigh", {0.11, 0.49, 0.03}, {0.115, 0.06, -0.02}, 0.075, 0.05);
  return b;
}

void step_along(double s, double swing, BodyPose& p) {
  const double a = 2 * M_PI * s;
  p.shift = {0, 0.3 * swing * std::cos(2 * a), 0};
  p.turn("hips", {0, 40 * swing * std::cos(a), 0});
  p.turn("belly", {20 * swing * std::sin(2 * a), 0, 0});
  p.turn("head", {0, 60 * swing * std::sin(a), 0});
  for (const char* name : {"tail_a", "tail_b", "tail_c"}) p.turn(name, {0, 90 * swing * std::sin(a), 0});
  p.turn_side("thigh", true, {200 * swing * std::sin(a), 0, 0});
  p.turn_side("thigh", false, {-200 * swing * std::sin(a), 0, 0});
  p.turn_both("arm", {0, 0, -200 * swing * std::sin(a)});
}

struct ClipPlan {
  std::string name;
  int frames;
  double swing;  // [m] of the hips, about
};

Character beast(const Names& names, const std::vector<ClipPlan>& clips) {
  const BodyPlan plan = beast_plan();
  Character c = plan.character();
  for (const ClipPlan& clip : clips) {
    add_action(plan,
               {.frames = clip.frames,
                .cycle = false,
                .pose = [&](double s, BodyPose& p) { step_along(0.8 * s, clip.swing, p); }},
               c);
    c.clips.back().name = clip.name;
  }
  const auto& joints = plan.rig.joints();  // joint j is node j
  for (size_t j = 0; j < joints.size(); ++j) {
    std::string name = joints[j].name, side;
    if (name.ends_with("_l") || name.ends_with("_r")) {
      side = name.back() == 'l' ? "Left" : "Right";
      name.resize(name.size() - 2);
    }
    const auto it = names.find(name);
    std::string called = it == names.end() ? name : it->second;
    for (const auto& [mark, word] : {std::pair<std::string, std::string>{"SIDE", side}, {"LR", side.substr(0, 1)}})
      if (const size_t at = called.find(mark); at != std::string::npos) called.replace(at, mark.size(), word);
    c.nodes[j].name = called;
  }
  c.meshes[0].name = c.nodes[joints.size()].name = "Body";
  for (Primitive& p : c.meshes[0].primitives) p.material = "Skin";
  return c;
}

const Names kFox = {{"hips", "b_Hip_01"},         {"belly", "b_Spine01_02"},    {"chest", "b_Spine02_03"},
                    {"neck", "b_Neck_04"},        {"head", "b_Head_05"},        {"jaw", "b_Jaw_06"},
                    {"ear", "b_SIDEEar_07"},      {"tail_a", "b_Tail01_012"},   {"tail_b", "b_Tail02_013"},
                    {"tail_c", "b_Tail03_014"},   {"arm", "b_SIDEUpperArm_09"}, {"forearm", "b_SIDEForeArm_010"},
                    {"thigh", "b_SIDELeg01_015"}, {"shin", "b_SIDELeg02_016"}};
const Names kHero = {{"hips", "Hips"},       {"belly", "LowerBack"}, {"chest", "Spine"}, {"neck", "Neck"},
                     {"head", "Head"},       {"jaw", "Jaw"},         {"ear", "Ear.LR"},  {"tail_a", "Tail1"},
                     {"tail_b", "Tail2"},    {"tail_c", "Tail3"},    {"arm", "SIDEArm"}, {"forearm", "SIDEForeArm"},
                     {"thigh", "SIDEUpLeg"}, {"shin", "SIDELeg"}};

int write(const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  const auto put = [&](const char* file, const Character& c) { write_gltf((folder / file).string(), c); };
  put("fox.glb", beast(kFox, {{"Survey", 8, 0.02}, {"Walk", 9, 0.06}, {"Run", 7, 0.1}}));
  put("hero.glb", beast(kHero, {{"walk", 9, 0.06}, {"run", 7, 0.1}}));
  put("cow.glb", beast(kHero, {{"Walk", 9, 0.06}}));
  Names prefixed = kHero;
  for (auto& [joint, name] : prefixed) name = "mixamorig:" + name;
  put("horse.glb", beast(prefixed, {{"Gallop", 9, 0.08}}));
  write_tet_mesh((folder / "beam.msh").string(), make_box(12, 2, 2, Vec3(0.6, 0.1, 0.1)));
  for (const char* example : {"bar", "sunflower", "rig-elephant"}) {
    demos::write_example(example, (folder / example).string(), {.short_shot = true});
  }
  return 0;
}

}  // namespace
}  // namespace supple::cast

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  return supple::cast::write(argv[1]);
}
