// The talking head: shells that do not meet, lips that nearly do, and a motion known on the outside only.
#include "supple/demos/drawn/talking_head.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "supple/base/error.h"
#include "supple/demos/drawn/talking_head_plan.h"
#include "supple/mesh/bvh.h"

namespace supple {

using namespace demos;
namespace {

using namespace talking_head;

const Vec3& point_at(const Points& x, int v) { return x[static_cast<size_t>(v)]; }

// Triangles by their boxes, to shoot segments at.
class Target {
 public:
  Target(const Points& x, const std::vector<Tri>& triangles) : x_(x), triangles_(triangles) {
    std::vector<Box> boxes;
    for (const Tri& t : triangles)
      boxes.push_back(bounding_box({point_at(x, t[0]), point_at(x, t[1]), point_at(x, t[2])}));
    tree_ = Bvh(std::move(boxes));
  }
  // Triangles that the way from a to b passes through, but for those around two vertices.
  int hits(const Vec3& a, const Vec3& b, int not_at, int nor_at) const {
    int n = 0;
    tree_.overlapping({a.cwiseMin(b), a.cwiseMax(b)}, [&](int i) {
      const Tri& t = triangles_[static_cast<size_t>(i)];
      for (const int v : t)
        if (v == not_at || v == nor_at) return;
      const Vec3& o = point_at(x_, t[0]);
      const Vec3 p = point_at(x_, t[1]) - o, q = point_at(x_, t[2]) - o, normal = p.cross(q);
      const double s = (o - a).dot(normal) / (b - a).dot(normal);
      if (!(s >= 0 && s <= 1)) return;
      const Vec3 hit = a + s * (b - a) - o;
      const double u = hit.cross(q).dot(normal), v = p.cross(hit).dot(normal);
      n += u >= 0 && v >= 0 && u + v <= normal.squaredNorm();
    });
    return n;
  }

