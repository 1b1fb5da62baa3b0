// What a rig of ours is asked by others.
#include <fcntl.h>

#include "fuzz/target.h"
#include "supple/rigs/rig_map.h"
#include "supple/rigs/serve_rig.h"

namespace supple::fuzz {
namespace {

// Two parameters move two points.
class SmallRig final : public RigMap {
 public:
  const std::vector<RigParameter>& parameters() const override { return parameters_; }
  int n_points() const override { return 2; }
  VecX evaluate(const VecX& p, double t) const override {
    VecX x = VecX::Constant(6, t);
    x.head(2) += p;
    return x;
  }
  VecX keyed(double t) const override { return VecX::Constant(2, t); }

 private:
  const std::vector<RigParameter> parameters_{{.name = "a"}, {.name = "b"}};
};

}  // namespace
}  // namespace supple::fuzz

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace supple;
  return fuzz::read_as("questions", data, size, [](const std::string& file) {
    const int input = open(file.c_str(), O_RDONLY | O_CLOEXEC), output = open("/dev/null", O_WRONLY | O_CLOEXEC);
    fuzz::attempt([&] { serve_rig(fuzz::SmallRig(), {{0, 1, 0}}, input, output); });
    close(input);
    close(output);
  });
}
