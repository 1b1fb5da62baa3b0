#include <fmt/format.h>

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "supple/anim/node_tree.h"
#include "supple/base/error.h"
#include "supple/base/index.h"
#include "supple/io/bvh.h"
#include "supple/io/output_file.h"

namespace supple {

namespace {

constexpr double kDegrees = 180 / M_PI;

// A joint against its parent in the file, at rest or at a frame.
struct BvhPose {
  Vec3 offset = Vec3::Zero();
  Quat turn = Quat::Identity();
};

// Angles [rad] of Z, X, Y, the first outermost, that turn alike; of all of them those nearest to the frame before.
//   Rz(a) Rx(b) Ry(c) has sin b at (2, 1), -cos b sin a at (0, 1), cos b cos a at (1, 1), -cos b sin c at (2, 0) and
//   cos b cos c at (2, 2).
std::array<double, 3> zxy_angles(const Mat3& R, const std::array<double, 3>& before) {
  const double b = std::asin(std::clamp(R(2, 1), -1.0, 1.0)), cos_b = std::hypot(R(2, 0), R(2, 2));
  std::array<double, 3> one = before;
  one[1] = b;
  if (cos_b > 1e-7) {
    one[0] = std::atan2(-R(0, 1), R(1, 1));
    one[2] = std::atan2(-R(2, 0), R(2, 2));
  } else {
    // Z and Y turn about the same axis: Y stays as it was. R Ry(c)^-1 = Rz(a) Rx(b).
    const Mat3 rest = R * Eigen::AngleAxisd(-before[2], Vec3::UnitY()).toRotationMatrix();
    one[0] = std::atan2(rest(1, 0), rest(0, 0));
  }
  std::array<double, 3> other = {one[0] + M_PI, M_PI - one[1], one[2] + M_PI};
  double apart_one = 0, apart_other = 0;
  for (size_t k = 0; k < 3; ++k) {
    one[k] = before[k] + std::remainder(one[k] - before[k], 2 * M_PI);
    other[k] = before[k] + std::remainder(other[k] - before[k], 2 * M_PI);
    apart_one += std::abs(one[k] - before[k]);
    apart_other += std::abs(other[k] - before[k]);
  }
  return apart_one <= apart_other ? one : other;
}

class BvhWriter {
 public:
  BvhWriter(const std::string& path, const Character& character, int root) : path_(path), c_(character) {
    order_ = parents_first(c_);
    choose(root);
  }

  // Poses of the chosen nodes, in their order. Their places in the world are exact whatever the scales; turns are
  // those of the nodes, without scale.
  std::vector<BvhPose> poses(const std::vector<Placement>& placements) const {
    std::vector<Affine> locals(c_.nodes.size());
    std::vector<Quat> turns(c_.nodes.size());
    for (const int n : order_) {
      const Node& node = c_.nodes[at(n)];
      const Quat own = node.matrix ? turn_of(*node.matrix) : placements[at(n)].rotation.normalized();
      locals[at(n)] = node.matrix ? *node.matrix : placements[at(n)].matrix();
      turns[at(n)] = node.parent < 0 ? own : turns[at(node.parent)] * own;
    }
    const std::vector<Affine> world = chain_nodes(c_, order_, locals);
    std::vector<BvhPose> out;
    for (size_t j = 0; j < nodes_.size(); ++j) {
      if (nodes_[j] < 0) {
        out.push_back({});
        continue;
      }
      const size_t n = at(nodes_[j]);
      const bool top = parents_[j] < 0 || nodes_[at(parents_[j])] < 0;
      const Quat above = top ? Quat::Identity() : turns[at(nodes_[at(parents_[j])])];
      const Vec3 from = top ? Vec3(Vec3::Zero()) : Vec3(world[at(nodes_[at(parents_[j])])].translation());
      out.push_back({above.conjugate() * (world[n].translation() - from), (above.conjugate() * turns[n]).normalized()});
    }
    return out;
  }

