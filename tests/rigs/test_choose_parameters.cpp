#include <gtest/gtest.h>

#include "supple/base/error.h"
#include "supple/rigs/skeleton_deformer.h"

namespace supple {
namespace {

int add_cat_node(Character& c, int parent, const std::string& name) {
  Node node;
  node.name = name;
  node.parent = parent;
  const int index = static_cast<int>(c.nodes.size());
  if (parent >= 0) c.nodes[parent].children.push_back(index);
  c.nodes.push_back(node);
  c.shown.push_back(1);
  return index;
}

Primitive cat_triangle() {
  Primitive p;
  p.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  p.triangles = {{0, 1, 2}};
  return p;
}

// 0 Root - 1 Hips - 2 Tail.001 - 3 Tail.002 - 4 Tail.003 (carries nothing), 5 Fixed (a matrix), 6 Left ear, 7 Body with
// the skin and targets Smile, Tail up and Idle (which moves nothing), 8 Bow with a target Smile of its own.
struct Cat {
  Character character;
  Drawn drawn;
  Cat() {
    Character& c = character;
    c.file = "cat.glb";
    add_cat_node(c, -1, "Root");
    for (const char* name : {"Hips", "Tail.001", "Tail.002", "Tail.003"})
      add_cat_node(c, static_cast<int>(c.nodes.size()) - 1, name);
    c.nodes[add_cat_node(c, 1, "Fixed")].matrix = Affine::Identity();
    add_cat_node(c, 1, "Left ear");
    Skin skin;
    skin.joints = {1, 2, 3, 4, 5, 6};
    skin.inverse_binds.assign(6, Affine::Identity());
    c.skins.push_back(skin);
    Primitive flesh = cat_triangle();
    flesh.influences = 2;
    flesh.joints = {1, 2, 4, 5, 2, 4};
    flesh.weights = {0.5, 0.5, 0.5, 0.5, 0.5, 0.5};
    for (const char* name : {"Smile", "Tail up", "Idle"}) {
      MorphTarget target;
      target.name = name;
      target.positions.assign(3, name[0] == 'I' ? Vec3(0, 0, 0) : Vec3(0, 0, 1));
      flesh.targets.push_back(target);
    }
    c.meshes.push_back({"flesh", {flesh}, {}});
    Primitive bow = cat_triangle();
    bow.targets.push_back(flesh.targets[0]);
    c.meshes.push_back({"bow", {bow}, {}});
    const int body = add_cat_node(c, 0, "Body");
    c.nodes[body].mesh = 0, c.nodes[body].skin = 0;
    c.nodes[add_cat_node(c, 3, "Bow")].mesh = 1;
    drawn = lay_out(c);
  }

  // Enough of patterns: a star at the beginning, the end or both.
  static bool matches(const std::string& pattern, const std::string& text) {
    if (pattern == "*") return true;
    const bool front = pattern.starts_with('*'), back = pattern.ends_with('*');
    const std::string word = pattern.substr(front ? 1 : 0, pattern.size() - (front ? 1 : 0) - (back ? 1 : 0));
    const size_t at = text.find(word);
    return at != std::string::npos && (front || at == 0) && (back || text.ends_with(word));
  }

  std::string chosen(const std::vector<std::string>& patterns, const JointChoice& channels = {}) const {
    try {
      const RigChoice choice = choose_parameters(character, drawn, patterns, channels, matches);
      std::string text;
      for (const JointChoice& j : choice.joints) {
        text += character.nodes[j.node].name + ":";
        text += std::string(j.rotation ? "r" : "") + (j.translation ? "t" : "") + (j.scale ? "s" : "") + " ";
      }
      for (const MorphChoice& m : choice.morphs)
        text += character.nodes[m.node].name + "/" + std::to_string(m.target) + " ";
      return text;
    } catch (const InputError& error) {
      return std::string("error: ") + error.what();
    }
  }
};

TEST(ChooseParameters, JointsByName) {
  const Cat cat;
  EXPECT_EQ(cat.chosen({}), "");
  EXPECT_EQ(cat.chosen({"Hips"}), "Hips:r ");  // carries nothing itself, but what is below does
  EXPECT_EQ(cat.chosen({"Root"}), "Root:r ");
  EXPECT_EQ(cat.chosen({"Tail*"}), "Tail.001:r Tail.002:r ");  // Tail.003 carries nothing
  EXPECT_EQ(cat.chosen({"Tail.002"}, {-1, true, true, false}), "Tail.002:rt ");
  EXPECT_EQ(cat.chosen({"Bow"}), "Bow:r ");
  EXPECT_EQ(cat.chosen({"Left ear"}), cat.chosen({"Left_ear"}));
}

TEST(ChooseParameters, Channels) {
  const Cat cat;
  EXPECT_EQ(cat.chosen({"Tail*.scale"}), "Tail.001:s Tail.002:s ");
  EXPECT_EQ(cat.chosen({"Hips.translation", "Tail.001.rotation"}, {-1, true, true, true}), "Hips:t Tail.001:r ");
  // What is chosen twice has the channels of both.
  EXPECT_EQ(cat.chosen({"Tail.002.scale", "Tail*", "Tail.002.translation"}), "Tail.002:rts Tail.001:r ");
}

TEST(ChooseParameters, MorphTargets) {
  const Cat cat;
  EXPECT_EQ(cat.chosen({"Smile"}), "Body/0 Bow/0 ");
  EXPECT_EQ(cat.chosen({"Body.weights.Smile"}), "Body/0 ");
  EXPECT_EQ(cat.chosen({"*.weights.*"}), "Body/0 Body/1 Bow/0 ");  // Idle moves nothing
  EXPECT_EQ(cat.chosen({"Tail_up", "Body.weights.Tail*"}), "Body/1 ");
  EXPECT_EQ(cat.chosen({"Hips", "Smile"}), "Hips:r Body/0 Bow/0 ");
}

TEST(ChooseParameters, SaysWhatIsWrong) {
  const Cat cat;
  const auto says = [&](const std::vector<std::string>& patterns, const std::string& text,
                        const JointChoice& channels = {}) {
    const std::string answer = cat.chosen(patterns, channels);
    EXPECT_TRUE(answer.starts_with("error: ") && answer.find(text) != std::string::npos) << answer;
  };
  says({"Tale.001"}, "did you mean \"Tail.001\"");
  says({"Hops.rotation"}, "did you mean \"Hips\"");
  says({"Smiles"}, "did you mean \"Smile\"");
  says({"Trunk*"}, "there are Root, Hips, Tail.001, Tail.002, Left_ear, Bow, Body.weights.Smile");
  says({"Tail.003"}, "\"Tail.003\" moves nothing that is drawn");
  says({"Body.rotation"}, "\"Body\" moves nothing that is drawn");
  says({"Fixed"}, "its placement is a matrix");
  says({"Fix*"}, "joint Fixed");
  says({"Hips"}, "none of its channels", {-1, false, false, false});
}

}  // namespace
}  // namespace supple
