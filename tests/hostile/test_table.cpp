// Every row of table.txt: a call that is wrong, or whose files are, by the built program. What it says and with which
// status it ends stands in the row; all of them keep to some rules besides.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "tests/hostile/inputs.h"

namespace supple {
namespace {

namespace fs = std::filesystem;

constexpr size_t kLongestMessage = 700;  // letters

// name | command line | exit status | words ; more words
struct HostileRow {
  std::string name, call, section;
  int status = -1;
  std::vector<std::string> words;
};

std::string trimmed(const std::string& text) {
  const size_t begin = text.find_first_not_of(" \t"), end = text.find_last_not_of(" \t");
  return begin == std::string::npos ? "" : text.substr(begin, end - begin + 1);
}

std::vector<std::string> parts_of(const std::string& text, const std::string& mark) {
  std::vector<std::string> parts;
  size_t at = 0;
  for (size_t next; (next = text.find(mark, at)) != std::string::npos; at = next + mark.size())
    parts.push_back(trimmed(text.substr(at, next - at)));
  parts.push_back(trimmed(text.substr(at)));
  return parts;
}

std::vector<HostileRow> read_table() {
  std::ifstream in(std::string(SUPPLE_SOURCE_DIR) + "/tests/hostile/table.txt");
  std::vector<HostileRow> rows;
  std::string section;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("##")) section = trimmed(line.substr(2));
    if (line.empty() || line[0] == '#') continue;
    const std::vector<std::string> cells = parts_of(line, " | ");
    HostileRow row{.name = cells[0], .section = section};
    if (cells.size() == 4)
      row.call = cells[1], row.status = std::atoi(cells[2].c_str()), row.words = parts_of(cells[3], " ; ");
    rows.push_back(row);
  }
  return rows;
}

void PrintTo(const HostileRow& row, std::ostream* out) { *out << row.call; }

struct Ending {
  int status = -1;
  std::string out, err;
};

class Hostile : public testing::TestWithParam<HostileRow> {
 protected:
  static void SetUpTestSuite() {
    root_ = fs::temp_directory_path() / ("supple_hostile_" + std::to_string(getpid()));
    fs::remove_all(root_);
    fs::create_directories(root_ / "in");
    make_hostile_inputs(root_ / "in");
    page_.open(fs::path(SUPPLE_PROGRAM).parent_path() / "hostile.md");
    page_ << "# What supple says to wrong calls\n";
  }
  static void TearDownTestSuite() {
    page_.close();
    fs::remove_all(root_);
  }

  static std::string read(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  // Everything in the folder of the inputs, with its size and when it was written.
  static std::map<std::string, std::string> listing() {
    std::map<std::string, std::string> all;
    for (const auto& entry : fs::recursive_directory_iterator(root_ / "in")) {
      std::string& state = all[fs::relative(entry.path(), root_ / "in").string()];
      if (entry.is_regular_file())
        state = std::to_string(entry.file_size()) + "@" +
                std::to_string(entry.last_write_time().time_since_epoch().count());
    }
    return all;
  }
  static Ending run(const std::string& call) {
    const fs::path out = root_ / "out", err = root_ / "err", script = root_ / "call.sh";
    std::ofstream(script) << "cd '" << (root_ / "in").string() << "'\n"
                          << "supple() { timeout -k 1 60 '" SUPPLE_PROGRAM "' \"$@\"; }\n"
                          << call << "\n";
    const int code = std::system(
        ("SUPPLE_CACHE=off sh '" + script.string() + "' >'" + out.string() + "' 2>'" + err.string() + "' </dev/null")
            .c_str());
    return {WIFEXITED(code) ? WEXITSTATUS(code) : -1, read(out), read(err)};
  }
  static void tell(const HostileRow& row, const Ending& e) {
    if (row.section != section_) page_ << "\n## " << (section_ = row.section) << "\n";
    page_ << "\n`" << row.call << "`: " << e.status << "\n```\n" << e.err;
    if (row.status == 0) page_ << e.out;
    page_ << "```\n";
    page_.flush();
  }

  inline static fs::path root_;
  inline static std::ofstream page_;
  inline static std::string section_;
};

bool has_long_number(const std::string& text) {
  size_t digits = 0;
  for (const char c : text)
    if ((digits = c >= '0' && c <= '9' ? digits + 1 : 0) > 30) return true;
  return false;
}

TEST_P(Hostile, Row) {
  const HostileRow& row = GetParam();
  ASSERT_FALSE(row.call.empty()) << row.name << ": a row has four cells";
  const auto before = listing();
  const Ending e = run(row.call);
  tell(row, e);
  ASSERT_NE(e.status, 124) << "still running after 60 s";
  EXPECT_EQ(e.status, row.status) << e.err;
  for (const std::string& words : row.words) EXPECT_NE(e.err.find(words), std::string::npos) << words << "\n" << e.err;

  // Said in plain words, for people, and on a terminal.
  const size_t begin = e.err.find("supple: ");
  EXPECT_LT(e.err.size() - std::min(begin, e.err.size()), kLongestMessage) << e.err;
  for (const char c : e.err) EXPECT_TRUE(c == '\n' || static_cast<unsigned char>(c) >= 0x20) << int(c);
  EXPECT_FALSE(has_long_number(e.err)) << e.err;
  for (const char* never :
       {"assert", "std::", "terminate", "what():", "basic_", "bad_alloc", "json.exception", "e+308"})
    EXPECT_EQ(e.err.find(never), std::string::npos) << e.err;
  if (row.status != 0) {
    if (row.call.find("supple check") == std::string::npos) EXPECT_EQ(e.out, "");  // a check tells what it could
    EXPECT_NE(begin, std::string::npos) << e.err;
  }

  // What was there is as it was, and of what failed nothing is left.
  const auto after = listing();
  for (const auto& [name, state] : before) EXPECT_EQ(after.count(name) ? after.at(name) : "gone", state) << name;
  for (const auto& [name, state] : after) {
    if (before.count(name)) continue;
    EXPECT_EQ(row.status, 0) << "left behind: " << name;
    fs::remove_all(root_ / "in" / name);
  }
}

std::string name_of(const testing::TestParamInfo<HostileRow>& info) {
  std::string name;
  for (const char c : info.param.name) name += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return name;
}
INSTANTIATE_TEST_SUITE_P(Table, Hostile, testing::ValuesIn(read_table()), name_of);

TEST(HostileTable, speaks_of_every_command) {
  const std::vector<HostileRow> rows = read_table();
  EXPECT_GE(rows.size(), 150u);
  for (const char* command :
       {"demo", "run", "simulate", "tune", "analyze", "mesh", "live", "enrich", "curves", "finish", "compare",
        "look save", "look apply", "regions", "convert", "check", "schema"}) {
    const auto has = [&](const HostileRow& r) {
      return r.call.find(std::string("supple ") + command) != std::string::npos;
    };
    EXPECT_GE(std::count_if(rows.begin(), rows.end(), has), 3) << command;
  }
}

}  // namespace
}  // namespace supple
