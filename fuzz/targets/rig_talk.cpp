// What another program answers that is asked to be a rig: it says the bytes, whatever it is asked.
#include "fuzz/target.h"
#include "supple/rigs/pipe_rig.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace supple;
  return fuzz::read_as("answers", data, size, [](const std::string& file) {
    const PipeRig rig({.command = "exec cat '" + file + "'", .timeout_s = 3});
    const VecX rest = VecX::Zero(static_cast<Eigen::Index>(rig.parameters().size()));
    rig.evaluate(rest, 0);
    rig.keyed(0);
  });
}
