// What a drawn surface is to those who write files, pictures and pages of it. This one is a plain mesh.
#pragma once
#include <string>
#include <vector>

#include "supple/mesh/tri_mesh.h"
#include "supple/report/motion.h"
#include "supple/scene/config.h"

namespace supple::pipeline {

// Shading of vertices whose normals nobody gave: smooth below this angle [degrees].
inline constexpr double kCreaseUnknown = 40;

// Vertices that are an object of their own in the file.
struct DrawnObject {
  std::string name;
  int number = 0;  // in the file
  std::vector<int> vertices;
};

class Appearance {
 public:
  virtual ~Appearance() = default;
  // Units of the file that is drawn, and delivered again, to metres.
  virtual double file_scale() const { return 1; }
  // Its longest side [m]; mesh: the drawn one in units of the file.
  virtual double size(const TriMesh& mesh) const { return file_scale() * longest_side(mesh.vertices); }
  // The axis of its file that is up.
  virtual std::string up(const SceneConfig& config) const { return config.world.up.empty() ? "y" : config.world.up; }
  // What its page is called.
  virtual std::string title(const SceneConfig& config) const;
  virtual std::vector<DrawnObject> objects() const { return {}; }
  // Whether a .glb of it is its own file again, with a clip more.
  virtual bool own_glb() const { return false; }
  // Materials, pictures and colours; mesh: as of `size`.
  virtual void dress(const TriMesh& mesh, MotionSource& source) const;
};

}  // namespace supple::pipeline
