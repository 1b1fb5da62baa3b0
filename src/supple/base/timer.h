// Wall-clock seconds, for reports only: no choice of the engine depends on a clock.
#pragma once
#include <chrono>

namespace supple {

class Timer {
 public:
  Timer() : start_(std::chrono::steady_clock::now()) {}
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }

 private:
  std::chrono::steady_clock::time_point start_;
};

// Adds the life of the object to a total.
class TimeInto {
 public:
  explicit TimeInto(double& total) : total_(total) {}
  ~TimeInto() { total_ += timer_.seconds(); }
  TimeInto(const TimeInto&) = delete;
  TimeInto& operator=(const TimeInto&) = delete;

 private:
  double& total_;
  Timer timer_;
};

}  // namespace supple
