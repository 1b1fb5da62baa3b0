// What `supple live` makes.
#include "supple/scene/schema_rows.h"

namespace supple {

std::vector<KeySpec> live_keys() {
  constexpr auto L = &SceneConfig::live;
  constexpr auto P = &SceneConfig::live_parts;
  using T = LiveConfig;
  using Q = LivePartConfig;
  const char* as_all = "as in [live]";
  return {
      Row("live", "deliver", slot<L, &T::deliver>,
          "What is written. live: modes as morph targets with all that a runtime needs; baked: the same with the "
          "answer to the clips as animations that any viewer plays; bones: helper joints with keys in place of morph "
          "targets; springs: VRM spring bones that ring like the parts.")
          .one_of({"live", "baked", "bones", "springs"}),
      Row("live", "clips", slot<L, &T::clips>, "Clips whose motion decides which modes count, and which are baked.")
          .without("all"),
      Row("live", "modes", slot<L, &T::modes>, "Most modes a part, corrections aside.").at_least(1).at_most(200),
      Row("live", "share", slot<L, &T::share>,
          "No more modes are taken once they make up so much of the answer to motion like the character's.")
          .above(0)
          .at_most(1),
      Row("live", "elements", slot<L, &T::elements>, "Tets of ten nodes, which bend as they should, or of four.")
          .one_of({"ten-node", "four-node"}),
      Row("live", "refine", slot<L, &T::refine>, "How many times every tet of a part is cut in eight.")
          .at_least(0)
          .at_most(3),
      Row("live", "normals", slot<L, &T::normals>,
          "How many modes of a part, the most excited first, turn normals too.")
          .at_least(0)
          .or_word("all"),
      Row("live", "corrections", slot<L, &T::corrections>,
          "A few more shapes a part that make hanging and leaning exact however few modes there are."),
      Row("live", "coriolis", slot<L, &T::coriolis>, "With the force on what moves while the bone turns."),
      Row("live", "blend", slot<L, &T::blend>, "Rings of tets over which parts that meet fade into each other.")
          .at_least(0)
          .at_most(8),
      Row("live", "force_limit", slot<L, &T::force_limit>,
          "Largest acceleration of a bone that the flesh is told of. 0: any.")
          .in("m/s^2")
          .at_least(0),
      Row("live", "angular_force_limit", slot<L, &T::angular_force_limit>, "The same of its turning. 0: any.")
          .in("rad/s^2")
          .at_least(0),
      Row("live", "weight_limit", slot<L, &T::weight_limit>,
          "Weights of morph targets are bent towards this from seven tenths of it on. A weight of 1 is a little more "
          "than the clips reach. 0: no limit.")
          .at_least(0),
      Row("live", "joints", slot<L, &T::joints>, "Of bones: most helper joints a part.").at_least(1).at_most(32),
      Row("live", "joint_error", slot<L, &T::joint_error>,
          "Of bones: no more joints are taken once the error (rms) is this share of the part's largest motion.")
          .above(0)
          .at_most(1),
      Row("live.part", "name", list_slot<P, &Q::name>, "What it is called.").needed(),
      Row("live.part", "region", list_slot<P, &Q::region>,
          "Which flesh: a [[region]] of the scene, or the bone that leads it.")
          .without("all of it"),
      Row("live.part", "shape", list_slot<P, &Q::shape>,
          "Only what is inside this shape, placed on the character as it is bound, in metres.")
          .one_of({"ellipsoid", "box", "capsule"})
          .without("no shape"),
      Row("live.part", "centre", list_slot<P, &Q::centre>, "Its middle.").in("m").without("needed with shape"),
      Row("live.part", "size", list_slot<P, &Q::size>,
          "Radii of an ellipsoid, half sides of a box; of a capsule: radius, half length along its y, radius.")
          .in("m")
          .without("needed with shape"),
      Row("live.part", "rotation", list_slot<P, &Q::rotation>, "It is turned about x, then y, then z.")
          .in("degrees")
          .without("[0, 0, 0]"),
      Row("live.part", "bone", list_slot<P, &Q::bone>, "The bone it rides on.")
          .without("the one that carries most of what holds it"),
      Row("live.part", "frequency_hz", list_slot<P, &Q::frequency_hz>, "Of its slowest mode.")
          .in("Hz")
          .above(0)
          .without("that of its flesh"),
      Row("live.part", "half_life_s", list_slot<P, &Q::half_life_s>, "Of its slowest mode.")
          .in("s")
          .above(0)
          .without("that of its flesh"),
      Row("live.part", "modes", list_slot<P, &Q::modes>, "Most modes, corrections aside.")
          .at_least(1)
          .at_most(200)
          .without(as_all),
  };
}

}  // namespace supple
