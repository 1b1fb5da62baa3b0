// A material that is fitted anew during a shot, as a pose asks for another one than rest does.
//
// A field misses what is asked for by some amount even where it was made. It is made anew where it misses by
// curves.refit more than that. Flesh that is bent and becomes softer or stiffer at once would start to swing by itself,
// so the old field turns into the new one over a period of the slowest swing: a ramp of that length leaves none of it.
#pragma once
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "supple/pipeline/curves/setup.h"

namespace supple::pipeline::curves {

class MaterialOverTime {
 public:
  // Both must outlive this; the field at hand is that of the layer's body.
  MaterialOverTime(const CurvesSetup& setup, const CurvesLayer& layer);

  // A fit for parameters p of the layer's rig at t; none: the field at hand will do.
  std::optional<MaterialFit> better_at(const VecX& p, double t);

  // From the field at hand to another one, from t on.
  void begin(std::vector<double> to, double t);
  bool under_way() const { return !memory_.to.empty(); }
  // Of the new field at t, 0 to 1.
  struct Ramp {
    double start = 0, length = 1;  // [s]
    double share(double t) const;
  };
  const Ramp& ramp() const { return memory_.ramp; }
  double share(double t) const { return memory_.ramp.share(t); }
  std::vector<double> field(double share) const;
  void end() { memory_.to.clear(); }

  // What later frames depend on, beside the field at hand.
  struct Memory {
    double met = 0;  // misfit where the field at hand was made
    Ramp ramp;
    std::vector<double> from, to;
  };
  const Memory& memory() const { return memory_; }
  void set_memory(Memory memory) { memory_ = std::move(memory); }

 private:
  const CurvesSetup& setup_;
  const CurvesLayer& layer_;
  std::unique_ptr<RigBody> base_;  // under the scene's rig
  Memory memory_;
};

}  // namespace supple::pipeline::curves
