// A rig that is another program: Maya, Blender, a script. It is started, and spoken with line by line over its standard
// input and output (docs/reference/rig-protocol.md).
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "supple/base/types.h"
#include "supple/rigs/rig_map.h"

namespace supple {

struct PipeRigSpec {
  std::string command;    // as a shell takes it
  int processes = 1;      // copies that answer side by side
  double timeout_s = 60;  // of one answer [s]
  std::string directory;  // where it is started; empty: here
};

class PipeRig final : public RigMap {
 public:
  // Starts it and asks for its parameters. InputError: it does not start, says something else than the protocol has
  // (which line), gives no finite numbers, dies (its exit status and the end of what it wrote to standard error), or
  // does not answer in time. The same of every call below.
  explicit PipeRig(PipeRigSpec spec);
  ~PipeRig() override;  // says bye and waits for it
  const std::vector<RigParameter>& parameters() const override;
  int n_points() const override;
  VecX evaluate(const VecX& p, double t) const override;
  VecX keyed(double t) const override;
  // Evaluations may go on in as many threads as there are processes.
  int at_once() const override;
  // By the same processes, where they can do some points only.
  std::shared_ptr<const RigMap> for_points(const std::vector<int>& points) const override;
  // The triangles it draws, where it tells them.
  const std::vector<Tri>& triangles() const;

 private:
  struct Work;
  std::shared_ptr<Work> work_;  // with those for some points
};

}  // namespace supple
