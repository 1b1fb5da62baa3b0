#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <cstdio>
#include <string>
#include <thread>

#include "supple/base/child_process.h"
#include "supple/base/error.h"

namespace supple {
namespace {

TEST(ChildProcess, TakesMoreThanAPipeHoldsBothWays) {
  ChildProcess cat("cat", "");
  std::string text;
  for (int i = 0; i < 400000; ++i) text += std::to_string(i % 1000) + (i % 1000 == 999 ? '\n' : ' ');
  ASSERT_EQ(cat.send(text, 20), ChildProcess::Outcome::done);
  std::string back, line;
  for (int i = 0; i < 400; ++i) {
    ASSERT_EQ(cat.receive_line(line, 20, 1 << 20), ChildProcess::Outcome::done);
    back += line + '\n';
  }
  EXPECT_EQ(back, text);
  EXPECT_EQ(cat.finish(5), "exit status 0");
  EXPECT_EQ(cat.finish(5), "exit status 0");
}

TEST(ChildProcess, WhatItLeavesRunningIsEndedToo) {
  std::string line;
  int left = 0;
  {
    ChildProcess shell("sleep 100 & trap '' TERM; echo $!; sleep 100", "/");
    ASSERT_EQ(shell.receive_line(line, 20, 100), ChildProcess::Outcome::done);
    left = std::stoi(line);
    EXPECT_EQ(kill(left, 0), 0);
  }
  // Somebody else's to bury now: gone, or dead.
  std::string state = "Z";
  for (int i = 0; i < 200; ++i) {
    std::FILE* file = std::fopen(("/proc/" + line + "/stat").c_str(), "r");
    char c = 'Z';
    if (file && std::fscanf(file, "%*d %*s %c", &c) != 1) c = 'Z';
    if (file) std::fclose(file);
    state = c;
    if (c == 'Z' || c == 'X') break;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  EXPECT_TRUE(state == "Z" || state == "X") << state;
}

TEST(ChildProcess, WaitingStopsWhenAsked) {
  ChildProcess silent("sleep 100", "");
  std::string line;
  int asked = 0;
  stop_waiting_when([&] { return ++asked > 2; });
  EXPECT_EQ(silent.receive_line(line, 60, 100), ChildProcess::Outcome::stopped);
  EXPECT_EQ(silent.send(std::string(4 << 20, 'x'), 60), ChildProcess::Outcome::stopped);
  stop_waiting_when({});
  EXPECT_EQ(silent.receive_line(line, 0.05, 100), ChildProcess::Outcome::timeout);
}

TEST(ChildProcess, WritingToWhoHasGoneRaisesNothing) {
  ChildProcess gone("exec 0<&-; echo closed; sleep 5", "");
  std::string line;
  ASSERT_EQ(gone.receive_line(line, 20, 100), ChildProcess::Outcome::done);
  EXPECT_EQ(gone.send("hello\n", 5), ChildProcess::Outcome::closed);
  sigset_t pending;
  sigpending(&pending);
  EXPECT_EQ(sigismember(&pending, SIGPIPE), 0);
}

TEST(ChildProcess, StartsWhereItIsTold) {
  ChildProcess shell("pwd; printf 'a b \\r\\n'; echo to the side >&2; exit 7", "/usr");
  std::string line;
  ASSERT_EQ(shell.receive_line(line, 20, 100), ChildProcess::Outcome::done);
  EXPECT_EQ(line, "/usr");
  ASSERT_EQ(shell.receive_line(line, 20, 100), ChildProcess::Outcome::done);
  EXPECT_EQ(line, "a b ");
  EXPECT_EQ(shell.receive_line(line, 20, 100), ChildProcess::Outcome::closed);
  EXPECT_EQ(shell.finish(20), "exit status 7");
  EXPECT_EQ(shell.last_errors(), "to the side");
  EXPECT_THROW(ChildProcess("pwd", "/no/such/folder"), InputError);
}

}  // namespace
}  // namespace supple
