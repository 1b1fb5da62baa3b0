// The tables of which a scene may have many.
#include "supple/scene/looks.h"
#include "supple/scene/schema_rows.h"

namespace supple {

std::vector<KeySpec> part_keys() {
  constexpr auto S = &SceneConfig::parts;
  using T = PartConfig;
  return {
      Row("part", "match", list_slot<S, &T::match>, "Which pieces: name of the mesh, material or piece, with * and ?.")
          .needed(),
      Row("part", "role", list_slot<S, &T::role>,
          "soft: flesh; rides: goes with the flesh below; rigid: as animated, and the flesh beside it too; ignore: as "
          "animated.")
          .one_of({"soft", "rides", "rigid", "ignore"})
          .needed(),
  };
}

std::vector<KeySpec> region_keys() {
  constexpr auto S = &SceneConfig::regions;
  using T = RegionConfig;
  const char* inherited = "as in [material]";
  const char* dial = "as in [controls]";
  return {
      Row("region", "name", list_slot<S, &T::name>,
          "Its name. Of a tet file: that of a physical group; of a character without any of the five keys below: that "
          "of the bone that leads it, or a word for a place on the body, such as belly or thighs.")
          .needed(),
      Row("region", "bones", list_slot<S, &T::bones>,
          "Of a character: flesh that these bones lead, by name with * and ?; words for places on the body too. With "
          "several of these five keys: what all of them have.")
          .without("any"),
      Row("region", "map", list_slot<S, &T::map>,
          "Of a character: where this painted map is above a half: an attribute or a channel of the vertex colours.")
          .without("anywhere"),
      Row("region", "material", list_slot<S, &T::material>, "Of a character: skin of this material, with * and ?.")
          .without("any"),
      Row("region", "vertices", list_slot<S, &T::vertices>,
          "Of what is enriched: vertices of its surface: indices, or a file of one index a line.")
          .at_least(0)
          .without("any"),
      Row("region", "mesh", list_slot<S, &T::mesh>, "Of a character: skin of this mesh, with * and ?.").without("any"),
      Row("region", "place", list_slot<S, &T::place>,
          "Of a character: where it is by the shape of the body, as a look says it: a part (trunk, leg.L, tail, ...), "
          "then twelve rows along it of eight digits around it, 0 not there to 9 all of it.")
          .without("anywhere"),
      Row("region", "mirror", list_slot<S, &T::mirror>,
          "Of a character: the same on the other side, as a region with left and right changed in its name."),
      Row("region", "look", list_slot<S, &T::look>, "What the flesh is like here.")
          .one_of(look_names())
          .without("as in [material]"),
      Row("region", "soft", list_slot<S, &T::soft>,
          "Of a character: 1 makes it flesh, 0 makes it follow exactly, as if it were painted so.")
          .at_least(0)
          .at_most(1)
          .without("as [attach] says"),
      Row("region", "mix", list_slot<S, &T::mix>, "How much of the departure is shown here.")
          .at_least(0)
          .at_most(10)
          .without("as in [output]"),
      Row("region", "limit_m", list_slot<S, &T::limit_m>, "No departure is longer than this here.")
          .in("m")
          .at_least(0)
          .without("as in [output]"),
      Row("region", "axis", list_slot<S, &T::axis>, "The departure along each local axis times this, here.")
          .without("as in [output]"),
      Row("region", "youngs_modulus", list_slot<S, &T::youngs_modulus>, "Young's modulus here.")
          .in("Pa")
          .above(0)
          .without(inherited),
      Row("region", "poisson_ratio", list_slot<S, &T::poisson_ratio>, "Poisson ratio here.")
          .above(-1)
          .below(0.5)
          .without(inherited),
      Row("region", "density", list_slot<S, &T::density>, "Density here.").in("kg/m^3").above(0).without(inherited),
      Row("region", "volume_penalty", list_slot<S, &T::volume_penalty>, "Volume penalty here, for stvk only.")
          .at_least(0)
          .without(inherited),
      Row("region", "stiffness_damping", list_slot<S, &T::stiffness_damping>, "Stiffness damping here.")
          .in("s")
          .at_least(0)
          .without(inherited),
      Row("region", "frequency", list_slot<S, &T::frequency>, "Speed dial here.").above(0).without(dial),
      Row("region", "amplitude", list_slot<S, &T::amplitude>, "Amount dial here.").at_least(0).without(dial),
      Row("region", "sag", list_slot<S, &T::sag>, "Sag dial here.").at_least(0).without(dial),
      Row("region", "half_life", list_slot<S, &T::half_life>, "Settle dial here.").above(0).without(dial),
      Row("region", "frequency_hz", list_slot<S, &T::frequency_hz>,
          "Frequency of the slowest swing here, with all else held.")
          .in("Hz")
          .above(0)
          .without(dial),
      Row("region", "sag_m", list_slot<S, &T::sag_m>, "Mean sag here.").in("m").at_least(0).without(dial),
      Row("region", "half_life_s", list_slot<S, &T::half_life_s>, "Half-life here.").in("s").above(0).without(dial),
  };
}

std::vector<KeySpec> flesh_keys() {
  constexpr auto S = &SceneConfig::flesh;
  using T = FleshConfig;
  return {
      Row("flesh", "bone", list_slot<S, &T::bone>, "The bone that leads this flesh, or the name of a region.").needed(),
      Row("flesh", "frequency_hz", list_slot<S, &T::frequency_hz>,
          "Frequency of the slowest swing of the connected flesh this is part of; where its bones differ, that of the "
          "heaviest counts.")
          .in("Hz")
          .above(0)
          .without("by its thickness"),
      Row("flesh", "half_life_s", list_slot<S, &T::half_life_s>, "Half-life.").in("s").above(0).without("0.2"),
      Row("flesh", "swing", list_slot<S, &T::swing>,
          "How far it gives way before the dials under a steady acceleration of 3 body heights a second squared, as a "
          "share of its thickness, of what trails of its thickness and twice its length.")
          .above(0)
          .without("as material.swing says"),
      Row("flesh", "inertia", list_slot<S, &T::inertia>,
          "Scale of the inertial forces before the dials, in place of swing; 1 is what physics says.")
          .at_least(0)
          .without("as much as swing takes"),
  };
}

std::vector<KeySpec> tuned_keys() {
  constexpr auto S = &SceneConfig::tuned;
  using T = TunedConfig;
  return {
      Row("tuned", "part", list_slot<S, &T::part>, "The part of the flesh, by the name that reports call it.").needed(),
      Row("tuned", "chi", list_slot<S, &T::chi>, "Stiffness, and gravity with it, times the square of this.").above(0),
      Row("tuned", "mu", list_slot<S, &T::mu>, "Gravity times this besides.").at_least(0),
      Row("tuned", "ck", list_slot<S, &T::ck>, "Stiffness damping times this.").at_least(0),
      Row("tuned", "epsilon", list_slot<S, &T::epsilon>, "Inertial forces times this.").at_least(0),
  };
}

}  // namespace supple
