#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <Eigen/Geometry>
#include <cmath>
#include <filesystem>
#include <limits>
#include <thread>

#include "supple/base/child_process.h"
#include "supple/base/error.h"
#include "supple/base/parallel.h"
#include "supple/rigs/pipe_rig.h"
#include "supple/rigs/rig_lines.h"
#include "supple/rigs/serve_rig.h"
#include "tests/support/tools.h"

namespace supple {
namespace {

// Numbers that need all their digits, and an animation of its own.
class WavyRig final : public RigMap {
 public:
  explicit WavyRig(int n) : n_(n) {}
  const std::vector<RigParameter>& parameters() const override { return parameters_; }
  int n_points() const override { return n_; }
  VecX evaluate(const VecX& p, double t) const override {
    if (p[0] > 100) throw InputError({}, "too far");
    VecX x(3 * n_);
    for (int i = 0; i < 3 * n_; ++i) x[i] = std::sin(p[0] * i) / 3 + 1e-9 * p[1] * i + t;
    return x;
  }
  VecX keyed(double t) const override { return VecX{{t / 3, -t}}; }

 private:
  int n_;
  std::vector<RigParameter> parameters_ = {{"wave", Quantity::angle, 0.1, 0.5},
                                           {"drift.x", Quantity::length, -1, 1e-3}};
};

// A rig of this program behind a process that only passes lines on.
class Relay {
 public:
  Relay(const RigMap& rig, std::vector<Tri> triangles) {
    char name[] = "/tmp/supple-rig-XXXXXX";
    folder_ = mkdtemp(name);
    const std::string asked = folder_ + "/asked", said = folder_ + "/said";
    EXPECT_EQ(mkfifo(asked.c_str(), 0600), 0);
    EXPECT_EQ(mkfifo(said.c_str(), 0600), 0);
    command = "echo welcome; cat " + said + " & exec cat > " + asked;
    thread_ = std::thread([&rig, triangles, asked, said] {
      const int in = open(asked.c_str(), O_RDONLY), out = open(said.c_str(), O_WRONLY);
      serve_rig(rig, triangles, in, out);
      close(in), close(out);
    });
  }
  ~Relay() {
    thread_.join();
    std::filesystem::remove_all(folder_);
  }
  std::string command;

