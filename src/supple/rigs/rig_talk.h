// One process that is a rig, and the conversation with it (docs/reference/rig-protocol.md). For pipe_rig.h.
// Inside the room only.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "supple/base/child_process.h"
#include "supple/rigs/pipe_rig.h"

namespace supple {

struct RigDescription {
  std::vector<RigParameter> parameters;
  int n_points = 0;
  std::vector<Tri> triangles;
  bool offers_keyed = false, offers_points = false;
};

// Everything throws InputError, as PipeRig says, and Cancelled (stop_waiting_when).
class RigTalk {
 public:
  explicit RigTalk(const PipeRigSpec& spec);  // spec must outlive this

  // Apart, so that all copies of a rig get going before the first is waited for.
  void greet();
  RigDescription hear_description();
  // The answer to one request: `count` finite numbers.
  std::vector<double> numbers(const std::string& request, size_t count);
  // Answers are to be of these points; selection: a number that tells it from others, 0: all.
  void select(int selection, const std::vector<int>& points);
  // Likewise apart. Who is lost is not waited for.
  void say_bye();
  void finish();

  // Whether what it says next can no longer be told.
  bool lost() const { return lost_; }
  [[noreturn]] void fail(const std::string& what);

 private:
  [[noreturn]] void fail(const std::string& what, const std::string& advice);
  [[noreturn]] void fail_late(const std::string& request);
  [[noreturn]] void stop();
  void send(const std::string& text);
  std::string receive(const std::string& request, size_t limit);
  void refuse_error(const std::string& line, const std::string& request) const;
  std::string noise() const;  // what it said before it greeted
  std::string errors() const;
  void hear_greeting();
  int hear_count(const std::string& line, const std::vector<std::string_view>& words);
  RigParameter parameter_of(const std::string& line);
  Tri triangle_of(const std::string& line);

  const PipeRigSpec& spec_;
  std::optional<ChildProcess> process_;
  std::string noise_;  // the first line before its greeting
  int selection_ = 0;
  bool lost_ = false;
};

}  // namespace supple
