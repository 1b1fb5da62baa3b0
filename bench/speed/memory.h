// Peak memory of this process.
#pragma once

namespace supple::bench {

// What building and running something took: the rise of the peak of resident memory from the object's making on.
class MemoryPeak {
 public:
  MemoryPeak();
  double bytes() const;  // NaN where the system does not tell

 private:
  double before_;
};

double peak_bytes();  // VmHWM, since the last MemoryPeak began

}  // namespace supple::bench