 private:
  std::string folder_;
  std::thread thread_;
};

std::string fault_of(const std::string& command, double timeout_s = 20) {
  try {
    PipeRig rig({.command = command, .timeout_s = timeout_s, .directory = ""});
    rig.evaluate(rig.rest(), 0);
    rig.keyed(0);
  } catch (const InputError& e) {
    EXPECT_NE(std::string(e.what()).find(shown_line(command)), std::string::npos) << e.what();
    return e.what();
  }
  return "";
}

// A rig of one point and one parameter as a shell script; `answer`: what it does when asked.
std::string shell_rig(const std::string& answer, const std::string& more = "",
                      const std::string& parameter = "a angle 0 1") {
  return "read g; echo supple-rig 1; read d; echo parameters 1; echo " + parameter + "; echo points 1; " + more +
         " echo end; while read verb rest; do case $verb in bye) exit 0;; *) " + answer + ";; esac; done";
}

void expect_has(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << "no \"" << part << "\" in: " << text;
}

TEST(PipeRig, GivesTheSameBitsAsTheRigItself) {
  const WavyRig rig(5000);  // an answer of 300 kB
  const std::vector<Tri> triangles = {{0, 1, 2}, {4999, 3, 7}};
  Relay relay(rig, triangles);
  {
    const PipeRig pipe({.command = relay.command, .directory = ""});
    EXPECT_EQ(pipe.n_points(), 5000);
    EXPECT_EQ(pipe.triangles(), triangles);
    ASSERT_EQ(pipe.n_parameters(), 2);
    EXPECT_EQ(pipe.parameters()[1].name, "drift.x");
    EXPECT_EQ(pipe.parameters()[1].quantity, Quantity::length);
    EXPECT_EQ(pipe.parameters()[0].rest, 0.1);
    EXPECT_EQ(pipe.parameters()[1].unit, 1e-3);
    const VecX p{{0.123456789012345678, std::numeric_limits<double>::denorm_min()}};
    EXPECT_EQ(pipe.evaluate(p, 1.0 / 3), rig.evaluate(p, 1.0 / 3));
    EXPECT_EQ(pipe.keyed(0.7), rig.keyed(0.7));
    EXPECT_EQ(pipe.at_once(), 1);
    EXPECT_FALSE(pipe.has_derivatives());

    // Some points, and all again, by the same process.
    const std::vector<int> points = {4999, 0, 17, 17};
    const auto some = pipe.for_points(points);
    ASSERT_TRUE(some);
    EXPECT_EQ(some->n_points(), 4);
    const auto fewer = some->for_points({2});
    const VecX all = rig.evaluate(p, 2), part = some->evaluate(p, 2);
    ASSERT_EQ(part.size(), 12);
    for (int i = 0; i < 4; ++i)
      EXPECT_EQ(part.segment<3>(3 * i), all.segment<3>(3 * points[static_cast<size_t>(i)])) << i;
    EXPECT_EQ(pipe.evaluate(p, 2), all);
    EXPECT_EQ(fewer->evaluate(p, 2), all.segment<3>(51));
    EXPECT_EQ(some->evaluate(p, 2), part);

    // What it cannot do it says, and goes on.
    const VecX far{{101, 0}};
    try {
      pipe.evaluate(far, 0);
      FAIL() << "nothing thrown";
    } catch (const InputError& e) {
      expect_has(e.what(), "too far");
    }
    EXPECT_EQ(pipe.evaluate(p, 2), all);
  }
}

TEST(PipeRig, NumbersBeyondAllBounds) {
  double x = 1;
  EXPECT_TRUE(read_number("1e-400", x));
  EXPECT_EQ(x, 0);
  EXPECT_TRUE(read_number("-1e400", x));
  EXPECT_EQ(x, -std::numeric_limits<double>::infinity());
  EXPECT_FALSE(read_number("1e400x", x));
  expect_has(fault_of(shell_rig("echo 0 1e400 0")), "number 2 of 3 is inf");
  EXPECT_EQ(fault_of(shell_rig("echo 0 1e-400 0")), "");
}

TEST(PipeRig, IsLeftWhenAsked) {
  stop_waiting_when([] { return true; });
  EXPECT_THROW(PipeRig({.command = "sleep 100", .timeout_s = 60, .directory = ""}), Cancelled);
  stop_waiting_when({});
  const PipeRig rig({.command = shell_rig("sleep 100"), .timeout_s = 60, .directory = ""});
  stop_waiting_when([] { return true; });
  EXPECT_THROW(rig.evaluate(rig.rest(), 0), Cancelled);
  stop_waiting_when({});
  // What it would say next is not known.
  EXPECT_THROW(rig.evaluate(rig.rest(), 0), Cancelled);
}

TEST(PipeRig, ThePythonRigBendsABar) {
  const PipeRig rig(
      {.command = "python3 integrations/rig/example_rig.py", .processes = 2, .directory = SUPPLE_SOURCE_DIR});
  ASSERT_EQ(rig.n_parameters(), 2);
  EXPECT_EQ(rig.at_once(), 2);
  const VecX x = rig.evaluate(rig.rest(), 0);
  double volume = 0;  // of the box, by its triangles
  for (const Tri& t : rig.triangles())
    volume += x.segment<3>(3 * t[0]).dot(x.segment<3>(3 * t[1]).cross(x.segment<3>(3 * t[2]))) / 6;
  EXPECT_NEAR(volume, 1 * 0.2 * 0.2, 1e-12);

  // From many threads: each gets the answer to its own question. A quarter circle in all: its end faces up.
  std::vector<VecX> y(12);
  parallel_for(y.size(), 1, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) y[i] = rig.evaluate(VecX{{M_PI / 4, M_PI / 4 * static_cast<double>(i)}}, 0);
  });
  double end_x = 0;
  for (int i = 0; i < rig.n_points(); ++i)
    if (x[3 * i] > 1 - 1e-9) {
      for (size_t k = 0; k < y.size(); ++k) {
        const double turned = M_PI / 4 * (1 + static_cast<double>(k)), side = x[3 * i + 1];
        const double radius = 0.5 / (M_PI / 4 * static_cast<double>(k));
        const double middle = 0.5 / (M_PI / 4) * std::sin(M_PI / 4);
        end_x = k == 0 ? middle + 0.5 * std::cos(turned) : middle + radius * (std::sin(turned) - std::sin(M_PI / 4));
        EXPECT_NEAR(y[k][3 * i], end_x - side * std::sin(turned), 1e-12) << k;
      }
    }
  EXPECT_NE(end_x, 0);
  const auto some = rig.for_points({3});
  ASSERT_TRUE(some);
  EXPECT_EQ(some->evaluate(VecX{{1, 2}}, 0), rig.evaluate(VecX{{1, 2}}, 0).segment<3>(9));
}

