// What is drawn besides the flesh: other bodies, obstacles, planes.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "supple/io/point_cache.h"
#include "supple/mesh/tri_mesh.h"
#include "supple/pipeline/job/job.h"

namespace supple::pipeline {

struct Companion {
  enum class Kind { body, obstacle, plane };
  Kind kind = Kind::body;
  std::string name;
  TriMesh mesh;       // at the first frame
  PointCache frames;  // one sample a frame; of what stays a single one
  Vec3 color = Vec3::Constant(0.6);
  std::optional<double> floor;  // of a plane that faces up: its height [m]
  // Where it is at a frame.
  Points at(int frame) const;
};

// bodies: positions of the vertices of other bodies, one sample a frame. Planes are drawn as far as something is near.
std::vector<Companion> companions(const Job& job, const PointCache& bodies);

}  // namespace supple::pipeline
