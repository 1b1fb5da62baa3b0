// The drawn mesh of a finished run, one file (or series) per format of [output].
#pragma once
#include <string>
#include <vector>

#include "supple/io/point_cache.h"
#include "supple/scene/job.h"

namespace supple {

// frames: positions of all tet vertices, one sample a frame. Returns the files written, relative to the directory;
// notes gets sizes and errors worth telling.
std::vector<std::string> write_surface_files(const Job& job, const PointCache& frames, const std::string& directory,
                                             std::vector<std::string>& notes);

// A strip of pictures of the surface over the run: first, largest departure, last.
std::string poster_png(const Job& job, const PointCache& frames);

}  // namespace supple
