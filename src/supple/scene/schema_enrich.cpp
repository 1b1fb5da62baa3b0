// What `supple enrich` does.
#include "supple/scene/schema_rows.h"

namespace supple {

std::vector<KeySpec> enrich_keys() {
  constexpr auto E = &SceneConfig::enrich;
  using T = EnrichConfig;
  return {
      Row("enrich", "tracked", slot<E, &T::tracked>,
          "Which vertices of the surface the cache moves, in its order: indices, a file of one index a line, or an "
          ".obj of them, found by their places. The rest is completed.")
          .at_least(0)
          .without("all"),
      Row("enrich", "points", slot<E, &T::points>,
          "The cache moves these points, which are no vertices of the surface: an .obj of their places beside the "
          "neutral surface.")
          .without("vertices"),
      Row("enrich", "fit", slot<E, &T::fit>,
          "How stiff the tets are against being bent along with the animation, beside the pull of the surface. Less "
          "follows more closely, more is smoother.")
          .above(0)
          .at_most(100),
      Row("enrich", "fit_model", slot<E, &T::fit_model>,
          "What these tets are made of. With invertible-stvk, as published, more tets turn inside out.")
          .one_of({"stable-neo-hookean", "invertible-stvk"}),
      Row("enrich", "apart", slot<E, &T::apart>,
          "The shape that tets are made around, where parts that touch at rest (lips, an ear at the head) are apart: "
          "\"frame:N\" of the animation, or an .obj of the same vertices.")
          .one_of({"neutral"}),
      Row("enrich", "softness", slot<E, &T::softness>,
          "How soft what is soft is: 1 goes its own way, 0 follows the animation, in between it is pulled to it. "
          "Multiplies what is painted.")
          .at_least(0)
          .at_most(1),
      Row("enrich", "soft", slot<E, &T::soft>,
          "Painted softness: an attribute or a channel of the vertex colors (\"COLOR_0.r\"), or a file of lines "
          "\"vertex value\". Values of a file are spread over the rest.")
          .without("1 everywhere"),
      Row("enrich", "fixed", slot<E, &T::fixed>,
          "Vertices of the surface that follow exactly: indices, or a file of one index a line.")
          .at_least(0)
          .without("those painted 0"),
      Row("enrich", "soft_keys", slot<E, &T::soft_keys>,
          "Multiplies the softness over the shot: [[frame, factor], ...] or a .csv of frame,factor, eased between "
          "keys.")
          .at_least(0)
          .without("the same all along"),
      Row("enrich", "drive", slot<E, &T::drive>, "How strongly flesh that is half soft is pulled to the animation.")
          .above(0),
      Row("enrich", "frequency_hz", slot<E, &T::frequency_hz>,
          "Frequency of soft parts, where no material.youngs_modulus is given.")
          .in("Hz")
          .above(0),
      Row("enrich", "blend", slot<E, &T::blend>,
          "How much of the physics is shown, by blending after the simulation: 0 the animation, 1 all. Can be changed "
          "without simulating again.")
          .at_least(0)
          .at_most(1),
      Row("enrich", "blend_map", slot<E, &T::blend_map>, "Multiplies blend over the surface; like soft.")
          .without("1 everywhere"),
      Row("enrich", "blend_keys", slot<E, &T::blend_keys>, "Multiplies blend over the shot; like soft_keys.")
          .at_least(0)
          .without("the same all along"),
      Row("enrich", "detail", slot<E, &T::detail>,
          "Detail of the animation that is finer than the tets is kept, and turned with the flesh."),
      Row("enrich", "interpolation", slot<E, &T::interpolation>,
          "How tets carry the surface: smooth shows no facets, barycentric is one tet for each vertex.")
          .one_of({"smooth", "barycentric"}),
      Row("enrich", "rigid", slot<E, &T::rigid>,
          "Parts of the surface that do not deform (teeth): names of OBJ groups, materials or meshes, * for any.")
          .without("none"),
  };
}

}  // namespace supple
