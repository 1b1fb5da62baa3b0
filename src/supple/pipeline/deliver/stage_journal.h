// What is done of a piece of work, as it says in its directory: checkpoint/NAME.txt, a stage a line. Whoever goes on
// with it reads there what is left to do.
#pragma once
#include <string>
#include <vector>

namespace supple::pipeline {

class StageJournal {
 public:
  // fingerprint: of all that the work depends on.
  StageJournal(const std::string& directory, const std::string& name, std::string fingerprint);

  void begin() const;  // anew: nothing is done
  void tell(const std::string& stage) const;
  bool is_begun() const;  // this very work
  bool is_of_other() const;
  bool has(const std::string& stage) const;
  std::vector<std::string> stages() const;  // of this very work
  void remove() const;

 private:
  std::vector<std::string> lines() const;
  void write(const std::vector<std::string>& lines) const;
  std::string file_, fingerprint_;
};

inline constexpr char kDelivered[] = "delivered";

}  // namespace supple::pipeline
