// What this call may read: set before anything is read, and remembered after.
#pragma once
#include <string>
#include <vector>

namespace supple {

// Besides what is below the folder of the file that names it: what the words of the call name, what this user named
// before, and the folders of --allow-read and SUPPLE_ALLOW_READ with all below them. InputError: no such folder.
class ReadingOfCall {
 public:
  ReadingOfCall(const std::vector<std::string>& words, const std::vector<std::string>& folders);
  ~ReadingOfCall();  // remembers what was named
  ReadingOfCall(const ReadingOfCall&) = delete;
  ReadingOfCall& operator=(const ReadingOfCall&) = delete;
};

}  // namespace supple
