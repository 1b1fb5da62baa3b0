// What other programs take of the machine meanwhile: a figure that was measured beside them is not worth much.
#pragma once

namespace supple::bench {

class OthersLoad {
 public:
  OthersLoad() { restart(); }
  void restart();
  // Cores that others kept busy since the start, on average. NaN where the system does not tell.
  double cores() const;

 private:
  double wall_ = 0, busy_ = 0, own_ = 0;  // [s]
};

}  // namespace supple::bench
