#include <algorithm>
#include <cmath>

#include "supple/scene/looks.h"
#include "supple/scene/schema_rows.h"

namespace supple {

namespace {

std::vector<KeySpec> surface_keys() {
  constexpr auto S = &SceneConfig::surface;
  using T = SurfaceConfig;
  return {
      Row("surface", "file", slot<S, &T::file>,
          "What is drawn: an animated character (.glb, .gltf), an .obj surface with a cache, or one carried by the "
          "tets.")
          .without("the boundary of the tets is drawn"),
      Row("surface", "cache", slot<S, &T::cache>,
          "Of an .obj surface: where its vertices go, a .pc2 or .mdd with one sample a frame, in the units of the "
          "surface. It is then a character without bones: tets are built from it, what is thick is soft.")
          .without("the surface does not move by itself"),
      Row("surface", "clip", slot<S, &T::clip>, "Of a character: which animation, by name or number.")
          .without("the first"),
      Row("surface", "scale", slot<S, &T::scale>, "File units to metres.")
          .above(0)
          .without("1; a character is taken to be 1.8 m from end to end"),
      Row("surface", "height", slot<S, &T::height>, "Of a character: its real height, in place of scale.")
          .in("m")
          .above(0)
          .without("from scale"),
      Row("surface", "rest", slot<S, &T::rest>,
          "Of a character with output.shape = simulated: authored: the bind shape is what hangs under gravity at sag "
          "1; weightless: gravity pulls "
          "the bind shape down; frame:12: the shape without stress is that of frame 12 of the clip, counted from 0; a "
          "file (.obj, .glb, .gltf): it is the shape of these vertices, as many as are drawn and in their order, in "
          "the units of the character.")
          .one_of({"authored", "weightless"}),
  };
}

std::vector<KeySpec> tets_keys() {
  constexpr auto S = &SceneConfig::tets;
  using T = TetsConfig;
  return {
      Row("tets", "file", slot<S, &T::file>, "What is simulated: .msh (2.2, 4.1), .node/.ele, .veg, .mesh or .vtk.")
          .without("built from the character"),
      Row("tets", "repair", slot<S, &T::repair>,
          "Mend what can be mended: turn inverted tets around, drop flat and double ones. Otherwise such a file is "
          "refused."),
      Row("tets", "scale", slot<S, &T::scale>, "File units to metres.").above(0),
      Row("tets", "edge", slot<S, &T::edge>, "Tets built from a character: their longest edge.")
          .in("m")
          .above(0)
          .without("by count or preset"),
      Row("tets", "count", slot<S, &T::count>, "Or about so many of them.")
          .at_least(100)
          .at_most(2e6)
          .without("by edge or preset"),
      Row("tets", "preset", slot<S, &T::preset>, "Or about 3000 (preview), 10000 (final) or 30000 (fine).")
          .one_of({"preview", "final", "fine"}),
      Row("tets", "graded", slot<S, &T::graded>, "Smaller tets in thin parts."),
      Row("tets", "keep_apart", slot<S, &T::keep_apart>,
          "Parts that are close but not joined (fingers, lips) get tets of their own."),
      Row("tets", "smooth", slot<S, &T::smooth>,
          "The drawn surface blends neighbouring tets, so that a coarse cage shows no facets."),
  };
}

std::vector<KeySpec> attach_keys() {
  constexpr auto S = &SceneConfig::attach;
  using T = AttachConfig;
  return {
      Row("attach", "vertices", slot<S, &T::vertices>,
          "Tet vertices that follow the motion, counted from 0: a file with one a line, or a list. Of a character: as "
          "tets.msh of a take has them; its bones carry them, or track or rigid.")
          .at_least(0)
          .without("no vertices"),
      Row("attach", "points", slot<S, &T::points>,
          "Points inside the tets that follow the motion: an .obj whose vertices are tied by barycentric weights. Of a "
          "character: with track, rigid or stiffness likewise; else what is inside a closed mesh, or around points "
          "without one, goes with its bones.")
          .without("no points"),
      Row("attach", "track", slot<S, &T::track>,
          "Where those vertices or points go: a .pc2 or .mdd cache of absolute positions, one sample a frame. Of a "
          "character: in the units of its file, as points are.")
          .without("they stay where they are"),
      Row("attach", "rigid", slot<S, &T::rigid>, "Or a rigid motion of them: a .csv of keys t,tx,ty,tz,qx,qy,qz,qw.")
          .without("they stay where they are"),
      Row("attach", "stiffness", slot<S, &T::stiffness>, "Hold each by a spring of this stiffness.")
          .in("N/m")
          .above(0)
          .without("held exactly"),
      Row("attach", "joints", slot<S, &T::joints>,
          "Of a character: bones whose surroundings follow them, by name with * and ?.")
          .without("all, as far as the body is thin around them"),
      Row("attach", "radius", slot<S, &T::radius>, "How far around those joints.").in("m").above(0),
      Row("attach", "soft", slot<S, &T::soft>,
          "Of a character: a map painted on it, 1 is flesh and 0 follows exactly: an attribute (_SOFT) or a channel of "
          "the vertex colours (COLOR_0.r).")
          .without("the thickness decides"),
      Row("attach", "trail", slot<S, &T::trail>,
          "Of a character: bones that trail as wholes with all below them, as tails and ears do, by name with * and ?.")
          .without("chains that are slender and no limbs"),
      Row("attach", "only", slot<S, &T::only>,
          "Of a character: nothing but this stays soft; all else follows exactly. Names of bones with * and ?, of "
          "regions, of mirrored pairs, or words for places on the body: belly, thighs, tail.")
          .without("all that is found soft"),
      Row("attach", "hold", slot<S, &T::hold>, "Of a character: this follows exactly, likewise.").without("nothing"),
      Row("attach", "trailing", slot<S, &T::trailing>,
          "How they trail: drag, slowly behind what is drawn; bounce, as a spring does; off, not at all.")
          .one_of({"drag", "bounce", "off"}),
  };
}

std::vector<KeySpec> timeline_keys() {
  constexpr auto S = &SceneConfig::timeline;
  using T = TimelineConfig;
  return {
      Row("timeline", "fps", slot<S, &T::fps>, "Frames a second of the motion and of the output.")
          .in("1/s")
          .at_least(1e-3)
          .at_most(10000)
          .without("24; of a character: that of its clip"),
      Row("timeline", "substeps", slot<S, &T::substeps>,
          "Time steps a frame. auto: as many as motion and natural frequency call for.")
          .at_least(1)
          .at_most(10000)
          .or_word("auto"),
      Row("timeline", "start", slot<S, &T::start>,
          "How the shot begins. rest: the motion starts from a standstill; moving: it goes on as between its first "
          "frames; settled: the first pose is held until the flesh is still; auto: by what the motion does.")
          .one_of({"auto", "rest", "moving", "settled"}),
      Row("timeline", "pre_roll", slot<S, &T::pre_roll>,
          "Frames simulated before the first, on the motion continued backwards; they are not written.")
          .in("frames")
          .at_least(0)
          .at_most(1e6),
      Row("timeline", "loop", slot<S, &T::loop>,
          "The motion repeats, and so shall the flesh. auto: when its last pose and velocity meet its first.")
          .one_of({"auto", "true", "false"})
          .or_bool(),
      Row("timeline", "cuts", slot<S, &T::cuts>,
          "What becomes of the flesh where the motion is cut: a jump, or a turn, from one frame to the next. carry: it "
          "goes on as it was, seen from the body; settle: it begins anew, settled in the new pose. In both a single "
          "bad "
          "or doubled frame is bridged. off: nothing is looked for, and all is taken as motion.")
          .one_of({"carry", "settle", "off"}),
      Row("timeline", "range", slot<S, &T::range>, "First and last frame to simulate, counted from 0.")
          .at_least(0)
          .without("all frames of the motion"),
      Row("timeline", "frames", slot<S, &T::frames>,
          "Number of frames, where it is not that of the motion; the last pose is held.")
          .at_least(1)
          .at_most(1e7)
          .without("as long as the motion; 49 without one"),
      Row("timeline", "test_motion", slot<S, &T::test_motion>, "A motion to try the flesh on, in place of the scene's.")
          .one_of({"hop", "stop", "twist", "lean", "shake"})
          .without("the motion of [attach]"),
  };
}

std::vector<KeySpec> material_keys() {
  constexpr auto S = &SceneConfig::material;
  using T = MaterialConfig;
  return {
      Row("material", "look", slot<S, &T::look>,
          "What the flesh is like, whatever its size: frequency, amplitude and half-life as ratios; the dials turn "
          "that.")
          .one_of(look_names())
          .without("none"),
      Row("material", "model", slot<S, &T::model>, "How stress follows from strain.")
          .one_of({"linear", "corotational", "stvk", "invertible-stvk", "stable-neo-hookean", "neo-hookean-log"}),
      Row("material", "youngs_modulus", slot<S, &T::youngs_modulus>, "Stiffness: Young's modulus.")
          .in("Pa")
          .above(0)
          .without("2e4; of a character: by the frequency that suits each region"),
      Row("material", "poisson_ratio", slot<S, &T::poisson_ratio>,
          "Sideways give: 0 none, towards 0.5 the volume is kept.")
          .above(-1)
          .below(0.5),
      Row("material", "density", slot<S, &T::density>, "Mass a volume.").in("kg/m^3").above(0),
      Row("material", "volume_penalty", slot<S, &T::volume_penalty>,
          "Extra resistance to collapse, for stvk only; 0.28 and more keeps a squashed tet from giving way.")
          .at_least(0),
      Row("material", "half_life_s", slot<S, &T::half_life_s>,
          "Time in which the slowest jiggle halves; sets the stiffness damping.")
          .in("s")
          .above(0)
          .without("0.2 when no damping is given directly"),
      Row("material", "stiffness_damping", slot<S, &T::stiffness_damping>,
          "Damping as a share of the stiffness matrix, given directly.")
          .in("s")
          .at_least(0)
          .without("from half_life_s"),
      Row("material", "mass_damping", slot<S, &T::mass_damping>,
          "Damping as a share of the mass matrix, on motion relative to the body.")
          .in("1/s")
          .at_least(0)
          .without("none"),
      Row("material", "anti_locking", slot<S, &T::anti_locking>,
          "Average part of the material over neighbouring tets: linear tets bend too little and keep their volume too "
          "well. matched: as much of it as makes the slowest swing of each part as fast as finer elements on the same "
          "mesh have it; of tets from a file.")
          .one_of({"false", "true", "matched"})
          .or_bool(),
      Row("material", "inertia", slot<S, &T::inertia>,
          "Inertial forces of the motion times this, before the dials. auto: 1; of a character: so that the flesh goes "
          "as far as swing says.")
          .at_least(0)
          .or_word("auto"),
      Row("material", "swing", slot<S, &T::swing>,
          "Of a character, for inertia = auto: how far its thick flesh gives way where the motion accelerates it by 3 "
          "body heights a second squared, as a brisk walk does, as a share of the body's height. Thin flesh and what "
          "trails go less or more far in proportion, and lively files a little less.")
          .above(0)
          .at_most(1),
      Row("material", "youngs_modulus_map", slot<S, &T::youngs_modulus_map>,
          "Multiplies Young's modulus tet by tet: a map of the tet file by name, or a file with one value a tet.")
          .without("1 everywhere"),
      Row("material", "density_map", slot<S, &T::density_map>, "Multiplies the density, likewise.")
          .without("1 everywhere"),
      Row("material", "stiffness_damping_map", slot<S, &T::stiffness_damping_map>,
          "Multiplies the stiffness damping, likewise.")
          .without("1 everywhere"),
  };
}

std::vector<KeySpec> controls_keys() {
  constexpr auto S = &SceneConfig::controls;
  using T = ControlsConfig;
  const char* ratio = "the ratio counts";
  const char* keys = "the same all along";
  return {
      Row("controls", "frequency", slot<S, &T::frequency>,
          "Speed: how many times faster the flesh jiggles. Alone it keeps the amplitude.")
          .above(0),
      Row("controls", "amplitude", slot<S, &T::amplitude>,
          "Amount: how many times further the flesh is thrown by the motion; 0: it only follows.")
          .at_least(0),
      Row("controls", "sag", slot<S, &T::sag>, "How many times further the flesh hangs under gravity.").at_least(0),
      Row("controls", "half_life", slot<S, &T::half_life>, "Settle: how many times longer the jiggle takes to halve.")
          .above(0),
      Row("controls", "frequency_hz", slot<S, &T::frequency_hz>, "Or the lowest frequency of every part itself.")
          .in("Hz")
          .above(0)
          .without(ratio),
      Row("controls", "sag_m", slot<S, &T::sag_m>, "Or the mean sag of every part itself.")
          .in("m")
          .at_least(0)
          .without(ratio),
      Row("controls", "half_life_s", slot<S, &T::half_life_s>, "Or the half-life itself.")
          .in("s")
          .above(0)
          .without(ratio),
      Row("controls", "motion", slot<S, &T::motion>,
          "What the amplitude dial reckons with: short pushes, or pushes that last longer than a jiggle.")
          .one_of({"impulse", "sustained"}),
      Row("controls", "frequency_map", slot<S, &T::frequency_map>,
          "Multiplies the dial over the body: a map of the tet file by name, or a file with one value a tet vertex or "
          "one a tet.")
          .above(0)
          .without("1 everywhere"),
      Row("controls", "amplitude_map", slot<S, &T::amplitude_map>, "Likewise.").at_least(0).without("1 everywhere"),
      Row("controls", "sag_map", slot<S, &T::sag_map>, "Likewise.").at_least(0).without("1 everywhere"),
      Row("controls", "half_life_map", slot<S, &T::half_life_map>, "Likewise.").above(0).without("1 everywhere"),
      Row("controls", "frequency_keys", slot<S, &T::frequency_keys>,
          "Multiplies the dial over the shot: [[frame, factor], ...] or a .csv of frame,factor, eased between keys. "
          "Change it over a period of the jiggle or longer.")
          .above(0)
          .without(keys),
      Row("controls", "amplitude_keys", slot<S, &T::amplitude_keys>, "Likewise.").at_least(0).without(keys),
      Row("controls", "sag_keys", slot<S, &T::sag_keys>, "Likewise.").at_least(0).without(keys),
      Row("controls", "half_life_keys", slot<S, &T::half_life_keys>, "Likewise.").above(0).without(keys),
  };
}

std::vector<KeySpec> world_keys() {
  constexpr auto W = &SceneConfig::world;
  return {
      Row("world", "up", slot<W, &WorldConfig::up>, "The axis against which gravity pulls unless it is given.")
          .one_of({"x", "y", "z"}),
      Row("world", "gravity", slot<W, &WorldConfig::gravity>, "Acceleration of gravity, three numbers.")
          .in("m/s^2")
          .without("9.81 against `up`"),
  };
}

std::vector<KeySpec> remaining_keys() {
  constexpr auto S = &SceneConfig::solver;
  constexpr auto O = &SceneConfig::output;
  constexpr auto E = &SceneConfig::expert;
  return {
      Row("solver", "integrator", slot<S, &SolverConfig::integrator>,
          "tr-bdf2 is accurate; backward-euler adds damping of its own that grows with the step.")
          .one_of({"tr-bdf2", "backward-euler"}),
      Row("solver", "tolerance", slot<S, &SolverConfig::tolerance>,
          "Largest unbalanced force left, as a share of the largest forces.")
          .above(0)
          .below(1),
      Row("solver", "mass", slot<S, &SolverConfig::mass>, "Mass on the vertices, or spread over the tets.")
          .one_of({"lumped", "consistent"}),
      Row("solver", "linear", slot<S, &SolverConfig::linear>,
          "Linear solver. auto: a supernodal factor kept over many steps, from 6,000 free vertices on several levels. "
          "cholmod only where it is built in.")
          .one_of({"auto", "supernodal", "multilevel", "mumps", "eigen", "cg", "cholmod"}),
      Row("solver", "threads", slot<S, &SolverConfig::threads>, "Threads; 0: all cores. Results do not depend on it.")
          .at_least(0)
          .at_most(4096),
      Row("solver", "max_newton", slot<S, &SolverConfig::max_newton>,
          "Newton iterations before a step is retried with half its length.")
          .at_least(1)
          .at_most(10000),
      Row("output", "formats", slot<O, &OutputConfig::formats>,
          "Files to write of the drawn surface. obj and vtu are series, a file a frame; vtu holds the tets.")
          .one_of({"glb", "pc2", "mdd", "obj", "usda", "vtu"}),
      Row("output", "report", slot<O, &OutputConfig::report>, "Write report.html, its pictures and moving.png."),
      Row("output", "every", slot<O, &OutputConfig::every>, "Surface files hold every so many frames.")
          .at_least(1)
          .at_most(1e6),
      Row("output", "subframes", slot<O, &OutputConfig::subframes>,
          "Samples of pc2, mdd and usda between two frames; usda then has velocities too.")
          .at_least(0)
          .at_most(100),
      Row("output", "shape", slot<O, &OutputConfig::shape>,
          "Of a character: keep: as drawn in every frame, and the flesh's departure from its equilibrium on top; "
          "simulated: the simulated shape itself.")
          .one_of({"keep", "simulated"}),
      Row("output", "limit", slot<O, &OutputConfig::limit>,
          "With shape = keep: a departure beyond this share of the thickness, of what trails of its thickness and "
          "twice its length, is held back, smoothly, and never grows to more than one and a half times that; and what "
          "is drawn is kept even: edges within a quarter of their length, nothing turned over, what touches together. "
          "0: neither.")
          .at_least(0)
          .at_most(10),
      Row("output", "mix", slot<O, &OutputConfig::mix>,
          "How much of the departure is shown: 0 the input, 1 all of it, more exaggerates.")
          .at_least(0)
          .at_most(10),
      Row("output", "mix_map", slot<O, &OutputConfig::mix_map>,
          "Of a character: a painted map that multiplies mix: an attribute or a channel of the vertex colours.")
          .without("1 everywhere"),
      Row("output", "mix_keys", slot<O, &OutputConfig::mix_keys>,
          "Multiplies mix over the shot: [[frame, factor], ...] or a .csv of frame,factor, eased between keys.")
          .at_least(0)
          .without("the same all along"),
      Row("output", "limit_m", slot<O, &OutputConfig::limit_m>, "No departure is longer than this.")
          .in("m")
          .at_least(0)
          .without("no such limit"),
      Row("output", "axis", slot<O, &OutputConfig::axis>,
          "The departure along each axis times this, in the local frame: axes as in the bound pose, carried along by "
          "the bones.")
          .without("[1, 1, 1]"),
      Row("output", "smooth", slot<O, &OutputConfig::smooth>, "Passes that smooth the departure over the surface.")
          .at_least(0)
          .at_most(1000),
      Row("output", "smooth_frames", slot<O, &OutputConfig::smooth_frames>,
          "Smooths the departure over so many frames (a Gaussian of this deviation).")
          .in("frames")
          .at_least(0)
          .at_most(1000),
      Row("output", "accuracy", slot<O, &OutputConfig::accuracy>,
          "Of a character's .glb: no vertex is farther off at any frame than this share of how far its clip departs "
          "(the 99th percentile of what moves, 4 % of the size at most). report.json says what came of it.")
          .above(0)
          .at_most(1),
      Row("output", "max_growth", slot<O, &OutputConfig::max_growth>,
          "A character's .glb is at most so many times as large as the input; accuracy gives way, and the report says "
          "by how much. 0: as large as it takes.")
          .at_least(0)
          .at_most(1e6),
      Row("output", "max_size", slot<O, &OutputConfig::max_size>, "And at most so large.")
          .in("MB")
          .above(0)
          .without("no such limit"),
      Row("output", "max_targets", slot<O, &OutputConfig::max_targets>,
          "And has at most so many morph targets of ours a mesh. Some engines draw no more than 256.")
          .at_least(2)
          .at_most(10000),
      Row("expert", "stage_fraction", slot<E, &ExpertConfig::stage_fraction>,
          "Where tr-bdf2 changes from trapezoid to BDF2 within a step. 2-sqrt2: both stages share one matrix.")
          .above(0)
          .below(1)
          .or_word("2-sqrt2", ExpertConfig().stage_fraction),
      Row("expert", "damping_tangent", slot<E, &ExpertConfig::damping_tangent>,
          "viscous: a rest-tensor viscous stress; full: the stiffness at the end of the stage; rest: the rest "
          "stiffness.")
          .one_of({"viscous", "full", "rest"}),
      Row("expert", "chi", slot<E, &ExpertConfig::chi>,
          "Raw scalings in place of the dials: stiffness times chi^2. One of the four set: the others are 1, and "
          "nothing else is adjusted.")
          .above(0)
          .without("from the dials"),
      Row("expert", "mu", slot<E, &ExpertConfig::mu>, "Gravity times this.").at_least(0).without("from the dials"),
      Row("expert", "ck", slot<E, &ExpertConfig::ck>, "Stiffness damping times this, besides chi^2.")
          .at_least(0)
          .without("from the dials"),
      Row("expert", "inertia_scale", slot<E, &ExpertConfig::inertia_scale>,
          "Inertial forces of the motion times this: a number, or a file with one value a tet vertex.")
          .at_least(0)
          .without("from the dials"),
      Row("expert", "p_derivatives", slot<E, &ExpertConfig::p_derivatives>,
          "How velocity and acceleration of the static shape follow: the integrator's own formulas, or five-point "
          "differences as published.")
          .one_of({"integrator", "five-point"}),
      Row("expert", "static_solves", slot<E, &ExpertConfig::static_solves>,
          "auto: a rigid motion turns one static shape along where that is exact. every-step: it is solved for anew.")
          .one_of({"auto", "every-step"}),
  };
}

}  // namespace

const std::vector<KeySpec>& scene_keys() {
  static const std::vector<KeySpec> keys = [] {
    std::vector<KeySpec> all;
    for (const auto& part : {surface_keys(), tets_keys(), attach_keys(), part_keys(), timeline_keys(), material_keys(),
                             region_keys(), flesh_keys(), tuned_keys(), world_keys(), controls_keys(), contact_keys(),
                             live_keys(), enrich_keys(), curves_keys(), remaining_keys()})
      all.insert(all.end(), part.begin(), part.end());
    return all;
  }();
  return keys;
}

const KeySpec* find_key(const std::string& table, const std::string& key) {
  for (const KeySpec& spec : scene_keys())
    if (spec.table == table && spec.key == key) return &spec;
  return nullptr;
}

const std::vector<std::string>& scene_tables() {
  static const std::vector<std::string> tables = [] {
    std::vector<std::string> names;
    for (const KeySpec& spec : scene_keys())
      if (std::find(names.begin(), names.end(), spec.table) == names.end()) names.push_back(spec.table);
    return names;
  }();
  return tables;
}

std::string table_doc(const std::string& table) {
  static const std::map<std::string, std::string> docs = {
      {"surface", "What is drawn."},
      {"tets", "What is simulated."},
      {"attach", "What follows the motion, and where it goes."},
      {"part", "Pieces of a character and what becomes of them; others are guessed. Any number of these."},
      {"timeline", "Frames and steps."},
      {"material", "The flesh."},
      {"region",
       "Parts of the body with a material or dials of their own: of a character by bones, maps, materials or meshes, "
       "of a "
       "tet file by the names of its regions. Any number of these."},
      {"flesh",
       "What supple run chose for the flesh of a character, bone by bone. It belongs to the character and not to its "
       "tets: with other tets, or another clip, it stays as it is. Any number of these."},
      {"tuned",
       "What supple tune found, part by part: factors on what the formulas of the dials give, so that what is asked is "
       "what is measured. It belongs to this scene: to its tets, its motion and its dials. Any number of these."},
      {"world", "Surroundings."},
      {"controls", "The dials: ratios to the character without them; 1 leaves it alone."},
      {"contact",
       "What touches does not pass through. With this table, or any obstacle, plane or other body, contact is on."},
      {"contact.obstacle", "Meshes that go their own way, still or animated. Any number of these."},
      {"contact.plane", "Walls and floors without end. Any number of these."},
      {"body",
       "Other bodies, which move by themselves: they push the flesh and are pushed by it. Each is written to files of "
       "its own, body-NAME. Any number of these."},
      {"enrich",
       "Physics mixed into the animation that the surface has, from a cache or a clip: what follows it, what is soft, "
       "and what of it is shown (supple enrich)."},
      {"curves",
       "Physics on the rig of the surface: some parameters as keyed, the others filled in, delivered as curves (supple "
       "curves)."},
      {"curves.deformer",
       "Deformers of the surface, beside the bones and morph targets that its file may have. They act in their order. "
       "Any number of these."},
      {"curves.layer",
       "Parameters that are simulated together; those of earlier layers are keyed by what was found. Any number of "
       "these."},
      {"curves.stiffness",
       "How stiff parameters are beside the flesh without this: which tets are stiffer or softer follows from it. Any "
       "number of these."},
      {"curves.handle", "Points of the surface that are pulled: inverse kinematics. Any number of these."},
      {"live", "What supple live makes: jiggle of a few modes that runs in real time."},
      {"live.part",
       "Soft parts of the live pack, each on one bone. Without any, every region of the flesh is one. Any number of "
       "these."},
      {"solver", "How it is computed."},
      {"output", "What is written."},
      {"expert", "Choices for comparisons with published results."},
  };
  return docs.at(table);
}

const std::vector<std::array<std::string, 2>>& exclusive_keys() {
  static const std::vector<std::array<std::string, 2>> pairs = {
      {"surface.scale", "surface.height"},
      {"surface.cache", "surface.clip"},
      {"tets.edge", "tets.count"},
      {"attach.vertices", "attach.points"},
      {"attach.track", "attach.rigid"},
      {"material.half_life_s", "material.stiffness_damping"},
      {"controls.frequency", "controls.frequency_hz"},
      {"controls.sag", "controls.sag_m"},
      {"controls.half_life", "controls.half_life_s"},
      {"region.frequency", "region.frequency_hz"},
      {"region.sag", "region.sag_m"},
      {"region.half_life", "region.half_life_s"},
      {"region.half_life_s", "region.stiffness_damping"},
      {"body.material.half_life_s", "body.material.stiffness_damping"}};
  return pairs;
}

}  // namespace supple
