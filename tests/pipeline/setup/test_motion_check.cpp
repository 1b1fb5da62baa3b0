// When a motion is told about, and when it is none any more.
#include "supple/pipeline/setup/motion_check.h"

#include <gtest/gtest.h>

namespace supple::pipeline {
namespace {

TEST(MotionCheck, WhatHasBlownUpIsNotDelivered) {
  MotionCheck lively;
  lively.rms_share = 0.02, lively.swing99 = lively.drawn99 = 0.3, lively.peak_share = 0.2, lively.box_ratio = 1.1;
  EXPECT_EQ(blown_up(lively), "");
  EXPECT_TRUE(complaints(lively).empty());

  // A body of jelly may be twice as wide, and a tail its own length away: told, and delivered.
  MotionCheck wild = lively;
  wild.peak_share = 0.9, wild.box_ratio = 2.5;
  EXPECT_EQ(blown_up(wild), "");
  EXPECT_FALSE(complaints(wild).empty());
  wild.peak_share = 1.5, wild.box_ratio = 1.2;
  EXPECT_EQ(blown_up(wild), "");

  MotionCheck gone = lively;
  gone.peak_share = 4.86, gone.box_ratio = 19.8;
  EXPECT_NE(blown_up(gone).find("4.86 times the size"), std::string::npos) << blown_up(gone);
}

}  // namespace
}  // namespace supple::pipeline
