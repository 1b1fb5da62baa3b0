// A scene as typed data: what a scene file says, with the default of every key. The keys' names, units, ranges and
// meaning are in schema.cpp, which is also what loads and writes these structs.
#pragma once
#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "supple/base/error.h"
#include "supple/base/types.h"
#include "supple/solve/stage.h"

namespace supple {

struct FilePath {
  std::string text;  // as written
  std::string path;  // ready to open: relative ones resolved against the scene file
  bool empty() const { return text.empty(); }
};

// Vertices by number: a file with one index a line, or the indices themselves.
struct VertexList {
  FilePath file;
  std::vector<int> indices;
  bool empty() const { return file.empty() && indices.empty(); }
};

// A factor over the shot: keys of frame and factor, or a .csv of them.
struct DialKeys {
  FilePath file;
  std::vector<std::array<double, 2>> keys;  // frames ascending
  bool empty() const { return file.empty() && keys.empty(); }
};

struct NumberOrFile {
  std::optional<double> number;
  FilePath file;
  bool empty() const { return !number && file.empty(); }
};

// Which shape of a character is without stress: the bound one as it hangs ("authored") or as it is ("weightless"), a
// frame of the clip ("frame:12"), or that of a file.
struct RestChoice {
  std::string word = "authored";  // "": one of the others
  int frame = -1;
  FilePath file;
  bool operator==(const char* other) const { return word == other; }
};

struct SurfaceConfig {
  FilePath file;
  FilePath cache;                // of an .obj: where its vertices go; "": none
  std::string clip;              // "": the first
  std::optional<double> scale;   // unset: 1; of a character: person-sized
  std::optional<double> height;  // [m] of a character as it is bound, in place of scale
  RestChoice rest;

  // Whether the file is an animated character (a surface with a cache is one), and not a surface that tets carry.
  bool is_character() const;
};

struct TetsConfig {
  FilePath file;
  bool repair = false;
  double scale = 1;
  // Of tets that are built from the surface.
  std::optional<double> edge;  // [m]
  std::optional<int> count;
  std::string preset = "final";
  bool graded = true, keep_apart = true, smooth = true;
};

struct AttachConfig {
  VertexList vertices;
  FilePath track, rigid, points;
  std::optional<double> stiffness;  // unset: the points are held exactly
  // Of a character.
  std::vector<std::string> joints;
  double radius = 0.04;
  std::string soft;                     // name of a painted map
  std::vector<std::string> only, hold;  // what stays soft, all else following exactly; what follows exactly
  std::vector<std::string> trail;
  std::string trailing = "drag";  // or "bounce", "off"
};

// What becomes of a piece of a character.
struct PartConfig {
  std::string match, role;
};

struct TimelineConfig {
  std::optional<double> fps;    // unset: 24; of a character: that of its clip
  std::optional<int> substeps;  // unset: "auto"
  std::string start = "auto";
  int pre_roll = 0;            // [frames]
  std::string loop = "auto";   // or "true", "false"
  std::string cuts = "carry";  // or "settle", "off"
  std::optional<std::array<int, 2>> range;
  std::optional<int> frames;
  std::string test_motion;  // "": the scene's own motion
};

struct MaterialConfig {
  std::string look;  // "": none
  std::string model = "stable-neo-hookean";
  std::optional<double> youngs_modulus;  // [Pa] unset: 2e4; of a character: by the frequency that suits a part
  double poisson_ratio = 0.40;
  double density = 1000;
  double volume_penalty = 0;
  std::optional<double> half_life_s, stiffness_damping, mass_damping;
  std::string anti_locking = "false";  // or "true", "matched"
  double swing = 0.0225;               // of a character: how far its thick flesh gives way under kBrisk, of its height
  std::optional<double> inertia;       // unset: 1; of a character: by how far the flesh is to give way
  FilePath youngs_modulus_map, density_map, stiffness_damping_map;  // name of a map in the tet file, or a file
};

// A region and what it has of its own; unset keys are those of [material], [controls] and [output].
struct RegionConfig {
  std::string name;
  // Of a character: which of its flesh, all that are given together; none: the bone of that name leads it.
  std::vector<std::string> bones;
  std::string map, material, mesh;
  std::vector<std::string> place;  // by the shape of the body, part by part
  VertexList vertices;             // of what is enriched: on its surface
  bool mirror = false;             // also on the other side
  std::string look;
  std::optional<double> soft;  // as if painted
  std::optional<double> mix, limit_m;
  std::optional<Vec3> axis;

