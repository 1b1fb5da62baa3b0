#include "supple/report/cuts_json.h"

#include <gtest/gtest.h>

namespace supple {
namespace {

TEST(CutsJson, one_object_each_in_frame_numbers) {
  MotionCuts cuts;
  EXPECT_EQ(json_of(cuts).text(-1), "[]");
  MotionCut cut;
  cut.frame = 12;
  cuts.list = {cut, cut};
  const std::string text = json_of(cuts).text();
  EXPECT_NE(text.find("\"frame\": 12"), std::string::npos) << text;
  for (const char* key : {"kind", "way_m", "turn_deg"}) EXPECT_NE(text.find(key), std::string::npos) << text;
}

}  // namespace
}  // namespace supple
