// Of the programs that would write to a folder, one at a time does.
//
// A lock on a file in it says who: the kernel frees that when the process ends, however it ends. Processes of other
// machines may not see it, as not every file system carries locks over. For them the file names its owner, who renews
// it as the work goes on; it is theirs to take once it has not been renewed for a while. Before a file takes its final
// name the owner looks whether the folder is still its own.
#pragma once
#include <memory>
#include <stdexcept>
#include <string>

namespace supple {

inline constexpr char kClaimFile[] = ".supple.lock";
inline constexpr int kClaimLasts = 300;  // [s] since it was renewed, where the owner is on another machine

// Another has taken the folder: this process was still for so long that it was thought to be gone.
class ClaimLost : public std::runtime_error {
 public:
  explicit ClaimLost(const std::string& folder);
};

// Claims of one folder within a process share it.
class FolderClaim {
 public:
  // InputError: another process has it, or nothing can be written there.
  explicit FolderClaim(const std::string& folder);

 private:
  std::shared_ptr<class HeldFolder> held_;
};

// Of every folder that this process has claimed. Now and then while it works; seldom enough to cost nothing.
void renew_claims();

// ClaimLost: the file is to lie in a folder that was claimed and is another's now.
void require_claim_of(const std::string& file);

}  // namespace supple
