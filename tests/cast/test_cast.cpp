// Every character of the cast, all of its clips, as the program delivers them.
#include <gtest/gtest.h>

#include <map>

#include "tests/cast/cast.h"
#include "tests/cast/performance.h"

namespace supple::cast {

void PrintTo(const Member& member, std::ostream* out) { *out << member.name; }

namespace {

// Each runs once for all tests.
const Performance& performance_of(const Member& member) {
  static std::map<std::string, Performance> done;
  const auto it = done.find(member.name);
  return it != done.end() ? it->second : done.emplace(member.name, perform(member.make())).first->second;
}

class Cast : public ::testing::TestWithParam<Member> {};

TEST_P(Cast, MeetsTheThresholds) {
  const Member& member = GetParam();
  const Performance& p = performance_of(member);
  if (member.hard) {  // is told to be
    EXPECT_NE(p.failure.find("nothing of it is soft"), std::string::npos) << p.failure;
    return;
  }
  ASSERT_EQ(p.failure, "");
  ASSERT_EQ(p.clips.size(), member.clips.size());
  for (size_t k = 0; k < p.clips.size(); ++k) {
    std::string broken_rules;
    for (const std::string& rule : broken(p.clips[k])) broken_rules += "\n  " + rule;
    EXPECT_EQ(broken_rules, "") << member.name << ", " << member.clips[k] << ": " << text(p.clips[k]);
  }
}

// Clips are in the order of what they do. One gain for all of them: what does more swings further.
TEST_P(Cast, SwingsInTheOrderOfWhatItsClipsDo) {
  const Member& member = GetParam();
  if (member.hard) return;  // nothing swings
  const Performance& p = performance_of(member);
  ASSERT_EQ(p.failure, "");
  for (size_t k = 1; k < p.clips.size(); ++k) {
    const Numbers &less = p.clips[k - 1], &more = p.clips[k];
    if (more.at("drawn_accel") < 1.3 * less.at("drawn_accel")) continue;
    EXPECT_GT(more.at("swing"), less.at("swing"))
        << member.name << ": " << member.clips[k - 1] << ", " << member.clips[k];
  }
}

std::string name_of(const ::testing::TestParamInfo<Member>& info) { return info.param.name; }
INSTANTIATE_TEST_SUITE_P(All, Cast, ::testing::ValuesIn(members()), name_of);

}  // namespace
}  // namespace supple::cast