// A bar of two bones in Blender: docs/reference/rig-protocol.md promises its bones, shape keys and properties.
TEST(PipeRig, BlenderIsARig) {
  if (!test::runs("blender --version")) GTEST_SKIP() << "blender is not on the PATH";
  const PipeRig rig({.command = "blender -b --factory-startup --python tests/blender/rig_scene.py "
                                "--python integrations/blender/supple_blender_rig.py -- --mesh Bar --bones 'T*' "
                                "--channels rotation,location --shapes Wide --properties lift --up z",
                     .directory = SUPPLE_SOURCE_DIR});
  std::vector<std::string> names;
  for (const RigParameter& p : rig.parameters()) names.push_back(p.name);
  EXPECT_EQ(names, (std::vector<std::string>{"Tip.rotation.x", "Tip.rotation.y", "Tip.rotation.z", "Tip.location.x",
                                             "Tip.location.y", "Tip.location.z", "Rig.prop.lift", "Bar.shape.Wide"}));
  ASSERT_EQ(rig.n_points(), 36);
  EXPECT_EQ(rig.triangles().size(), 68u);
  EXPECT_EQ(rig.parameters()[6].rest, 0.25);

  // The end of the bar: turned about the bone's head, drawn out along the bone, wider, and lifted by a driver.
  const VecX rest = rig.evaluate(rig.rest(), 0), end = rest.segment<3>(3 * 32);
  EXPECT_LT((end - Vec3(1, -0.1, -0.1)).norm(), 1e-6);
  VecX p = rig.rest();
  p[2] = 0.5, p[4] = 0.2, p[6] = 1.25, p[7] = 0.5;
  const double c = std::cos(0.5), s = std::sin(0.5), along = 0.5, side = -0.15;
  const Vec3 there(0.7 + c * along - s * side, s * along + c * side, 0.9);
  EXPECT_LT((rig.evaluate(p, 0).segment<3>(3 * 32) - there).norm(), 1e-6);
  EXPECT_LT((rig.for_points({32})->evaluate(p, 0) - there).norm(), 1e-6);

  // Its own animation: the first bone turns by half a radian in a second, the shape key is keyed, the rest is as found.
  const VecX keyed = rig.keyed(0.5);
  EXPECT_NEAR(keyed[7], 0.5, 1e-6);
  EXPECT_NEAR(keyed[6], 0.25, 1e-6);
  EXPECT_LT(keyed.head(6).norm(), 1e-6);
  const Vec3 turned = rig.evaluate(rig.rest(), 0.5).segment<3>(3 * 32);
  EXPECT_LT((turned - Vec3(std::cos(0.25) + 0.1 * std::sin(0.25), std::sin(0.25) - 0.1 * std::cos(0.25), -0.1)).norm(),
            1e-6);
  EXPECT_EQ(rig.evaluate(rig.rest(), 0), rest);
}

