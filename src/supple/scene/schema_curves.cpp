// What `supple curves` does.
#include "supple/scene/schema_rows.h"

namespace supple {

namespace {

std::vector<KeySpec> rig_keys() {
  constexpr auto C = &SceneConfig::curves;
  using T = CurvesConfig;
  return {
      Row("curves", "free", slot<C, &T::free>,
          "What physics fills in: names of parameters, joints or morph targets, with * and ?: \"Tail*\", "
          "\"Hips.translation\", \"belly.*.y\". supple curves --list prints all that there are.")
          .without("what the layers say"),
      Row("curves", "channels", slot<C, &T::channels>, "What is free of joints that are chosen by their name alone.")
          .one_of({"rotation", "translation", "scale"}),
      Row("curves", "rotations", slot<C, &T::rotations>,
          "Three numbers of a rotation: a vector along its axis, as long as its angle, or angles about x, y, z.")
          .one_of({"exponential", "euler"}),
      Row("curves", "keys", slot<C, &T::keys>,
          "Values of parameters, frame by frame: .csv of \"frame,name,name,...\" or .json. Those of free ones are "
          "where "
          "they start, and what pose holds.")
          .without("as the clip says; deformers at rest"),
      Row("curves", "pose", slot<C, &T::pose>,
          "What the flesh is at rest in. keyed: each frame as it is drawn, so that physics adds what motion does; "
          "rest: "
          "the shape of the file, which then hangs under gravity.")
          .one_of({"keyed", "rest"}),
      Row("curves", "motion", slot<C, &T::motion>, "static: every frame in equilibrium, without inertia.")
          .one_of({"dynamic", "static"}),
      Row("curves", "interior", slot<C, &T::interior>,
          "What is inside moves by itself, with waves that pass through, or follows the surface at once.")
          .one_of({"dynamic", "static"}),
      Row("curves", "solver", slot<C, &T::solver>,
          "newton: with second derivatives of the rig; quasi-newton: without. auto: newton where the rig offers them.")
          .one_of({"auto", "newton", "quasi-newton"}),
      Row("curves", "derivatives", slot<C, &T::derivatives>,
          "auto: exact where the rig offers them; differences: of its evaluations, as of a black box.")
          .one_of({"auto", "differences"}),
      Row("curves", "bend", slot<C, &T::bend>,
          "What is keyed may bend the body by this share of a tet's edge in a step; where it bends more, the step is "
          "taken in parts.")
          .above(0)
          .at_most(100),
      Row("curves", "frequency_hz", slot<C, &T::frequency_hz>,
          "Frequency of the slowest swing of what is free, where no material.youngs_modulus is given.")
          .in("Hz")
          .above(0),
      Row("curves", "margin", slot<C, &T::margin>,
          "So many rings of tets around what free parameters move take part; the rest of the body is left out, and "
          "tets that are built are as many as [tets] says for what takes part alone. 0: all of it takes part.")
          .at_least(0)
          .at_most(1000),
      Row("curves", "ridge", slot<C, &T::ridge>,
          "How much the stiffness of tets keeps to that of the flesh where [[curves.stiffness]] leaves it open.")
          .above(0)
          .at_most(100),
      Row("curves", "refit", slot<C, &T::refit>,
          "The stiffness of tets is found anew where it misses what [[curves.stiffness]] asks for by more than this "
          "share. 0: it is found once, at rest.")
          .at_least(0)
          .at_most(100),
      Row("curves", "modes", slot<C, &T::modes>,
          "Simulate in so many combinations of the free parameters, those that curves use most. 0: in all of them.")
          .at_least(0)
          .at_most(1000),
      Row("curves", "modes_from", slot<C, &T::modes_from>,
          "Curves that the combinations are learnt from: curves.csv or curves.json of another run.")
          .without("those of a first pass without modes"),
      Row("curves", "mode_scale", slot<C, &T::mode_scale>,
          "Multiplies the combinations, the strongest first, in the result.")
          .at_least(-100)
          .at_most(100)
          .without("1 of each"),
      Row("curves", "clip", slot<C, &T::clip>, "What the new clip is called.")
          .without("as the one it was made from, and \"curves\""),
      Row("curves", "key_error", slot<C, &T::key_error>,
          "How far keys may be from the curves: radians, plain numbers, and of lengths this share of the size. 0: a "
          "key a frame wherever it is not on a line.")
          .at_least(0)
          .at_most(1),
      Row("curves", "key_interpolation", slot<C, &T::key_interpolation>, "Between the keys of the new clip.")
          .one_of({"linear", "cubic"}),
      Row("curves", "rig", slot<C, &T::rig>,
          "A program that is the rig, started by this command and spoken with over its standard input and output "
          "(docs/reference/rig-protocol.md). Only with --allow-run on the command line.")
          .without("the surface's own"),
      Row("curves", "processes", slot<C, &T::processes>, "How many of it run side by side.").at_least(1).at_most(256),
      Row("curves", "timeout_s", slot<C, &T::timeout_s>, "How long one answer of it may take.").in("s").above(0),
  };
}

std::vector<KeySpec> deformer_keys() {
  constexpr auto D = &SceneConfig::deformers;
  using T = DeformerConfig;
  const char* name = "curves.deformer";
  return {
      Row(name, "name", list_slot<D, &T::name>, "What its parameters begin with.").needed(),
      Row(name, "kind", list_slot<D, &T::kind>,
          "lattice: a box of control points; cage: a closed mesh around the surface; wire: a curve that drags what is "
          "near; blend: shapes with weights; transform: it is moved, turned and scaled.")
          .one_of({"lattice", "cage", "wire", "blend", "transform"})
          .needed(),
      Row(name, "space", list_slot<D, &T::space>,
          "rest: before bones bend the surface, as it is bound; world: after them.")
          .one_of({"rest", "world"}),
      Row(name, "centre", list_slot<D, &T::centre>, "Middle of a lattice's box; pivot of a transform.")
          .in("m")
          .without("middle of the surface"),
      Row(name, "size", list_slot<D, &T::size>, "Sides of a lattice's box.").in("m").without("those of the surface"),
      Row(name, "rotation", list_slot<D, &T::rotation>, "The box is turned about x, then y, then z.")
          .in("degrees")
          .without("[0, 0, 0]"),
      Row(name, "divisions", list_slot<D, &T::divisions>,
          "Control points of a lattice along its sides: \"name.i.j.k.x\" are its parameters.")
          .at_least(2)
          .at_most(32),
      Row(name, "basis", list_slot<D, &T::basis>,
          "Of a lattice. bernstein: each control point acts everywhere; bspline: near it.")
          .one_of({"bernstein", "bspline"}),
      Row(name, "fade", list_slot<D, &T::fade>,
          "Of a lattice: it acts less towards its faces, so that a surface that leaves the box does not tear. A box "
          "without a size of its own has all of the surface in it and does not fade."),
      Row(name, "file", list_slot<D, &T::file>,
          "Of a cage: an .obj of it, closed, around all that it moves; of a wire: an .obj of a polyline, or of points "
          "in "
          "order. In the units of the surface, as it is bound.")
          .without("needed by cage and wire"),
      Row(name, "shapes", list_slot<D, &T::shapes>,
          "Of a blend: .obj files with the vertices of the surface; the parameters are \"name.FILE\".")
          .without("needed by blend"),
      Row(name, "channels", list_slot<D, &T::channels>,
          "What its parameters are: x, y, z of control points, and twist of a wire; translation, rotation, scale (one "
          "an axis) or uniform-scale of a transform.")
          .one_of({"x", "y", "z", "twist", "translation", "rotation", "scale", "uniform-scale"})
          .without("x, y, z; of a transform translation and rotation"),
      Row(name, "points", list_slot<D, &T::points>,
          "Control points of a cage or wire that move, counted from 0: a list, or a file of one a line.")
          .at_least(0)
          .without("all"),
      Row(name, "radius", list_slot<D, &T::radius>, "Of a wire: how far around it the surface follows.")
          .in("m")
          .above(0)
          .without("needed by wire"),
  };
}

std::vector<KeySpec> other_lists() {
  constexpr auto L = &SceneConfig::curve_layers;
  constexpr auto S = &SceneConfig::curve_stiffness;
  constexpr auto H = &SceneConfig::curve_handles;
  const char* as_all = "as in [curves]";
  return {
      Row("curves.layer", "name", list_slot<L, &CurveLayerConfig::name>, "What the report calls it.")
          .without("its number"),
      Row("curves.layer", "free", list_slot<L, &CurveLayerConfig::free>, "Like curves.free.").needed(),
      Row("curves.layer", "frequency_hz", list_slot<L, &CurveLayerConfig::frequency_hz>, "Like curves.frequency_hz.")
          .in("Hz")
          .above(0)
          .without(as_all),
      Row("curves.layer", "modes", list_slot<L, &CurveLayerConfig::modes>, "Like curves.modes.")
          .at_least(0)
          .at_most(1000)
          .without(as_all),
      Row("curves.stiffness", "match", list_slot<S, &CurveStiffnessConfig::match>,
          "Which free parameters, with * and ?. Of several that match, the last counts.")
          .needed(),
      Row("curves.stiffness", "scale", list_slot<S, &CurveStiffnessConfig::scale>,
          "How many times stiffer they shall be.")
          .above(0)
          .at_most(1e6)
          .needed(),
      Row("curves.handle", "name", list_slot<H, &CurveHandleConfig::name>, "What messages call it.").needed(),
      Row("curves.handle", "vertex", list_slot<H, &CurveHandleConfig::vertex>, "Vertex of the surface, counted from 0.")
          .at_least(0)
          .without("the one nearest to point"),
      Row("curves.handle", "point", list_slot<H, &CurveHandleConfig::point>, "Or where it is on the surface at rest.")
          .in("m")
          .without("vertex says it"),
      Row("curves.handle", "track", list_slot<H, &CurveHandleConfig::track>,
          "Where it is pulled to: a .csv of frame,x,y,z in metres, eased between keys.")
          .without("where the input has it"),
      Row("curves.handle", "strength", list_slot<H, &CurveHandleConfig::strength>,
          "How strong the pull is beside the stiffness of the flesh.")
          .above(0)
          .at_most(1e9),
  };
}

}  // namespace

std::vector<KeySpec> curves_keys() {
  std::vector<KeySpec> all;
  for (const auto& part : {rig_keys(), deformer_keys(), other_lists()}) all.insert(all.end(), part.begin(), part.end());
  return all;
}

}  // namespace supple