  bool selects() const {
    return !bones.empty() || !map.empty() || !material.empty() || !mesh.empty() || !place.empty() || !vertices.empty();
  }
  std::optional<double> youngs_modulus, poisson_ratio, density, volume_penalty, stiffness_damping;
  std::optional<double> frequency, amplitude, sag, half_life;  // dials; unset: those of [controls]
  std::optional<double> frequency_hz, sag_m, half_life_s;
};

// A steady acceleration that a brisk walk comes up to [body heights / s^2]: what swings are measured by.
inline constexpr double kBrisk = 3;

// Flesh as it was chosen for a character, bone by bone, so that it stays the same in other tets and other clips.
struct FleshConfig {
  std::string bone;  // that leads it
  std::optional<double> frequency_hz, half_life_s;
  std::optional<double> swing;    // how far it gives way under kBrisk, as a share of its thickness or length; or
  std::optional<double> inertia;  // how much of the inertial forces it feels
};

// What `supple tune` found: factors on what the formulas of the dials give for a part of the flesh, so that what is
// asked is what is measured. Stiffness goes with chi squared and takes gravity along.
struct TunedConfig {
  std::string part;
  double chi = 1, mu = 1, ck = 1, epsilon = 1;  // stiffness, gravity, damping, inertial forces
};

// The dials: what the flesh does, as ratios to the character without them.
struct ControlsConfig {
  double frequency = 1, amplitude = 1, sag = 1, half_life = 1;
  std::optional<double> frequency_hz, sag_m, half_life_s;  // in place of the ratio
  std::string motion = "impulse";
  FilePath frequency_map, amplitude_map, sag_map, half_life_map;      // multiply the dial over the body...
  DialKeys frequency_keys, amplitude_keys, sag_keys, half_life_keys;  // ...and over the shot
};

struct WorldConfig {
  std::string up = "y";
  std::optional<Vec3> gravity;  // unset: 9.81 m/s^2 against `up`
};

// Present, or with an obstacle, a plane or another body: what touches does not pass through.
struct ContactConfig {
  bool present = false;             // the scene has the table
  bool self = true;                 // the body against itself
  std::optional<double> thickness;  // [m] unset: a share of the size
  double friction = 0.3;
  double amplitude = 1;          // of what hits by other bodies do
  std::string surface = "auto";  // what is in contact: the boundary of the "tets", or the "drawn" surface
};

// Where a mesh of a file is put: scaled, turned about x, then y, then z, and moved.
struct PlacedMesh {
  FilePath file;
  std::string name;                        // "": that of the file
  std::optional<Vec3> position, rotation;  // [m], [degrees]
  double scale = 1;
};

struct ObstacleConfig : PlacedMesh {
  FilePath cache;    // where its vertices go
  std::string clip;  // of a glTF file; "": the first, if there is one
};

// Everything below it is out of bounds.
struct PlaneConfig {
  std::optional<Vec3> normal, point;  // unset: up, the origin
};

// Another body. Unset keys of its material are those of [material].
struct BodyConfig : PlacedMesh {
  std::optional<double> edge;  // [m] of the tets that fill a surface
  std::optional<double> youngs_modulus, poisson_ratio, density, half_life_s, stiffness_damping;
  std::optional<Vec3> velocity, spin;  // at the start [m/s], [degrees/s]
  bool rigid = false;
};

struct SolverConfig {
  std::string integrator = "tr-bdf2";
  double tolerance = 1e-6;
  std::string mass = "lumped";
  std::string linear = "auto";
  int threads = 0;
  int max_newton = 80;
};

struct OutputConfig {
  std::vector<std::string> formats = {"glb", "pc2"};
  bool report = true;
  int every = 1;
  int subframes = 0;
  std::string shape = "keep";
  double limit = 0.35;  // of the thickness
  // Finishing: what is shown of the departure.
  double mix = 1;
  std::string mix_map;  // painted on the character
  DialKeys mix_keys;
  std::optional<double> limit_m;
  std::optional<Vec3> axis;
  int smooth = 0;            // passes over the surface
  double smooth_frames = 0;  // width in time
  // Of a character's .glb: how near its morph targets come, as a share of the departure, and what they may cost.
  double accuracy = 0.01;
  double max_growth = 9.5;         // times the input; 0: any
  std::optional<double> max_size;  // [MB]
  int max_targets = 240;
};

struct ExpertConfig {
  double stage_fraction = kEqualMatrixFraction;
  std::string damping_tangent = "viscous";
  std::optional<double> chi, mu, ck;  // raw scalings, in place of the dials
  NumberOrFile inertia_scale;
  std::string p_derivatives = "integrator";
  std::string static_solves = "auto";