TEST(PipeRig, SaysWhatIsWrongWithAProgram) {
  EXPECT_EQ(fault_of(shell_rig("echo 1 2 3")), "");  // the script itself is good
  expect_has(fault_of("supple-no-such-program --rig"), "exit status 127");
  expect_has(fault_of("supple-no-such-program --rig"), "not found");  // what the shell wrote to standard error
  expect_has(fault_of("echo hello there"), "\"hello there\"");
  expect_has(fault_of("yes no"), "\"no\"");  // for ever
  expect_has(fault_of("head -c 200000 /dev/zero | tr '\\0' x; sleep 9"), "more than 65536 bytes");
  expect_has(fault_of("echo supple-rig 2; sleep 9"), "version 2");
  expect_has(fault_of("sleep 30", 0.2), "within 0.2 s");
  expect_has(fault_of("kill -9 $$"), "signal 9");
  expect_has(fault_of(shell_rig("echo tired >&2; exit 3")), "exit status 3");
  expect_has(fault_of(shell_rig("echo tired >&2; exit 3")), "tired");
  expect_has(fault_of(shell_rig("sleep 30"), 0.5), "\"evaluate 0 0\"");
  expect_has(fault_of(shell_rig("echo 1 2")), "2 numbers in place of 3");
  expect_has(fault_of(shell_rig("echo 1 2 3 4")), "4 numbers in place of 3");
  expect_has(fault_of(shell_rig("echo 1 2 x3")), "\"x3\" is no number");
  expect_has(fault_of(shell_rig("echo 1 nan 3")), "number 2 of 3 is nan");
  expect_has(fault_of(shell_rig("echo 1 2 -inf")), "number 3 of 3 is -inf");
  expect_has(fault_of(shell_rig("echo error out of reach")), "out of reach");
  expect_has(fault_of(shell_rig("echo 1 2 3", "echo hats 3;")), "\"hats 3\"");
  expect_has(fault_of(shell_rig("echo 1 2 3", "echo points -1;")), "\"points -1\"");
  expect_has(fault_of(shell_rig("echo 1 2 3", "echo points 0;")), "no points");
  expect_has(fault_of(shell_rig("echo 1 2 3", "echo triangles 1; echo 0 0 1;")), "triangle");
  expect_has(fault_of(shell_rig("echo 1 2 3", "echo triangles 1; echo 0 0;")), "\"0 0\"");
  expect_has(fault_of(shell_rig("echo 1 2 3", "echo parameters 1; echo a factor 0 1;")), "two parameters \"a\"");
  expect_has(fault_of(shell_rig("echo 1 2 3", "", "a angel 0 1")), "\"a angel 0 1\"");
  expect_has(fault_of(shell_rig("echo 1 2 3", "", "a angle 0 0")), "\"a angle 0 0\"");
  expect_has(fault_of(shell_rig("echo 1 2 3", "", "a angle nan 1")), "\"a angle nan 1\"");
  expect_has(fault_of(shell_rig("echo 1 2 3", "echo offers keyed;")), "3 numbers in place of 1");
  EXPECT_THROW(PipeRig({.command = "", .directory = ""}), InputError);
  EXPECT_THROW(PipeRig({.command = "true", .directory = "/no/such/folder"}), InputError);
}

TEST(PipeRig, ReadsWhatOthersWriteOtherwise) {
  // Pieces of lines, line ends of another system, blanks, signs, and much on standard error meanwhile.
  const std::string command =
      shell_rig("head -c 3000000 /dev/zero >&2; printf ' +1.5e0 \\t2'; sleep 0.05; printf '.25   -.5 \\r\\n'",
                "printf 'offers\\r\\n';");
  const PipeRig rig({.command = command, .directory = ""});
  EXPECT_EQ(rig.evaluate(rig.rest(), 0), (VecX{{1.5, 2.25, -0.5}}));
  EXPECT_EQ(rig.evaluate(rig.rest(), 1), (VecX{{1.5, 2.25, -0.5}}));
  EXPECT_FALSE(rig.for_points({0}));  // not offered
  EXPECT_EQ(rig.keyed(3), rig.rest());
}

TEST(PipeRig, StaysBrokenOnceItIs) {
  const PipeRig rig({.command = shell_rig("exit 4"), .directory = ""});
  EXPECT_THROW(rig.evaluate(rig.rest(), 0), InputError);
  try {
    rig.evaluate(rig.rest(), 0);
    FAIL() << "nothing thrown";
  } catch (const InputError& e) {
    expect_has(e.what(), "exit status 4");
  }
}

}  // namespace
}  // namespace supple
