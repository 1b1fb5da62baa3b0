// Whenever it is stopped, a run can be gone on with, and what comes out is the same to the bit.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

#include "supple/demos/gallery/pear.h"
#include "supple/io/gltf/gltf_write.h"
#include "tests/scenes/curves_files.h"

namespace supple {

using namespace demos;
namespace {

namespace fs = std::filesystem;

class Stopped : public CurvesFiles {
 protected:
  // Exit status of a call; more than 1000: of the signal that ended it.
  int call(const std::string& words, const std::string& set = "") const {
    const std::string line = "cd " + folder_.string() + " && exec env SUPPLE_SYNC=on SUPPLE_CACHE=off " + set +
                             " " SUPPLE_PROGRAM " --threads 1 -q " + words + " >told.txt 2>&1";
    const pid_t child = fork();
    if (child == 0) {
      execl("/bin/sh", "sh", "-c", line.c_str(), static_cast<char*>(nullptr));
      _exit(127);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFSIGNALED(status) ? 1000 + WTERMSIG(status) : WEXITSTATUS(status);
  }
  static std::string stopping_at(long step) { return fmt::format("LD_PRELOAD=" STOP_AT_STEP " STOP_AT={}", step); }

  // What of a result is the same each time: reports and pages tell how long it took.
  std::set<std::string> results(const std::string& folder) const {
    std::set<std::string> names;
    for (const auto& entry : fs::recursive_directory_iterator(path(folder))) {
      const std::string name = fs::relative(entry.path(), path(folder)).string();
      if (entry.is_regular_file() && !name.ends_with("report.json") && !name.ends_with(".html") &&
          name.find("checkpoint") == std::string::npos && name.find("trials.json") == std::string::npos &&
          !name.ends_with(".supple.lock"))
        names.insert(name);
    }
    return names;
  }
  void expect_same(const std::string& a, const std::string& b) const {
    ASSERT_EQ(results(a), results(b));
    EXPECT_GE(results(a).size(), 2u);
    for (const std::string& name : results(a))
      EXPECT_TRUE(read(path(a + "/" + name)) == read(path(b + "/" + name))) << name;
  }

  // words: a call with {} for the folder of its results. Stopped at each `every`th step, and again as it goes on.
  void goes_on_from_anywhere(const std::string& words, int every) const {
    const auto in = [&](const std::string& folder) { return fmt::format(fmt::runtime(words), folder); };
    ASSERT_EQ(call(in("whole"), "LD_PRELOAD=" STOP_AT_STEP " STOP_COUNT=count.txt"), 0) << read(path("told.txt"));
    const long steps = std::atol(read(path("count.txt")).c_str());
    ASSERT_GT(steps, 40);
    for (long k = 1; k <= steps; k += every) {
      SCOPED_TRACE(fmt::format("stopped at step {} of {}", k, steps));
      ASSERT_EQ(call(in("cut"), stopping_at(k)), 1000 + SIGKILL) << read(path("told.txt"));
      // A second time, while it goes on: early, or late.
      if (k % 2 == 0) call(in("cut") + " --resume", stopping_at(k % 3 == 0 ? 7 : 25));
      ASSERT_EQ(call(in("cut") + " --resume"), 0) << read(path("told.txt"));
      expect_same("whole", "cut");
      if (HasFailure()) return;
      fs::remove_all(path("cut"));
    }
  }

  void put_bar() const {
    write("bar.toml",
          "[tets]\nfile = \"tail.msh\"\n[attach]\nvertices = [0, 1, 2, 3, 4, 5, 6, 7, 8]\n[timeline]\nfps = "
          "24\nframes = 23\nsubsteps = 1\n[material]\nyoungs_modulus = 2e4\n[output]\nformats = [\"pc2\"]\nreport = "
          "false\n");
  }
  void put_pear() const {
    write_gltf(path("pear.glb"), make_pear({.rings = 8, .segments = 8}), {.colors = pear_colors()});
  }
  static constexpr char kPear[] =
      "run pear.glb --clip {} --take {{0}} -o {{0}}/soft.glb --set tets.count=200 --set output.report=false --set "
      "timeline.range=[2,16] --set timeline.loop=false --set timeline.substeps=2";
};

TEST_F(Stopped, simulate) {
  put_bar();
  goes_on_from_anywhere("simulate bar.toml -o {}", 7);
}
TEST_F(Stopped, SlowSimulateAtEveryStep) {
  put_bar();
  goes_on_from_anywhere("simulate bar.toml -o {}", 1);
}
TEST_F(Stopped, run) {
  put_pear();
  goes_on_from_anywhere(fmt::format(kPear, "hop"), 41);
}
TEST_F(Stopped, SlowRunOfAllClipsAtEveryStep) {
  put_pear();
  goes_on_from_anywhere(fmt::format(kPear, "all"), 3);
}
TEST_F(Stopped, curves) { goes_on_from_anywhere("curves scene.toml -o {} --set timeline.range=[0,12]", 11); }
TEST_F(Stopped, SlowCurvesAtEveryStep) {
  goes_on_from_anywhere("curves scene.toml -o {} --set timeline.range=[0,12]", 1);
}
TEST_F(Stopped, tune) {
  put_bar();
  goes_on_from_anywhere("tune bar.toml -o {} --set timeline.test_motion=stop --frequency 0.8 --max-runs 2", 61);
}
TEST_F(Stopped, SlowTuneAtEveryStep) {
  put_bar();
  goes_on_from_anywhere("tune bar.toml -o {} --set timeline.test_motion=stop --frequency 0.8 --max-runs 2", 3);
}

// However a program is asked to stop, it says how to go on, and that line does.
TEST_F(Stopped, by_a_signal) {
  put_bar();
  ASSERT_EQ(call("simulate bar.toml -o whole"), 0) << read(path("told.txt"));
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    SCOPED_TRACE(signal);
    const pid_t child = fork();
    if (child == 0) {
      if (chdir(folder_.c_str()) != 0 || !freopen("told.txt", "w", stderr)) _exit(1);
      std::signal(signal, SIG_DFL);
      setenv("SUPPLE_CACHE", "off", 1);
      execl(SUPPLE_PROGRAM, SUPPLE_PROGRAM, "simulate", "bar.toml", "--overwrite", "--set", "timeline.substeps=300",
            "--set", "timeline.range=[0, 22]", nullptr);
      _exit(1);
    }
    int status = 0;
    while (!fs::exists(path("takes/001/checkpoint/state.bin")) && waitpid(child, &status, WNOHANG) == 0) usleep(2000);
    kill(child, signal);
    ASSERT_EQ(waitpid(child, &status, 0), child);
    const std::string told = read(path("told.txt")), before = "go on with: ";
    ASSERT_EQ(WEXITSTATUS(status), 128 + signal) << told;
    ASSERT_NE(told.find(before), std::string::npos) << told;
    const std::string line = told.substr(told.find(before) + before.size());
    EXPECT_NE(line.find("-o takes/001 --resume"), std::string::npos) << line;
    EXPECT_NE(line.find("'timeline.range=[0, 22]'"), std::string::npos) << line;
    EXPECT_EQ(line.find("--overwrite"), std::string::npos) << line;
    fs::remove_all(path("takes"));
  }
}

// What nobody reads is no reason to lose the work; a result that could not be printed is told by the status.
TEST_F(Stopped, by_nothing_that_becomes_of_its_words) {
  put_bar();
  const auto in_shell = [&](const std::string& line) {
    return WEXITSTATUS(std::system(("cd " + folder_.string() + " && export SUPPLE_CACHE=off && " + line).c_str()));
  };
  const std::string run = SUPPLE_PROGRAM " simulate bar.toml --overwrite -o out ";
  for (const char* where : {">&- 2>&-", "2>/dev/full >/dev/null", "2>&- >/dev/null", "<&- >/dev/null 2>/dev/null"}) {
    EXPECT_EQ(in_shell(run + where), 0) << where;
    EXPECT_TRUE(fs::exists(path("out/report.json"))) << where;
    EXPECT_EQ(read(path("out/tets.pc2")).substr(0, 11), "POINTCACHE2") << where;
    fs::remove_all(path("out"));
  }
  EXPECT_EQ(in_shell(run + ">/dev/full 2>told.txt"), 1);
  EXPECT_NE(read(path("told.txt")).find("could not be"), std::string::npos) << read(path("told.txt"));
  EXPECT_TRUE(fs::exists(path("out/report.json")));
  EXPECT_EQ(in_shell(run + "2>/dev/null | true"), 0);
}

// Room for a part of it: what there was room for is kept, and is gone on from when there is more.
TEST_F(Stopped, by_a_full_disk) {
  put_bar();
  ASSERT_EQ(call("simulate bar.toml -o whole"), 0) << read(path("told.txt"));
  const std::string limited = "cd " + folder_.string() + " && trap '' XFSZ && ulimit -f 40 && SUPPLE_CACHE=off exec " +
                              SUPPLE_PROGRAM + " -q --threads 1 simulate bar.toml -o cut 2>told.txt >/dev/null";
  EXPECT_EQ(WEXITSTATUS(std::system(limited.c_str())), 1) << read(path("told.txt"));
  const std::string told = read(path("told.txt"));
  EXPECT_NE(told.find("could not be written in full"), std::string::npos) << told;
  EXPECT_NE(told.find("simulate bar.toml -o cut --resume"), std::string::npos) << told;
  ASSERT_EQ(call("simulate bar.toml -o cut --resume"), 0) << read(path("told.txt"));
  expect_same("whole", "cut");
}

TEST_F(Stopped, not_by_others_that_run_beside_it) {
  put_bar();
  constexpr int kMany = 8;
  std::string all;
  for (int k = 0; k < kMany; ++k) all += SUPPLE_PROGRAM " -q --threads 1 simulate bar.toml 2>/dev/null >/dev/null & ";
  ASSERT_EQ(std::system(("cd " + folder_.string() + " && export SUPPLE_CACHE=off; " + all + "wait").c_str()), 0);
  for (int k = 2; k <= kMany; ++k) expect_same("takes/001", fmt::format("takes/{:03}", k));
  // In one folder one of them runs, and the others say who does.
  std::string together;
  for (int k = 0; k < kMany; ++k)
    together +=
        fmt::format("(" SUPPLE_PROGRAM
                    " -q --threads 1 simulate bar.toml -o takes/one 2>told{0}.txt >/dev/null; echo $? >status{0}) & ",
                    k);
  ASSERT_EQ(std::system(("cd " + folder_.string() + " && export SUPPLE_CACHE=off; " + together + "wait").c_str()), 0);
  int done = 0;
  for (int k = 0; k < kMany; ++k) {
    const std::string status = read(path(fmt::format("status{}", k))), told = read(path(fmt::format("told{}.txt", k)));
    done += status == "0\n" ? 1 : 0;
    if (status == "0\n") continue;
    EXPECT_EQ(status, "2\n") << told;
    EXPECT_TRUE(told.find("is writing there") != std::string::npos || told.find("holds a run") != std::string::npos)
        << told;
  }
  EXPECT_EQ(done, 1);
  expect_same("takes/001", "takes/one");
}

}  // namespace
}  // namespace supple
