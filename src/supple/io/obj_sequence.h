// A motion as one OBJ file a frame.
#pragma once
#include <string>
#include <vector>

#include "supple/io/point_cache.h"

namespace supple {

// Whether a path names a sequence: a folder, or an .obj with a run of # or a %04d in its name.
bool is_obj_sequence(const std::string& path);

// Its files in the order of their numbers. A run of # or a %04d stands for the number of a frame, with leading zeros or
// without; of a folder all .obj files are taken, with the numbers in their names compared as numbers. The first number
// may be any. InputError: no file, numbers that are missing between the first and the last, two files of one number.
struct ObjSequence {
  std::vector<std::string> files;
  long long first = 0;  // number of the first file, where they have numbers
  bool alike = true;    // the names differ by the number alone
};
ObjSequence find_obj_sequence(const std::string& path);

// One sample a file: its `v` lines; nothing else in the files matters. InputError: another number of vertices than in
// the first file, a value that is not finite. allow_holes: as of read_point_cache.
PointCache read_obj_sequence(const std::string& path, bool allow_holes = false);

}  // namespace supple