  bool raw() const { return chi || mu || ck || !inertia_scale.empty(); }
};

// `supple live`: what the pack is made of.
struct LiveConfig {
  std::vector<std::string> deliver = {"live", "baked"};
  std::vector<std::string> clips;  // whose motion the modes are chosen by, and which are baked; empty: all
  int modes = 8;                   // at most, a part
  double share = 0.95;             // of the response: more modes are not taken
  std::string elements = "ten-node";
  int refine = 0;              // times every tet is cut in eight
  std::optional<int> normals;  // modes whose normals are corrected; unset: all
  bool corrections = true, coriolis = true;
  int blend = 2;  // rings of tets that neighbouring parts share
  double force_limit = 0, angular_force_limit = 0, weight_limit = 2;
  int joints = 6;             // helper joints a part, at most, of `bones`
  double joint_error = 0.02;  // rms, as a share of the part's largest motion
};

// A soft part of it. Unset keys are those of [live], and of the flesh.
struct LivePartConfig {
  std::string name, region, bone;
  std::string shape;  // "": none
  std::optional<Vec3> centre, size, rotation;
  std::optional<double> frequency_hz, half_life_s;
  std::optional<int> modes;
};

// `supple enrich`: physics mixed into the animation that a surface has.
struct EnrichConfig {
  bool present = false;  // the scene has the table
  // What moves: unset, every vertex of the surface.
  VertexList tracked;  // vertices of the surface, in the order of the cache; or an .obj of them
  FilePath points;     // .obj of points that are no vertices
  // The tets that are bent along with it.
  double fit = 0.03;  // how stiff they are against being bent
  std::string fit_model = "stable-neo-hookean";
  RestChoice apart{.word = "neutral"};  // the shape that tets are made around
  // Softness: 1 goes its own way, 0 follows.
  double softness = 1;        // where nothing is painted
  FilePath soft;              // painted: the name of a map, or a file of vertices and values
  VertexList fixed;           // vertices of the surface that follow exactly
  DialKeys soft_keys;         // multiply it over the shot
  double drive = 1;           // strength of what pulls to the input
  double frequency_hz = 2.5;  // of flesh whose Young's modulus is not given
  // What is shown: the share of physics, after the simulation.
  double blend = 1;
  FilePath blend_map;
  DialKeys blend_keys;
  bool detail = true;
  std::string interpolation = "smooth";
  std::vector<std::string> rigid;  // parts of the surface that do not deform
};

// A deformer of a surface, beside the bones that its file may have.
struct DeformerConfig {
  std::string name, kind;                      // lattice | cage | wire | blend | transform
  std::string space = "rest";                  // before the bones bend it, or in the "world" after
  std::optional<Vec3> centre, size, rotation;  // the box of a lattice; centre: the pivot of a transform
  std::array<int, 3> divisions = {2, 2, 2};    // control points of a lattice
  std::string basis = "bernstein";             // or "bspline"
  bool fade = true;                            // of a lattice: towards its faces
  FilePath file;                               // of a cage or a wire: .obj
  std::vector<FilePath> shapes;                // of a blend: .obj with the vertices of the surface
  std::vector<std::string> channels;           // "x", "translation", "twist", ...; empty: the usual ones
  VertexList points;                           // control points that move; empty: all
  std::optional<double> radius;                // of a wire [m]
};

// Parameters that are simulated together, with what earlier layers found. Unset keys are those of [curves].
struct CurveLayerConfig {
  std::string name;
  std::vector<std::string> free;
  std::optional<double> frequency_hz;
  std::optional<int> modes;
};

struct CurveStiffnessConfig {
  std::string match;  // parameters
  double scale = 1;
};

// A point of the surface that is pulled along a path.
struct CurveHandleConfig {
  std::string name;
  std::optional<int> vertex;  // of the surface; or the one nearest to
  std::optional<Vec3> point;  // [m] at rest
  FilePath track;             // .csv of frame, x, y, z [m]; unset: where the input has it
  double strength = 1;        // against the stiffness of the flesh
};

// `supple curves`: physics on a rig, as curves of its parameters.
struct CurvesConfig {
  bool present = false;                              // the scene has the table
  std::vector<std::string> free;                     // patterns of what physics fills in
  std::vector<std::string> channels = {"rotation"};  // of joints that are chosen by name alone
  std::string rotations = "exponential";             // or "euler"
  FilePath keys;                                     // .csv or .json of parameters that are keyed
  std::string pose = "keyed";                        // the shape that flesh holds; or "rest"
  std::string motion = "dynamic";                    // or "static": every frame in equilibrium
  std::string interior = "dynamic";                  // or "static"
  std::string solver = "auto";                       // or "newton", "quasi-newton"
  std::string derivatives = "auto";                  // or "differences"
  double bend = 0.5;                                 // of the mean edge: what is keyed may bend it so far in one step
  double frequency_hz = 2;                           // of flesh whose Young's modulus is not given
  int margin = 3;                                    // rings of tets around what moves that take part; 0: all
  // Rig-space materials.
  double ridge = 0.1, refit = 0;
  // Modes in place of parameters.
  int modes = 0;
  FilePath modes_from;             // curves that they are learnt from; unset: those of a first pass
  std::vector<double> mode_scale;  // of the result
  // Delivery.
  std::string clip;                          // what the new clip is called; "": after the old one
  double key_error = 0.002;                  // of the size; angles in radians
  std::string key_interpolation = "linear";  // or "cubic"
  // A rig that is another program.
  std::string rig;
  int processes = 1;
  double timeout_s = 60;
};

struct SceneConfig {
  // Made in one source, not again in every one that copies a scene.
  SceneConfig();
  SceneConfig(const SceneConfig&);
  SceneConfig(SceneConfig&&) noexcept;
  SceneConfig& operator=(const SceneConfig&);
  SceneConfig& operator=(SceneConfig&&) noexcept;
  ~SceneConfig();