  void write(const std::vector<std::vector<Placement>>& frames, double frame_time, std::vector<std::string>& warnings) {
    if (frames.empty()) fail("there are no frames");
    if (!(frame_time > 0) || !std::isfinite(frame_time)) fail(fmt::format("a frame of {} s cannot be", frame_time));
    std::vector<Placement> rest;
    for (const Node& node : c_.nodes) rest.push_back(node.local);
    rest_ = poses(rest);
    std::vector<std::vector<BvhPose>> moved;
    for (size_t f = 0; f < frames.size(); ++f) {
      if (frames[f].size() != c_.nodes.size())
        fail(fmt::format("frame {} has {} placements, and there are {} nodes", f, frames[f].size(), c_.nodes.size()));
      moved.push_back(poses(frames[f]));
      for (const BvhPose& p : moved.back())
        if (!p.offset.allFinite() || !p.turn.coeffs().allFinite()) fail(fmt::format("frame {} is not finite", f));
    }
    choose_channels(moved);
    tell_scales(frames, warnings);
    OutputFile out(path_);
    out.print("HIERARCHY\n");
    joint(out, 0, 0);
    out.print("MOTION\nFrames: {}\nFrame Time: {}\n", frames.size(), frame_time);
    std::vector<std::array<double, 3>> angles(nodes_.size(), {0, 0, 0});
    for (const std::vector<BvhPose>& frame : moved) {
      const char* before = "";
      for (const size_t j : written_) {
        if (travels_[j]) {
          out.print("{}{:.9g} {:.9g} {:.9g}", before, frame[j].offset[0], frame[j].offset[1], frame[j].offset[2]);
          before = " ";
        }
        angles[j] = zxy_angles(frame[j].turn.toRotationMatrix(), angles[j]);
        for (const double a : angles[j]) {
          out.print("{}{:.9g}", before, kDegrees * a);
          before = " ";
        }
      }
      out.print("\n");
    }
    out.commit();
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { throw InputError({path_, 0, 0, ""}, "not written: " + what); }

  static Quat turn_of(const Affine& matrix) {
    Mat3 turn = matrix.linear();
    if (turn.determinant() < 0) turn.col(0) *= -1;
    for (int k = 0; k < 3; ++k) turn.col(k).normalize();
    return turn.allFinite() ? Quat(turn).normalized() : Quat::Identity();
  }

  // Joints of skins at or under `root`, and what lies between them; without any, all that is there.
  void choose(int root) {
    const size_t n = c_.nodes.size();
    if (root >= 0 && at(root) >= n) fail(fmt::format("node {} is not there", root));
    if (root < 0 && c_.skins.empty()) fail("the character has no skin, so no joints");
    std::vector<char> wanted(n, 0), under(n, root < 0);
    for (const int i : order_) {
      const int parent = c_.nodes[at(i)].parent;
      if (i == root || (parent >= 0 && under[at(parent)])) under[at(i)] = 1;
    }
    for (size_t s = 0; s < (root < 0 ? 1 : c_.skins.size()); ++s)
      for (const int j : c_.skins[s].joints) wanted[at(j)] |= under[at(j)];
    if (std::count(wanted.begin(), wanted.end(), 0) == static_cast<std::ptrdiff_t>(n)) wanted = under;
    // How many joints are at or below each node; the root is the lowest that has all of them.
    std::vector<int> below(wanted.begin(), wanted.end());
    for (auto i = order_.rbegin(); i != order_.rend(); ++i)
      if (c_.nodes[at(*i)].parent >= 0) below[at(c_.nodes[at(*i)].parent)] += below[at(*i)];
    const int all = static_cast<int>(std::count(wanted.begin(), wanted.end(), 1));
    int top = root;
    for (const int i : order_)
      if (root < 0 && below[at(i)] == all && (top < 0 || depth(i) > depth(top))) top = i;
    std::vector<int> index(n, -1);
    // Joints that nothing holds together hang under a root of ours.
    if (top < 0) nodes_ = {-1}, parents_ = {-1};
    for (const int i : order_) {
      const int parent = c_.nodes[at(i)].parent;
      const bool inside = top < 0 || i == top || (parent >= 0 && index[at(parent)] >= 0);
      if (!inside || (below[at(i)] == 0 && i != top)) continue;
      index[at(i)] = static_cast<int>(nodes_.size());
      nodes_.push_back(i);
      const int held = parent >= 0 ? index[at(parent)] : -1;
      parents_.push_back(i == top ? -1 : top < 0 && held < 0 ? 0 : held);
    }
    children_.resize(nodes_.size());
    for (size_t j = 0; j < nodes_.size(); ++j)
      if (parents_[j] >= 0) children_[at(parents_[j])].push_back(j);
    name_joints();
  }

  int depth(int node) const {
    int d = 0;
    for (int i = node; i >= 0; i = c_.nodes[at(i)].parent) ++d;
    return d;
  }

  // Many readers end a name at a blank, and go by name.
  void name_joints() {
    std::set<std::string> taken;
    for (size_t j = 0; j < nodes_.size(); ++j) {
      std::string wish = nodes_[j] < 0 ? "root" : c_.nodes[at(nodes_[j])].name;
      for (char& ch : wish)
        if (static_cast<unsigned char>(ch) <= ' ' || ch == '{' || ch == '}') ch = '_';
      if (wish.empty()) wish = fmt::format("joint_{}", nodes_[j]);
      std::string name = wish;
      for (int k = 2; !taken.insert(name).second; ++k) name = fmt::format("{}_{}", wish, k);
      names_.push_back(name);
    }
  }

  // The root travels, and what moves against its parent by more than rounding of its skeleton.
  void choose_channels(const std::vector<std::vector<BvhPose>>& moved) {
    double size = 0;
    for (const BvhPose& p : rest_) size = std::max(size, p.offset.norm());
    for (size_t j = 0; j < nodes_.size(); ++j) {
      bool travels = parents_[j] < 0;
      for (const std::vector<BvhPose>& frame : moved)
        travels |= (frame[j].offset - rest_[j].offset).norm() > 1e-6 * size;
      travels_.push_back(travels);
    }
    size_ = size;
  }

  void tell_scales(const std::vector<std::vector<Placement>>& frames, std::vector<std::string>& warnings) const {
    std::string first;
    int count = 0;
    for (const int i : nodes_) {
      if (i < 0) continue;
      bool scaled = (c_.nodes[at(i)].local.scale - Vec3::Ones()).norm() > 1e-5;
      for (const std::vector<Placement>& f : frames) scaled |= (f[at(i)].scale - Vec3::Ones()).norm() > 1e-5;
      if (!scaled) continue;
      if (count++ == 0) first = c_.nodes[at(i)].name;
    }
    if (count > 0) {
      warnings.push_back(
          fmt::format("{}: BVH has no scales: {} joints have one ('{}' for one); joints stand where they "
                      "should, but what hangs on them is not scaled",
                      path_, count, first));
    }
  }

  void joint(OutputFile& out, size_t j, int depth) {
    const std::string in(2 * at(depth), ' ');
    const Vec3& x = rest_[j].offset;
    out.print("{}{} {}\n{}{{\n", in, depth == 0 ? "ROOT" : "JOINT", names_[j], in);
    out.print("{}  OFFSET {:.9g} {:.9g} {:.9g}\n", in, x[0], x[1], x[2]);
    out.print("{}  CHANNELS {}Zrotation Xrotation Yrotation\n", in,
              travels_[j] ? "6 Xposition Yposition Zposition " : "3 ");
    written_.push_back(j);
    for (const size_t child : children_[j]) joint(out, child, depth + 1);
    if (children_[j].empty()) {
      // A length to draw, along the bone's own y as most programs have it.
      const double length = x.norm() > 0 ? x.norm() / 2 : std::max(size_ / 10, 1e-3);
      out.print("{}  End Site\n{}  {{\n{}    OFFSET 0 {:.9g} 0\n{}  }}\n", in, in, in, length, in);
    }
    out.print("{}}}\n", in);
  }

  std::string path_;
  const Character& c_;
  std::vector<int> order_;
  std::vector<int> nodes_, parents_;  // by joint of the file, parents first; node -1: a root of ours
  std::vector<std::vector<size_t>> children_;
  std::vector<std::string> names_;
  std::vector<BvhPose> rest_;
  std::vector<char> travels_;
  std::vector<size_t> written_;  // joints in the order of the hierarchy, which is that of the channels
  double size_ = 0;
};

}  // namespace

void write_bvh(const std::string& path, const Character& character, const std::vector<std::vector<Placement>>& frames,
               double frame_time, std::vector<std::string>& warnings, int root) {
  BvhWriter(path, character, root).write(frames, frame_time, warnings);
}

}  // namespace supple
