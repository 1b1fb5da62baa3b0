// Curves as .csv and .json: bit for bit round trips, files by hand, and damage with its line.
#include "supple/io/curve_files.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <functional>
#include <random>

#include "supple/base/error.h"
#include "tests/io/scratch.h"

namespace supple {
namespace {

class CurveFiles : public testing::Test {
 protected:
  CurveTable read(const std::string& name, const std::string& text) { return read_curves(dir_.put(name, text)); }
  // "LINE: what", "" when there is no fault.
  std::string fault(const std::string& name, const std::string& text) {
    const std::string path = dir_.put(name, text);
    try {
      read_curves(path);
    } catch (const InputError& e) {
      EXPECT_EQ(e.where().file, path);
      return std::to_string(e.where().line) + ": " + e.fault();
    }
    return "";
  }
  void expect_fault(const std::string& name, const std::string& text, int line, const std::string& what) {
    const std::string found = fault(name, text);
    EXPECT_EQ(found.find(std::to_string(line) + ": "), 0u) << found << "\n" << text;
    EXPECT_NE(found.find(what), std::string::npos) << found << "\n" << text;
  }
  Scratch dir_;
};

CurveTable odd_table() {
  CurveTable t;
  t.names = {"tail.rotation.x", "a, b", " blank ", "say \"go\"", "#", "\xC3\xA4", "semi;colon"};
  t.frames = {-3.5, 0, 0.1, 1e9};
  t.fps = 29.97;
  t.values.resize(4, 7);
  std::mt19937_64 random(7);
  for (double& x : t.values.reshaped()) {
    do x = std::bit_cast<double>(random());
    while (!std::isfinite(x));
  }
  t.values(0, 0) = -0.0;
  t.values(1, 0) = 5e-324;
  t.values(2, 0) = 1.7976931348623157e308;
  t.values(3, 0) = 9007199254740993.0;
  t.values(0, 1) = 0.1;
  t.values(1, 1) = 1e16;
  return t;
}

TEST_F(CurveFiles, are_read_bit_for_bit) {
  const CurveTable t = odd_table();
  for (const char* name : {"c.csv", "c.json", "C.JSON"}) {
    write_curves(dir_.path(name), t);
    const CurveTable back = read_curves(dir_.path(name));
    EXPECT_EQ(back.names, t.names);
    EXPECT_EQ(back.frames, t.frames);
    ASSERT_EQ(back.values.rows(), 4);
    ASSERT_EQ(back.values.cols(), 7);
    for (Eigen::Index i = 0; i < t.values.size(); ++i) {
      EXPECT_EQ(std::bit_cast<uint64_t>(back.values.reshaped()[i]), std::bit_cast<uint64_t>(t.values.reshaped()[i]))
          << name << " " << t.values.reshaped()[i];
    }
    EXPECT_EQ(back.fps, std::string(name) == "c.csv" ? 0 : 29.97);
  }
  EXPECT_EQ(dir_.get("c.json"), dir_.get("C.JSON"));
}

TEST_F(CurveFiles, by_hand) {
  const CurveTable t = read("a.csv",
                            "\xEF\xBB\xBF"
                            "frame, jaw ,\"x,\"\"y\"\"\"\r\n# a remark\r\n\r\n1, 2,+3\r\n 2.5,-1e-3 ,4");
  EXPECT_EQ(t.names, (std::vector<std::string>{"jaw", "x,\"y\""}));
  EXPECT_EQ(t.frames, (std::vector<double>{1, 2.5}));
  EXPECT_EQ(t.values, (MatX(2, 2) << 2, 3, -1e-3, 4).finished());
  const CurveTable j = read("a.json",
                            R"({"made by": {"name": ["x", {"frames": 1}]}, "curves": {"b": [1, 2], "a": [3, 4e0]},
                                "frames": [0, 7], "fps": 12})");
  EXPECT_EQ(j.names, (std::vector<std::string>{"b", "a"}));  // as they stand
  EXPECT_EQ(j.frames, (std::vector<double>{0, 7}));
  EXPECT_EQ(j.values, (MatX(2, 2) << 1, 3, 2, 4).finished());
  EXPECT_EQ(j.fps, 12);
  EXPECT_EQ(read("a.json", R"({"frames": [0], "curves": {"b": [1]}})").fps, 0);
  EXPECT_EQ(dir_.get("none"), "");
}

TEST_F(CurveFiles, faults_of_csv_have_their_line) {
  EXPECT_EQ(fault("a.csv", "frame,a\n0,1\n"), "");
  expect_fault("a.csv", "", 1, "nothing");
  expect_fault("a.csv", "frame,a\n", 1, "no frames");
  expect_fault("a.csv", "a,b\n0,1\n", 1, "should be frame");
  expect_fault("a.csv", "frame\n0\n", 1, "no column but frame");
  expect_fault("a.csv", "frame,a,a\n0,1,1\n", 1, "'a' is there twice");
  expect_fault("a.csv", "frame,a,\n0,1,1\n", 1, "column 3 has no name");
  expect_fault("a.csv", "frame,\"a\n0,1\n", 1, "quote");
  expect_fault("a.csv", "frame,\"a\"b\n0,1\n", 1, "after a quoted name");
  expect_fault("a.csv", "frame,a,b\n0,1,2\n1,2\n", 3, "2 numbers, and there are 3 columns");
  expect_fault("a.csv", "frame,a\n\n0,1,2\n", 3, "3 numbers, and there are 2 columns");
  for (const char* bad : {"nan", "NaN", "inf", "-inf", "1e400", "", "x", "1 2", "0x10", "1.5f"})
    expect_fault("a.csv", std::string("frame,a\n0,1\n1,") + bad + "\n2,3\n", 3, "'a' should be a finite number");
  expect_fault("a.csv", "frame,a\nnan,1\n", 2, "'frame' should be a finite number");
  expect_fault("a.csv", "frame,a\n0,1\n1,1\n1,2\n", 4, "frame 1 does not come after frame 1");
  try {
    read("a.csv", "frame;a\n0;1\n");
    FAIL();
  } catch (const InputError& e) {
    expect_in(e.advice(), {"commas"});
  }
}

TEST_F(CurveFiles, faults_of_json_have_their_line) {
  EXPECT_EQ(fault("a.json", "{\"frames\":[0],\"curves\":{\"a\":[1]}}"), "");
  expect_fault("a.json", "", 1, "not JSON");
  expect_fault("a.json", "[1]", 1, "should hold an object");
  expect_fault("a.json", "7", 1, "should hold an object");
  expect_fault("a.json", "{}", 1, "no \"frames\"");
  expect_fault("a.json", "{\"frames\":[0]\n}", 2, "no \"curves\"");
  expect_fault("a.json", "{\n\"frames\":[],\n\"curves\":{\"a\":[]}}", 2, "no frames");
  expect_fault("a.json", "{\n\"frames\":[0],\n\"curves\":{}\n}", 3, "no curves");
  expect_fault("a.json", "{\"frames\":[0],\n\"curves\":\n{\"a\":[1],\n\"a\":[2]}}", 4, "'a' is there twice");
  expect_fault("a.json", "{\"frames\":[0],\n\"frames\":[0]}", 2, "'frames' is there twice");
  expect_fault("a.json", "{\"frames\":[0,1],\n\"curves\":{\n\"a\":[1,2],\n\"b\":[\n1]}}", 4, "'b' has 1 numbers");
  expect_fault("a.json", "{\"frames\":[0\n,\n0],\"curves\":{\"a\":[1,2]}}", 3, "frame 0 does not come after frame 0");
  expect_fault("a.json", "{\"frames\":[1\n,\n0\n],\"curves\":{\"a\":[1,2]}}", 3, "frame 0 does not come after frame 1");
  expect_fault("a.json", "{\"frames\":[0],\n\"curves\":{\"a\":[\n\"x\"]}}", 3, "text stands in \"curves\"");
  expect_fault("a.json", "{\"frames\":[0],\n\"curves\":{\"a\":\n1}}", 3, "a number stands in \"curves\"");
  expect_fault("a.json", "{\"frames\":[0],\n\"curves\":{\"a\":[[1]]}}", 2, "should not be a list here");
  expect_fault("a.json", "{\"frames\":[0],\n\"curves\":{\"a\":{}}}", 2, "an object");
  expect_fault("a.json", "{\"frames\":[0],\n\"curves\":[1]}", 2, "should not be a list here");
  expect_fault("a.json", "{\n\"fps\":0}", 2, "0 frames a second");
  expect_fault("a.json", "{\n\"fps\":\"24\"}", 2, "text stands in \"fps\"");
  expect_fault("a.json", "{\"frames\":[0],\n\"curves\":{\"\":[1]}}", 2, "no name");
  // NaN is no JSON; what is too large is no double.
  expect_fault("a.json", "{\"frames\":[0],\n\"curves\":{\"a\":[\nNaN]}}", 3, "not JSON");
  expect_fault("a.json", "{\"frames\":[0],\n\"curves\":{\"a\":[\n1e999]}}", 3, "\"1e999\" is not a finite number");
}

// Cut off anywhere: a fault, never a shorter table.
TEST_F(CurveFiles, json_that_is_cut_off_is_told) {
  write_curves(dir_.path("whole.json"), odd_table());
  const std::string whole = dir_.get("whole.json");
  for (size_t n = 0; n + 2 < whole.size(); n += 7) EXPECT_NE(fault("cut.json", whole.substr(0, n)), "") << n;
}

TEST_F(CurveFiles, what_cannot_be_read_again_is_not_written) {
  const auto refuses = [&](const std::function<void(CurveTable&)>& spoil) {
    for (const char* name : {"x.csv", "x.json"}) {
      CurveTable t = odd_table();
      spoil(t);
      EXPECT_THROW(write_curves(dir_.path(name), t), InputError);
      EXPECT_FALSE(std::filesystem::exists(dir_.path(name)));
      EXPECT_FALSE(std::filesystem::exists(dir_.path(std::string(name) + ".part")));
    }
  };
  refuses([](CurveTable& t) { t.values(1, 1) = NAN; });
  refuses([](CurveTable& t) { t.names[1] = t.names[0]; });
  refuses([](CurveTable& t) { t.names[1] = ""; });
  refuses([](CurveTable& t) { t.names[1] = "two\nlines"; });
  refuses([](CurveTable& t) { t.names.pop_back(); });
  refuses([](CurveTable& t) { t.frames.pop_back(); });
  refuses([](CurveTable& t) { t.frames[2] = t.frames[1]; });
  refuses([](CurveTable& t) { t = {}; });
  CurveTable t = odd_table();
  t.names[2] = "\xFF";
  EXPECT_THROW(write_curves(dir_.path("x.json"), t), InputError);
  EXPECT_THROW(write_curves(dir_.path("x.txt"), odd_table()), InputError);
  EXPECT_THROW(read_curves(dir_.path("missing.csv")), InputError);
  EXPECT_THROW(read_curves(dir_.path("missing.json")), InputError);
}

}  // namespace
}  // namespace supple
