#include <gtest/gtest.h>

#include "supple/base/error.h"
#include "supple/base/printable.h"

namespace supple {

TEST(Printable, LeavesWordsOfAllLanguages) {
  for (const char* text : {"", "Fox", "Füchse, лиса, 狐, 🦊", "a\\b 'c' \"d\"", "café", "\u0301"})
    EXPECT_EQ(printable(text), text);
}

TEST(Printable, ShowsWhatATerminalObeys) {
  EXPECT_EQ(printable("\x1b[31m"), "\\x1b[31m");
  EXPECT_EQ(printable(std::string_view("\0\t\r\x7f", 4)), "\\x00\\x09\\x0d\\x7f");
  EXPECT_EQ(printable("\u009b2J"), "\\x9b2J");  // the same as ESC [
  EXPECT_EQ(printable("gpj.\u202Eexe"), "gpj.\\u{202E}exe");
  for (const char* turns : {"\u061C", "\u200E", "\u200F", "\u202A", "\u202B", "\u202C", "\u202D", "\u2066", "\u2067",
                            "\u2068", "\u2069", "\u2028", "\u2029"})
    EXPECT_EQ(printable(turns).substr(0, 3), "\\u{") << turns;
  EXPECT_EQ(printable("\u2027\u202F\u2065\u206A"), "\u2027\u202F\u2065\u206A");
}

TEST(Printable, ShowsBytesThatAreNoText) {
  EXPECT_EQ(printable("a\xff\xfe"), "a\\xff\\xfe");
  EXPECT_EQ(printable("\xc0\xaf"), "\\xc0\\xaf");                    // too long for what it says
  EXPECT_EQ(printable("\xe0\x80\xaf"), "\\xe0\\x80\\xaf");           // likewise
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");           // half of a pair
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");  // past the last
  EXPECT_EQ(printable("\xe7\x8b"), "\\xe7\\x8b");                    // cut off
}

TEST(Printable, KeepsLineEndsOnlyWhereTheyAreOurs) {
  EXPECT_EQ(printable("a\nb"), "a\\x0ab");
  EXPECT_EQ(printable("a\nb\r\x1b", LineEnds::kept), "a\nb\\x0d\\x1b");
}

TEST(Printable, ErrorsAreSoFromTheStart) {
  const InputError e({.file = "a\nb.toml", .line = 3, .place = "key \x1bx"}, "no '\u202E\n'",
                     "the clips are: a\nsupple: b");
  EXPECT_STREQ(e.what(), "a\\x0ab.toml:3 (key \\x1bx): no '\\u{202E}\\x0a'\n  the clips are: a\n  supple: b");
  EXPECT_EQ(e.fault(), "no '\u202E\n'");
  EXPECT_STREQ(SimulationFailure(0.5, "a\x1b", "b\n").what(), "at 0.5 s, a\\x1b: b\\x0a");
}

}  // namespace supple
