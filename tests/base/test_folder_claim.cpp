// One program at a time writes to a folder.
#include "supple/base/folder_claim.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>

#include "supple/base/error.h"
#include "supple/base/part_file.h"
#include "tests/base/own_folder.h"

namespace supple {
namespace {

namespace fs = std::filesystem;

class FolderClaims : public OwnFolder {
 protected:
  std::string claim_file() const { return path(kClaimFile); }
  // As another machine would leave it, renewed so long ago.
  void put(const std::string& host, const std::string& boot, int age_s) const {
    std::ofstream(claim_file()) << "token 1234\npid 77\nhost " << host << "\nboot " << boot << "\nend\n";
    fs::last_write_time(claim_file(), fs::file_time_type::clock::now() - std::chrono::seconds(age_s));
  }
  std::string refusal() const {
    try {
      const FolderClaim claim(folder_.string());
    } catch (const InputError& e) {
      return e.what();
    }
    return "";
  }
  std::string this_host() const {
    char name[256] = "";
    gethostname(name, sizeof name - 1);
    return name;
  }
};

TEST_F(FolderClaims, are_given_up_with_all_that_they_made) {
  {
    const FolderClaim claim(folder_.string());
    EXPECT_NE(read(kClaimFile).find("host " + this_host()), std::string::npos) << read(kClaimFile);
    const FolderClaim again((folder_ / ".").string());  // of this process: shared
  }
  EXPECT_TRUE(fs::is_empty(folder_));
  EXPECT_THROW(FolderClaim((folder_ / "none").string()), InputError);
}

TEST_F(FolderClaims, another_process_has_to_wait) {
  int ready[2], done[2];
  ASSERT_EQ(pipe(ready) + pipe(done), 0);
  char one = 0;
  const pid_t owner = fork();
  if (owner == 0) {
    const FolderClaim theirs(folder_.string());
    if (write(ready[1], "x", 1) != 1 || ::read(done[0], &one, 1) != 1) _exit(1);
    _exit(0);  // without giving it up
  }
  ASSERT_EQ(::read(ready[0], &one, 1), 1);
  EXPECT_NE(refusal().find("is writing there"), std::string::npos) << refusal();
  EXPECT_NE(refusal().find(std::to_string(owner)), std::string::npos) << refusal();
  ASSERT_EQ(write(done[1], "x", 1), 1);
  waitpid(owner, nullptr, 0);
  // It is gone, however it went.
  EXPECT_TRUE(fs::exists(claim_file()));
  EXPECT_EQ(refusal(), "");
}

TEST_F(FolderClaims, of_another_machine_lapse) {
  put("elsewhere", "b", 2);
  EXPECT_NE(refusal().find("process 77 on elsewhere"), std::string::npos) << refusal();
  EXPECT_NE(refusal().find("may still do"), std::string::npos) << refusal();
  put("elsewhere", "b", kClaimLasts + 2);
  EXPECT_EQ(refusal(), "");
  // Of this one the kernel knows at once.
  put(this_host(), "before the power went", 2);
  EXPECT_EQ(refusal(), "");
  // One that was stopped while it wrote.
  for (const char* torn : {"", "token 1", "token 1234\npid 77\nhost els"}) {
    std::ofstream(claim_file()) << torn;
    EXPECT_EQ(refusal(), "");
  }
}

TEST_F(FolderClaims, nothing_takes_its_name_in_a_folder_that_was_lost) {
  const FolderClaim claim(folder_.string());
  PartFile file((folder_ / "a").string());
  file.write("x");
  EXPECT_NO_THROW(require_claim_of((folder_ / "deep/b").string()));
  put("elsewhere", "b", 0);
  EXPECT_THROW(file.put_in_place(), ClaimLost);
  EXPECT_FALSE(fs::exists(folder_ / "a"));
  EXPECT_THROW(require_claim_of((folder_ / "deep/b").string()), ClaimLost);
  EXPECT_NO_THROW(require_claim_of((folder_.string() + "2/b")));
}

}  // namespace
}  // namespace supple
