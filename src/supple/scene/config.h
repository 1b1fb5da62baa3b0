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

struct SurfaceConfig {
  FilePath file;
  double scale = 1;
};

struct TetsConfig {
  FilePath file;
  bool repair = false;
  double scale = 1;
};

struct AttachConfig {
  VertexList vertices;
  FilePath track, rigid, points;
  std::optional<double> stiffness;  // unset: the points are held exactly
};

struct TimelineConfig {
  double fps = 24;
  std::optional<int> substeps;  // unset: "auto"
  std::string start = "rest";
  std::optional<std::array<int, 2>> range;
  std::optional<int> frames;
};

struct MaterialConfig {
  std::string model = "stable-neo-hookean";
  double youngs_modulus = 2e4;
  double poisson_ratio = 0.40;
  double density = 1000;
  double volume_penalty = 0;
  std::optional<double> half_life_s, stiffness_damping, mass_damping;
  bool anti_locking = false;
  FilePath youngs_modulus_map, density_map, stiffness_damping_map;  // name of a map in the tet file, or a file
};

// What a region of the tet file has of its own; unset keys are those of [material].
struct RegionConfig {
  std::string name;
  std::optional<double> youngs_modulus, poisson_ratio, density, volume_penalty, stiffness_damping;
};

struct WorldConfig {
  std::string up = "y";
  std::optional<Vec3> gravity;  // unset: 9.81 m/s^2 against `up`
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
};

struct ExpertConfig {
  double stage_fraction = kEqualMatrixFraction;
  std::string damping_tangent = "viscous";
};

struct SceneConfig {
  std::string file;                       // the scene file, "" for a scene made in code
  std::map<std::string, Location> where;  // "material.model", "region.0.name" -> place of every key that was set

  SurfaceConfig surface;
  TetsConfig tets;
  AttachConfig attach;
  TimelineConfig timeline;
  MaterialConfig material;
  std::vector<RegionConfig> regions;
  WorldConfig world;
  SolverConfig solver;
  OutputConfig output;
  ExpertConfig expert;

  bool is_set(const std::string& key) const { return where.count(key) > 0; }
  // For errors found later, about the value of a key.
  Location locate(const std::string& key) const;
};

Vec3 gravity_of(const WorldConfig& world);
// The half-life in force: as given, else 0.2 s when no damping is given directly, else none.
std::optional<double> half_life_of(const MaterialConfig& material);

}  // namespace supple
