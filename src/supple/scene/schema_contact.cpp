// What the flesh touches.
#include "supple/scene/schema_rows.h"

namespace supple {

namespace {

// Keys that all placed meshes have.
template <auto S, class T>
std::vector<KeySpec> placing(const char* table) {
  return {
      Row(table, "position", list_slot<S, &T::position>, "Where its origin goes.").in("m").without("[0, 0, 0]"),
      Row(table, "rotation", list_slot<S, &T::rotation>, "Turned by so much about x, then y, then z, before that.")
          .in("degrees")
          .without("[0, 0, 0]"),
      Row(table, "scale", list_slot<S, &T::scale>, "File units to metres, before that.").above(0),
  };
}

}  // namespace

std::vector<KeySpec> contact_keys() {
  constexpr auto C = &SceneConfig::contact;
  constexpr auto O = &SceneConfig::obstacles;
  constexpr auto P = &SceneConfig::planes;
  constexpr auto B = &SceneConfig::bodies;
  const char* as_flesh = "as in [material]";
  std::vector<KeySpec> keys = {
      Row("contact", "self", slot<C, &ContactConfig::self>, "The body against itself."),
      Row("contact", "thickness", slot<C, &ContactConfig::thickness>,
          "How near surfaces come before they push. auto: 0.2 % of the size.")
          .in("m")
          .above(0)
          .or_word("auto"),
      Row("contact", "friction", slot<C, &ContactConfig::friction>, "Coulomb's coefficient.").at_least(0).at_most(10),
      Row("contact", "amplitude", slot<C, &ContactConfig::amplitude>,
          "Amount of what hits do: how many times further the flesh is thrown by other bodies, beyond where their "
          "lasting push brings it.")
          .at_least(0)
          .at_most(100),
      Row("contact", "surface", slot<C, &ContactConfig::surface>,
          "What touches: the boundary of the tets, or the drawn surface that they carry. auto: the drawn one if it has "
          "no more than a million triangles.")
          .one_of({"auto", "tets", "drawn"}),
      Row("contact.obstacle", "file", list_slot<O, &ObstacleConfig::file>,
          "A surface, open or closed: .obj, or .glb and .gltf, which move by their clip if they have one.")
          .needed(),
      Row("contact.obstacle", "name", list_slot<O, &ObstacleConfig::name>, "What messages call it.")
          .without("that of the file"),
      Row("contact.obstacle", "cache", list_slot<O, &ObstacleConfig::cache>,
          "Of an .obj: where its vertices go, a .pc2 or .mdd in the units of the file. Samples of a .pc2 are as many "
          "frames apart as it says, those of an .mdd have times.")
          .without("it stays"),
      Row("contact.obstacle", "clip", list_slot<O, &ObstacleConfig::clip>, "Of a glTF file: which animation.")
          .without("the first, if there is one"),
  };
  const auto add = [&](const std::vector<KeySpec>& more) { keys.insert(keys.end(), more.begin(), more.end()); };
  add(placing<O, ObstacleConfig>("contact.obstacle"));
  add({
      Row("contact.plane", "normal", list_slot<P, &PlaneConfig::normal>,
          "Away from what is out of bounds, of any length.")
          .without("up"),
      Row("contact.plane", "point", list_slot<P, &PlaneConfig::point>, "A point on it.").in("m").without("[0, 0, 0]"),
      Row("body", "name", list_slot<B, &BodyConfig::name>, "Its name, in messages and of its files.").needed(),
      Row("body", "file", list_slot<B, &BodyConfig::file>,
          "Tets (.msh, .node/.ele, .veg, .mesh, .vtk), or a surface (.obj, .glb, .gltf) that is filled with them.")
          .needed(),
      Row("body", "edge", list_slot<B, &BodyConfig::edge>, "Of a surface: the longest edge of its tets.")
          .in("m")
          .above(0)
          .or_word("auto"),
  });
  add(placing<B, BodyConfig>("body"));
  add({
      Row("body", "velocity", list_slot<B, &BodyConfig::velocity>, "At the start.").in("m/s").without("[0, 0, 0]"),
      Row("body", "spin", list_slot<B, &BodyConfig::spin>, "At the start, about its centre of mass.")
          .in("degrees/s")
          .without("[0, 0, 0]"),
      Row("body", "rigid", list_slot<B, &BodyConfig::rigid>, "It does not deform. Its surface must be closed."),
      Row("body", "material.youngs_modulus", list_slot<B, &BodyConfig::youngs_modulus>, "Young's modulus.")
          .in("Pa")
          .above(0)
          .without("as in [material]; 2e4 where that has none"),
      Row("body", "material.poisson_ratio", list_slot<B, &BodyConfig::poisson_ratio>, "Poisson ratio.")
          .above(-1)
          .below(0.5)
          .without(as_flesh),
      Row("body", "material.density", list_slot<B, &BodyConfig::density>, "Density.")
          .in("kg/m^3")
          .above(0)
          .without(as_flesh),
      Row("body", "material.half_life_s", list_slot<B, &BodyConfig::half_life_s>,
          "Time in which its slowest jiggle halves.")
          .in("s")
          .above(0)
          .without("as in [material]"),
      Row("body", "material.stiffness_damping", list_slot<B, &BodyConfig::stiffness_damping>, "Or its damping itself.")
          .in("s")
          .at_least(0)
          .without("from half_life_s"),
  });
  return keys;
}

}  // namespace supple
