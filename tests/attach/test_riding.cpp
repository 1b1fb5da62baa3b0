#include "supple/attach/riding.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/attach/hand_made.h"

namespace supple {
namespace {

using namespace hand_made;

// A body with a bib (cloth), a wart (hard, skinned), a hat with a feather (hard nodes) and an eye (rigid).
struct Scene {
  Character character = two_joints();
  Drawn drawn;
  std::vector<Piece> pieces;
  TriMesh skin;
  std::vector<int> source;

  explicit Scene(double scale = 1) {
    Character& c = character;
    add_mesh(c, "body", {ball({0, 1, 0}, {0.4, 1, 0.4}, 12, true)}, by_height);
    add_mesh(c, "bib", {sheet({0, 1, 0.42}, {0.1, 0, 0}, {0, 0.2, 0}, 8)}, by_height);
    add_mesh(c, "wart", {ball({-0.25, 1.7, 0.2}, Vec3::Constant(0.05), 6)}, upper_only);
    const int hat = add_mesh(c, "hat", {ball({0, 0.02, 0}, {0.06, 0.1, 0.06}, 8)}, {}, 1, {0, 1, 0});
    c.nodes[hat].local.rotation = Quat(Eigen::AngleAxisd(0.2, Vec3::UnitX()));
    c.nodes[hat].local.scale = {1, -1, 1};
    add_mesh(c, "feather", {ball({0, -0.19, 0}, {0.02, 0.1, 0.02}, 8)}, {}, hat, {0, 0, 0});
    add_mesh(c, "LeftEye", {ball({0.1, 1.9, 0.2}, Vec3::Constant(0.05), 6)}, upper_only);
    drawn = lay_out(c, scale);
    std::vector<std::string> warnings;
    pieces = find_pieces(c, drawn, nodding(c, drawn), {}, warnings);

    std::vector<char> wanted(drawn.vertices.rest.size(), 0);
    for (const Piece& piece : pieces) {
      if (piece.role != Role::soft) continue;
      for (int v : piece.vertices) wanted[v] = 1;
    }
    std::vector<int> welded;
    skin.vertices.resize(weld(drawn, wanted, welded));
    source.resize(skin.vertices.size());
    for (int v = drawn.n_vertices() - 1; v >= 0; --v) {
      if (welded[v] < 0) continue;
      skin.vertices[welded[v]] = drawn.vertices.rest[v];
      source[welded[v]] = v;
    }
    for (const Tri& t : drawn.triangles) {
      if (wanted[t[0]]) skin.triangles.push_back({welded[t[0]], welded[t[1]], welded[t[2]]});
    }
  }
  const Piece& piece(const std::string& name) const {
    for (const Piece& p : pieces) {
      if (p.name == name) return p;
    }
    ADD_FAILURE() << "no piece " << name;
    return pieces[0];
  }
  // The flesh displaced by a map; what is not flesh gets junk, which has to be overwritten.
  Points displaced(const Points& input, const std::function<Vec3(const Vec3&)>& map) const {
    Points d(input.size(), Vec3::Constant(7));
    for (const Piece& p : pieces) {
      if (p.role != Role::soft) continue;
      for (int v : p.vertices) d[v] = map(input[v]) - input[v];
    }
    return d;
  }
};

const std::vector<std::string> kRiders = {"bib", "wart", "hat", "feather"};

}  // namespace

TEST(Riding, TheSceneHasRidersOfAllKinds) {
  const Scene scene;
  for (const std::string& name : kRiders) EXPECT_EQ(scene.piece(name).role, Role::rides) << name;
  EXPECT_FALSE(scene.piece("bib").hard);
  EXPECT_EQ(scene.piece("LeftEye").role, Role::rigid);
  const Riding riding(scene.drawn, scene.pieces, scene.skin, scene.source);
  ASSERT_EQ(riding.hard_riders().size(), 3u);
  EXPECT_EQ(riding.hard_riders()[0].node, -1);
  EXPECT_EQ(riding.hard_riders()[1].above, -1);
  EXPECT_EQ(riding.hard_riders()[2].above, 1);
}

TEST(Riding, FleshThatMovesRigidlyTakesAllRidersAlong) {
  const Scene scene;
  const Riding riding(scene.drawn, scene.pieces, scene.skin, scene.source);
  const Points input = posed(scene.drawn.vertices, pose_at(scene.character, scene.drawn, nod(0.6), 0.7));
  const Mat3 R = Eigen::AngleAxisd(0.7, Vec3(1, 2, -1).normalized()).toRotationMatrix();
  for (const Mat3& turn : {Mat3(Mat3::Identity()), R}) {
    const auto map = [&](const Vec3& x) -> Vec3 { return turn * x + Vec3(0.3, -0.2, 0.1); };
    Points d = scene.displaced(input, map);
    std::vector<RigidMotion> motions;
    riding.apply(input, d, &motions);
    for (const std::string& name : kRiders) {
      for (int v : scene.piece(name).vertices) EXPECT_LT((input[v] + d[v] - map(input[v])).norm(), 1e-12) << name;
    }
    for (int v : scene.piece("LeftEye").vertices) EXPECT_EQ(d[v], Vec3(0, 0, 0));
    for (const RigidMotion& motion : motions) EXPECT_LT((motion.R - turn).norm(), 1e-12);
  }
}

TEST(Riding, HardRidersStayRigidWhateverTheFleshDoes) {
  const Scene scene;
  const Riding riding(scene.drawn, scene.pieces, scene.skin, scene.source);
  const Points input = posed(scene.drawn.vertices, pose_at(scene.character, scene.drawn, nod(0.6), 0.7));
  const auto wave = [](const Vec3& x) -> Vec3 {
    return x + 0.05 * Vec3(std::sin(5 * x[1]), std::cos(7 * x[0]), std::sin(6 * x[2] + x[1]));
  };
  Points d = scene.displaced(input, wave);
  std::vector<RigidMotion> motions;
  riding.apply(input, d, &motions);
  for (size_t g = 0; g < riding.hard_riders().size(); ++g) {
    EXPECT_NEAR(motions[g].R.determinant(), 1, 1e-12);
    for (int p : riding.hard_riders()[g].pieces) {
      for (int v : scene.pieces[p].vertices) {
        for (int w : scene.pieces[p].vertices) {
          EXPECT_NEAR((input[v] + d[v] - input[w] - d[w]).norm(), (input[v] - input[w]).norm(), 1e-12);
        }
        EXPECT_LT((motions[g](input[v]) - input[v] - d[v]).norm(), 1e-15);
      }
    }
  }
  // The wart goes where the skin below goes, not elsewhere.
  Vec3 mean = Vec3::Zero(), below = Vec3::Zero();
  const std::vector<int>& wart = scene.piece("wart").vertices;
  for (int v : wart) {
    mean += d[v] / static_cast<double>(wart.size());
    below += (wave(input[v]) - input[v]) / static_cast<double>(wart.size());
  }
  EXPECT_LT((mean - below).norm(), 0.2 * below.norm());
  // The feather has the motion of the hat that it sits on.
  EXPECT_EQ(motions[1].R, motions[2].R);
  // Cloth keeps its gap to the skin to a part of the wave.
  for (int v : scene.piece("bib").vertices) EXPECT_LT((input[v] + d[v] - wave(input[v])).norm(), 0.02);
}

TEST(Riding, NothingMovesByNothing) {
  const Scene scene;
  const Riding riding(scene.drawn, scene.pieces, scene.skin, scene.source);
  const Clip clip = nod(0.6);
  const Points input = posed(scene.drawn.vertices, pose_at(scene.character, scene.drawn, clip, 0.7));
  Points d = scene.displaced(input, [](const Vec3& x) { return x; });
  std::vector<RigidMotion> motions;
  riding.apply(input, d, &motions);
  for (const Vec3& x : d) EXPECT_EQ(x, Vec3(0, 0, 0));
  const std::vector<Placement> locals = node_placements(scene.character, clip, 0.7);
  for (const NodeKey& key :
       riding.node_keys(scene.character, locals, node_matrices(scene.character, clip, 0.7), motions)) {
    EXPECT_EQ(key.local.translation, locals[key.node].translation);
    EXPECT_EQ(key.local.rotation.coeffs(), locals[key.node].rotation.coeffs());
  }
}

TEST(Riding, ALocalDentMovesOnlyWhatIsNear) {
  const Scene scene;
  const Riding riding(scene.drawn, scene.pieces, scene.skin, scene.source);
  const Points& input = scene.drawn.vertices.rest;
  const auto dent = [](const Vec3& x) -> Vec3 { return x[1] < 1.3 ? Vec3(x + Vec3(0, 0, -0.1)) : x; };
  Points d = scene.displaced(input, dent);
  riding.apply(input, d);
  for (int v : scene.piece("wart").vertices) EXPECT_EQ(d[v], Vec3(0, 0, 0));
  for (int v : scene.piece("hat").vertices) EXPECT_EQ(d[v], Vec3(0, 0, 0));
  for (int v : scene.piece("bib").vertices) {
    if (input[v][1] > 1) continue;
    EXPECT_LT((d[v] - Vec3(0, 0, -0.1)).norm(), 1e-12);
  }
}

TEST(Riding, NodeKeysCarryOutTheMotions) {
  const double scale = 2.5;
  const Scene scene(scale);
  const Riding riding(scene.drawn, scene.pieces, scene.skin, scene.source);
  const Clip clip = nod(0.6);
  const Points input = posed(scene.drawn.vertices, pose_at(scene.character, scene.drawn, clip, 0.7));
  Points d = scene.displaced(input, [](const Vec3& x) -> Vec3 {
    return x + 0.1 * Vec3(std::sin(x[1]), std::cos(2 * x[0]), std::sin(x[2] + x[1]));
  });
  std::vector<RigidMotion> motions;
  riding.apply(input, d, &motions);
  const std::vector<NodeKey> keys = riding.node_keys(scene.character, node_placements(scene.character, clip, 0.7),
                                                     node_matrices(scene.character, clip, 0.7), motions);
  ASSERT_EQ(keys.size(), 2u);

  // A clip with the keys in it poses the riders where they were said to go.
  Clip with_keys = clip;
  for (const NodeKey& key : keys) {
    Channel channel;
    channel.node = key.node;
    channel.times = {0};
    channel.width = 3;
    const Vec3& t = key.local.translation;
    channel.values = {t[0], t[1], t[2]};
    with_keys.channels.push_back(channel);
    channel.path = ChannelPath::rotation;
    channel.width = 4;
    const Quat& q = key.local.rotation;
    channel.values = {q.x(), q.y(), q.z(), q.w()};
    with_keys.channels.push_back(channel);
  }
  const Points after = posed(scene.drawn.vertices, pose_at(scene.character, scene.drawn, with_keys, 0.7));
  for (const std::string name : {"hat", "feather"}) {
    double most = 0;
    for (int v : scene.piece(name).vertices) {
      EXPECT_LT((after[v] - input[v] - d[v]).norm(), 1e-12) << name;
      most = std::max(most, d[v].norm());
    }
    EXPECT_GT(most, 0.05);
  }
}

TEST(Riding, WithoutFleshNothingRides) {
  Scene scene;
  const Riding riding(scene.drawn, scene.pieces, TriMesh{}, {});
  Points d(scene.drawn.vertices.rest.size(), Vec3::Zero());
  riding.apply(scene.drawn.vertices.rest, d);
  for (const Vec3& x : d) EXPECT_EQ(x, Vec3(0, 0, 0));
}

}  // namespace supple
