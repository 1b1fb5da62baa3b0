// Animation curves as files: one number a parameter and frame.
#pragma once
#include <string>
#include <vector>

#include "supple/base/types.h"

namespace supple {

struct CurveTable {
  std::vector<std::string> names;  // parameters
  std::vector<double> frames;      // ascending; may have parts
  MatX values;                     // a row a frame, a column a parameter
  double fps = 24;                 // 0: the file does not say, as a .csv
};

// .csv: first line "frame,name,name,...", then numbers; names in quotes where they have commas, quotes or blanks at an
// end; lines that are empty or begin with # are skipped. .json: {"fps":, "frames":[], "curves":{"name":[...]}}, where
// fps may be missing. Exact: what is written is read again bit for bit, but for the fps of a .csv.
// InputError with file and line: no frame column, names that repeat, rows of other lengths, what is not a finite
// number, frames that do not ascend, nothing in it; another ending of the name.
CurveTable read_curves(const std::string& path);
void write_curves(const std::string& path, const CurveTable& curves);

}  // namespace supple