 private:
  const Points& x_;
  const std::vector<Tri>& triangles_;
  Bvh tree_;
};

int crossings(const TriMesh& mesh) {
  const Target target(mesh.vertices, mesh.triangles);
  int n = 0;
  for (const Tri& t : mesh.triangles)
    for (int c = 0; c < 3; ++c) {
      const int a = t[c], b = t[(c + 1) % 3];
      if (a < b) n += target.hits(point_at(mesh.vertices, a), point_at(mesh.vertices, b), a, b);
    }
  return n;
}

// Every edge once each way, and as many closed spheres as there are shells.
void expect_closed(const TriMesh& mesh, int shells) {
  std::set<std::pair<int, int>> edges;
  for (const Tri& t : mesh.triangles)
    for (int c = 0; c < 3; ++c) EXPECT_TRUE(edges.insert({t[c], t[(c + 1) % 3]}).second);
  int unpaired = 0;
  for (const auto& [a, b] : edges) unpaired += edges.count({b, a}) == 0;
  EXPECT_EQ(unpaired, 0);
  EXPECT_EQ(mesh.n_vertices() - static_cast<int>(edges.size()) / 2 + static_cast<int>(mesh.triangles.size()),
            2 * shells);
  double smallest = 1;
  for (const Tri& t : mesh.triangles) {
    const Vec3& o = point_at(mesh.vertices, t[0]);
    smallest =
        std::min(smallest, (point_at(mesh.vertices, t[1]) - o).cross(point_at(mesh.vertices, t[2]) - o).norm() / 2);
  }
  EXPECT_GT(smallest, 1e-7);
}

// The least height between the lips near the middle of the mouth.
double between_lips(const TalkingHead& head, const Points& x) {
  double upper = 1, lower = -1;
  for (const char* part : {"skin", "cavity"})
    for (const int v : head.parts.at(part)) {
      const Vec3 &p = point_at(head.neutral.vertices, v), &open = point_at(head.open_mouth.vertices, v);
      if (std::abs(p.x()) > 0.005 || p.z() < 0.075 || std::abs(p.y() - kMouthHeight) > 0.01) continue;
      const double y = point_at(x, v).y();
      if (open.y() > kMouthHeight) upper = std::min(upper, y);
      if (open.y() < kMouthHeight) lower = std::max(lower, y);
    }
  return upper - lower;
}

// Whether a camera in front of the head sees the vertex.
bool is_seen(const Target& target, const Vec3& x, int vertex) {
  for (const Vec3& way : {Vec3(0, 0, 1),
                          {0.5, 0, 1},
                          {-0.5, 0, 1},
                          {1, 0.1, 0.3},
                          {-1, 0.1, 0.3},
                          {0, -0.8, 1},
                          {0, 0.8, 1},
                          {0.7, -0.7, 1},
                          {-0.7, -0.7, 1},
                          {0.7, 0.7, 1},
                          {-0.7, 0.7, 1},
                          {0, 1, 0.2},
                          {0.3, -1, 0.3},
                          {-0.3, -1, 0.3}})
    if (target.hits(x, x + 0.4 * way.normalized(), vertex, vertex) == 0) return true;
  return false;
}

void expect_sound(const TalkingHead& head) {
  const TriMesh& mesh = head.neutral;
  expect_closed(mesh, 6);
  EXPECT_EQ(crossings(mesh), 0);
  EXPECT_EQ(crossings(head.open_mouth), 0);
  EXPECT_EQ(head.open_mouth.triangles, mesh.triangles);
  ASSERT_EQ(mesh.colors.size(), mesh.vertices.size());
  // Parts share nothing and leave nothing.
  std::map<int, std::string> part_of;
  for (const auto& [name, vertices] : head.parts) {
    EXPECT_TRUE(std::is_sorted(vertices.begin(), vertices.end()));
    for (const int v : vertices) EXPECT_TRUE(part_of.try_emplace(v, name).second);
  }
  EXPECT_EQ(part_of.size(), mesh.vertices.size());
  EXPECT_EQ(head.parts.size(), 6u);
  // Seen from the front, and no part of what is hidden.
  EXPECT_TRUE(std::is_sorted(head.tracked.begin(), head.tracked.end()));
  EXPECT_GT(head.tracked.size(), mesh.vertices.size() / 4);
  const Target target(mesh.vertices, mesh.triangles);
  int unseen = 0;
  for (const int v : head.tracked) {
    EXPECT_EQ(part_of.at(v), "skin");
    EXPECT_GT(point_at(mesh.vertices, v).y(), 0.07);
    EXPECT_GT(point_at(mesh.vertices, v).z(), 0);
    if (v % 5 == 0) unseen += !is_seen(target, point_at(mesh.vertices, v), v);
  }
  EXPECT_EQ(unseen, 0);
}

TEST(SlowTalkingHead, HasTheSizeOfThePaperAndLipsThatNearlyMeet) {
  const TalkingHead head = make_talking_head({.frames = 1});
  EXPECT_NEAR(head.neutral.n_vertices(), 25600, 2560);
  EXPECT_NEAR(static_cast<double>(head.neutral.triangles.size()), 49924, 4992);
  expect_sound(head);
  const double neutral = between_lips(head, head.neutral.vertices), open = between_lips(head, head.open_mouth.vertices);
  EXPECT_GT(neutral, 0.002);
  EXPECT_LT(neutral, 0.003);
  EXPECT_GT(open, 0.012);
}

TEST(TalkingHead, CoarseHeadIsSoundAndHasTheSameBitsTwice) {
  constexpr double kNoise = 2e-4;
  const TalkingHead head = make_talking_head({.coarse = 3.4, .frames = 3});
  EXPECT_NEAR(head.neutral.n_vertices(), 3000, 300);
  expect_sound(head);
  // Frames are those of the tracked vertices, the first the neutral face.
  ASSERT_EQ(head.frames.size(), 3u);
  for (size_t i = 0; i < head.tracked.size(); ++i)
    EXPECT_LT((head.frames[0][i] - point_at(head.neutral.vertices, head.tracked[i])).norm(), 1e-12);

  // A second one, but for noise, which is as large as it was asked to be.
  const TalkingHead again = make_talking_head({.coarse = 3.4, .frames = 3, .noise_m = kNoise});
  EXPECT_EQ(head.neutral.vertices, again.neutral.vertices);
  EXPECT_EQ(head.neutral.triangles, again.neutral.triangles);
  EXPECT_EQ(head.open_mouth.vertices, again.open_mouth.vertices);
  EXPECT_EQ(head.tracked, again.tracked);
  double sum = 0;
  int n = 0;
  for (size_t k = 0; k < head.frames.size(); ++k)
    for (size_t i = 0; i < head.frames[k].size(); ++i, ++n)
      sum += (again.frames[k][i] - head.frames[k][i]).squaredNorm();
  EXPECT_NEAR(std::sqrt(sum / n), kNoise, 0.05 * kNoise);
}

TEST(TalkingHead, PartingTheLipsKeepsTheOrderAndIsUndone) {
  for (double x = -0.06; x <= 0.06; x += 0.0035)
    for (double z = -0.02; z <= 0.1; z += 0.011) {
      double before = -1;
      for (double y = kMouthHeight - 0.08; y < kMouthHeight + 0.08; y += 0.00037) {
        const Vec3 p(x, y, z), open = opened(p);
        EXPECT_EQ(open.x(), x);
        EXPECT_EQ(open.z(), z);
        EXPECT_GT(open.y(), before);
        before = open.y();
        EXPECT_LT((closed(open) - p).norm(), 1e-11);
      }
    }
  // Each lip moves by what the plan says.
  const Vec3 lip(0, kMouthHeight + kLipGap, 0.08);
  EXPECT_NEAR(opened(lip).y() - lip.y(), kLipsApart, 0.02 * kLipsApart);
}

TEST(TalkingHead, RoomySpaceIsUndone) {
  for (const Vec3& p : {Vec3(0.07, 0.2, -0.1), Vec3(0, 0.01, 0), Vec3(0.01, 0.12, 0.09), kFaceCentre})
    EXPECT_LT((from_roomy(to_roomy(p)) - p).norm(), 1e-14);
}

TEST(TalkingHead, JawTurnsAboutItsHingeAndTheBrowStays) {
  const Points p = {{0, 0.09, 0.08}, {0, 0.24, 0.08}, {0.02, 0.30, 0}};
  Points open;
  for (const Vec3& x : p) open.push_back(opened(x));
  const Points x = posed_face(p, open, {.jaw_deg = 20});
  const Vec3 before = p[0] - kJawHinge, after = x[0] - kJawHinge;
  EXPECT_NEAR(after.norm(), before.norm(), 1e-12);
  EXPECT_NEAR(std::acos(before.dot(after) / before.squaredNorm()), 20 * M_PI / 180, 1e-9);
  EXPECT_LT(x[0].y(), p[0].y() - 0.02);
  EXPECT_LT((x[1] - p[1]).norm(), 1e-12);
  // All of it nods as one.
  const Points nod = posed_face(p, open, {.nod_deg = 10, .turn_deg = -5});
  for (size_t i = 0; i < p.size(); ++i)
    for (size_t j = 0; j < i; ++j) EXPECT_NEAR((nod[i] - nod[j]).norm(), (p[i] - p[j]).norm(), 1e-12);
  EXPECT_GT((nod[2] - p[2]).norm(), 0.01);
}

TEST(TalkingHead, SpeechOpensWideClosesAndPurses) {
  double wide = 0, early = 0;
  int pressed = 0, pursed = 0, grinning = 0;
  for (int k = 0; k < 960; ++k) {
    const FaceState s = speaking(k / 30.0);
    wide = std::max(wide, s.jaw_deg);
    if (k < 30) early = std::max(early, s.jaw_deg);
    pressed += s.press > 0.8 && s.jaw_deg < 2;
    pursed += s.pucker > 0.8;
    grinning += s.smile > 0.8;
  }
  EXPECT_GT(wide, 24);
  EXPECT_LT(wide, 30);
  EXPECT_GT(early, 20);
  EXPECT_GT(pressed, 30);
  EXPECT_GT(pursed, 30);
  EXPECT_GT(grinning, 30);
  EXPECT_EQ(speaking(0).jaw_deg, 0);
  EXPECT_EQ(speaking(0).nod_deg, 0);

  // The lips at their outer rim, the corner of the mouth, chin, brow and cheek.
  const Points p = {{0, kMouthHeight + 0.002, 0.09},
                    {0, kMouthHeight - 0.002, 0.09},
                    {0.0245, kMouthHeight, 0.07},
                    {0, 0.09, 0.08},
                    {0.03, 0.207, 0.07},
                    {0.043, 0.135, 0.05}};
  Points open;
  for (const Vec3& x : p) open.push_back(opened(x));
  Points before = p;
  double most = 0, nearest = 1, farthest = 0;
  for (int k = 0; k < 960; ++k) {
    const Points x = posed_face(p, open, speaking(k / 30.0));
    for (size_t i = 0; i < p.size(); ++i) most = std::max(most, (x[i] - before[i]).norm());
    nearest = std::min(nearest, (x[0] - x[1]).norm());
    farthest = std::max(farthest, (x[0] - x[1]).norm());
    before = x;
  }
  EXPECT_LT(most, 0.015);
  EXPECT_LT(nearest, 0.002);
  EXPECT_GT(farthest, 0.035);
}

TEST(TalkingHead, RefusesWhatIsOutOfRange) {
  EXPECT_THROW(make_talking_head({.coarse = 9}), InputError);
  EXPECT_THROW(make_talking_head({.frames = 0}), InputError);
  EXPECT_THROW(make_talking_head({.noise_m = -1}), InputError);
}

}  // namespace
}  // namespace supple
