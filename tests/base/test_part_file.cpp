// Files that are there whole or not at all.
#include "supple/base/part_file.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "supple/base/error.h"
#include "tests/base/own_folder.h"

namespace supple {
namespace {

namespace fs = std::filesystem;

class PartFiles : public OwnFolder {
 protected:
  void write(const std::string& name, const std::string& text) const { std::ofstream(path(name)) << text; }
};

TEST_F(PartFiles, appear_when_they_are_complete) {
  write("a", "old");
  {
    PartFile file(path("a"));
    file.write("new");
    EXPECT_EQ(read("a"), "old");
    file.put_in_place();
  }
  EXPECT_EQ(read("a"), "new");
  EXPECT_FALSE(fs::exists(path("a.part")));
  {
    PartFile file(path("a"));
    file.write("half");
  }
  EXPECT_EQ(read("a"), "new");
  EXPECT_EQ(read("a.part"), "half");  // to be gone on with
  PartFile(path("a")).drop();
  EXPECT_FALSE(fs::exists(path("a.part")));
}

TEST_F(PartFiles, are_gone_on_with) {
  write("a.part", "0123456789");
  {
    PartFile file = PartFile::found(path("a"));
    std::string there;
    file.read(2, 5, [&](std::string_view bytes) { there += bytes; });
    EXPECT_EQ(there, "234");
    EXPECT_THROW(file.cut(11), InputError);
    file.cut(4);
    file.write("xyz");
    file.write_at(1, "B");
    file.put_in_place();
  }
  EXPECT_EQ(read("a"), "0B23xyz");
  // One that has its name keeps it until it is cut.
  {
    const PartFile file = PartFile::found(path("a"));
    EXPECT_EQ(file.size(), 7u);
  }
  EXPECT_EQ(read("a"), "0B23xyz");
  {
    PartFile file = PartFile::found(path("a"));
    file.cut(2);
  }
  EXPECT_FALSE(fs::exists(path("a")));
  EXPECT_EQ(read("a.part"), "0B");
  EXPECT_THROW(PartFile::found(path("none")), InputError);
}

// Whoever may write to the folder could have laid a link to what is somebody else's.
TEST_F(PartFiles, go_through_no_link) {
  write("mine", "mine");
  fs::create_symlink(path("mine"), path("a.part"));
  PartFile file(path("a"));
  file.write("new");
  file.put_in_place();
  EXPECT_EQ(read("mine"), "mine");
  EXPECT_EQ(read("a"), "new");
  EXPECT_FALSE(fs::is_symlink(path("a")));
  fs::create_symlink(path("mine"), path("b.part"));
  EXPECT_THROW(PartFile::found(path("b")), InputError);
  ASSERT_EQ(mkfifo(path("c.part").c_str(), 0600), 0);
  EXPECT_THROW(PartFile::found(path("c")), InputError);  // and waits for nobody to write to it
}

TEST_F(PartFiles, where_none_can_be_made_is_told) {
  EXPECT_THROW(PartFile(path("no/such/folder")), InputError);
  EXPECT_THROW(require_can_be_made(path("no/such/folder")), InputError);
  fs::create_directories(path("d.part/x"));
  EXPECT_THROW(PartFile(path("d")), InputError);
  EXPECT_NO_THROW(require_can_be_made(path("e")));
  EXPECT_FALSE(fs::exists(path("e.part")));
  write("e", "there");
  EXPECT_NO_THROW(require_can_be_made(path("e")));
  EXPECT_EQ(read("e"), "there");
}

// A full disk is no mistake in the call.
TEST_F(PartFiles, a_full_disk_is_a_failure_of_its_own) {
  const rlim_t few = 100;
  PartFile file(path("a"));
  struct rlimit before {};
  getrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, SIG_IGN);
  const struct rlimit now { few, before.rlim_max };
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &now), 0);
  EXPECT_NO_THROW(file.write(std::string(few, 'x')));
  EXPECT_THROW(file.write("y"), OutputFailure);
  setrlimit(RLIMIT_FSIZE, &before);
}

}  // namespace
}  // namespace supple
