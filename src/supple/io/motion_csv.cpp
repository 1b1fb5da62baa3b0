#include "supple/io/motion_csv.h"

#include <fmt/format.h>

#include "supple/io/input_file.h"

namespace supple {

std::vector<RigidKey> read_motion_csv(const std::string& path) {
  static constexpr const char* kColumns[] = {"t", "tx", "ty", "tz", "qx", "qy", "qz", "qw"};
  InputFile in(path, {.comment = '#', .commas_are_blanks = true});
  std::vector<RigidKey> keys;
  if (!in.done() && in.peek() == kColumns[0]) {
    for (const char* name : kColumns) {
      if (in.line_done() || in.token("a column") != name) in.fail("the columns should be t,tx,ty,tz,qx,qy,qz,qw");
    }
    if (!in.line_done()) in.fail("the columns should be t,tx,ty,tz,qx,qy,qz,qw");
  }
  while (!in.done()) {
    double value[8];
    for (int k = 0; k < 8; ++k) {
      if (k > 0 && in.line_done())
        in.fail(fmt::format("column {} is missing", kColumns[k]), "A line has t,tx,ty,tz,qx,qy,qz,qw.");
      value[k] = in.number(kColumns[k]);
    }
    if (!in.line_done()) in.fail("a line has more than eight columns", "A line has t,tx,ty,tz,qx,qy,qz,qw.");
    RigidKey key{value[0], Vec3(value[1], value[2], value[3]), Eigen::Vector4d(value[4], value[5], value[6], value[7])};
    if (!keys.empty() && !(key.t > keys.back().t))
      in.fail(fmt::format("time {} does not come after {}", key.t, keys.back().t));
    const double norm = key.quaternion.norm();
    if (!(std::abs(norm - 1) <= 1e-3))
      in.fail(fmt::format("the quaternion has length {:.6g}, not 1", norm), "Normalise it; the order is x,y,z,w.");
    key.quaternion /= norm;
    keys.push_back(key);
  }
  if (keys.empty()) in.fail("the file has no keys");
  return keys;
}

}  // namespace supple