  std::string file;                       // the scene file, "" for a scene made in code
  std::map<std::string, Location> where;  // "material.model", "region.0.name" -> place of every key that was set
  bool may_run = false;                   // programs that it names may be started: whoever calls says so, never a file

  SurfaceConfig surface;
  TetsConfig tets;
  AttachConfig attach;
  TimelineConfig timeline;
  MaterialConfig material;
  std::vector<PartConfig> parts;
  std::vector<RegionConfig> regions;
  std::vector<FleshConfig> flesh;
  std::vector<TunedConfig> tuned;
  WorldConfig world;
  ControlsConfig controls;
  ContactConfig contact;
  std::vector<ObstacleConfig> obstacles;
  std::vector<PlaneConfig> planes;
  std::vector<BodyConfig> bodies;
  LiveConfig live;
  std::vector<LivePartConfig> live_parts;
  EnrichConfig enrich;
  CurvesConfig curves;
  std::vector<DeformerConfig> deformers;
  std::vector<CurveLayerConfig> curve_layers;
  std::vector<CurveStiffnessConfig> curve_stiffness;
  std::vector<CurveHandleConfig> curve_handles;
  SolverConfig solver;
  OutputConfig output;
  ExpertConfig expert;

  bool is_set(const std::string& key) const { return where.count(key) > 0; }
  // Whether flesh is found and driven by bones. What is enriched, or simulated on its rig, has none, whatever its file.
  bool has_character() const { return surface.is_character() && !enrich.present && !curves.present; }
  // For errors found later, about the value of a key.
  Location locate(const std::string& key) const;
};

// Whether anything may touch.
bool has_contact(const SceneConfig& config);

// How many tables of a list ([[region]], [[part]], ...) there are; 1 of a plain table.
size_t table_count(const SceneConfig& config, const std::string& table);
void set_table_count(SceneConfig& config, const std::string& table, size_t n);  // of a list
bool is_list(const std::string& table);

// The names a region goes by: its own, and with `mirror` that of the other side.
std::vector<std::string> names_of(const RegionConfig& region);
// The region that has the name, the other side of a mirrored one too; null: none.
const RegionConfig* region_named(const SceneConfig& config, const std::string& name);

Vec3 gravity_of(const WorldConfig& world);
Vec3 up_of(const WorldConfig& world);
// The half-life in force: as given, else 0.2 s when no damping is given directly, else none.
std::optional<double> half_life_of(const MaterialConfig& material);

}  // namespace supple
