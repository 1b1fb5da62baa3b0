// The poses of a clip at any time: its own at the frames, twice continuously differentiable in between.
// Inside the room only.
#pragma once
#include <list>
#include <memory>
#include <mutex>
#include <vector>

#include "supple/anim/character.h"
#include "supple/anim/node_tree.h"

namespace supple {

// Translations, quaternions (of unit length again), scales and weights each go by the local quintic (local_quintic.h).
// Before the first frame and after the last the pose is held, or, of a loop, what comes before the first frame is what
// comes before the last. A loop need not come back to where it began: what its last frame is to the first of a node,
// every cycle is to the one before, as of a walk that travels.
class SkeletonClip {
 public:
  // frames: at start, start + 1 / fps, ...; of a clip without channels one is enough. jumps: steps, by the frame before
  // them, over which the whole motion jumps: there the old one goes on to the frame after, and the new one starts
  // there. bridged: frames that it passes over.
  SkeletonClip(const Character& character, const Clip& clip, double start, double fps, int frames, bool loop,
               std::vector<int> jumps = {}, const std::vector<int>& bridged = {});

  struct State {
    std::vector<Placement> placements;         // of all nodes, file units
    std::vector<std::vector<double>> weights;  // of nodes whose weights the clip animates, else empty
  };
  // t [s]: 0 is the first frame. Any number of threads may ask; the times last asked for are remembered.
  std::shared_ptr<const State> at(double t) const;
  State frame(int k) const;  // 0 <= k < n_frames()

  int n_frames() const { return last_ + 1; }
  // Which frame: its number, and the share of the way to the next. A loop has frames before 0 and after the last.
  struct Where {
    int frame = 0;
    double share = 0;
  };
  Where where(double t) const;
  // Frame of the clip and cycle of a frame of any number: frame = result.first + cycle x (n_frames() - 1).
  std::pair<int, int> in_cycle(int frame) const;
  bool jumps_after(int frame) const;

 private:
  using Vec10 = Eigen::Matrix<double, 10, 1>;  // translation, quaternion x y z w, scale
  struct Moving {
    int node = -1;
    std::vector<Vec10> frames;  // quaternions of continuous sign
  };
  struct Changing {
    int node = -1;
    std::vector<std::vector<double>> frames;
  };
  Vec10 sample(const Moving& m, int frame) const;
  double sample(const Changing& c, size_t target, int frame) const;
  State compute(const Where& at) const;
  void bridge(const std::vector<int>& frames);

  double fps_ = 24;
  int last_ = 0;
  bool loop_ = false;
  std::vector<int> jumps_;
  std::vector<Placement> still_;  // of all nodes; of those that move, at the first frame
  std::vector<Moving> moving_;
  std::vector<Changing> changing_;
  struct Memory {
    std::mutex mutex;
    std::list<std::pair<double, std::shared_ptr<const State>>> latest;  // asked for last first
  };
  std::unique_ptr<Memory> memory_;
};

}  // namespace supple
