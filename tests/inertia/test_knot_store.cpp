// Knots that were solved for once: whatever is taken from a store is what would have been solved for, to the bit.
#include "supple/inertia/knot_store.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <cstring>

#include "supple/inertia/periodic.h"
#include "tests/support/beam.h"

namespace supple {
namespace {

using test::beam_spec;
using test::moved;

// A soft beam under gravity that is swung about: every knot has to be solved for.
ModelSpec swung_spec() {
  test::BeamOptions o;
  o.gravity = {0, -9.81, 0};
  o.parameters = {.youngs_modulus = 3e5, .poisson_ratio = 0.4, .density = 1000};
  ModelSpec spec = beam_spec(o);
  for (size_t t = 0; t < spec.per_tet.size(); ++t)
    spec.per_tet[t].youngs_modulus *= 1 + 0.1 * static_cast<double>(t % 7);
  return spec;
}

std::shared_ptr<const Track> swing(const Model& model, double more = 1) {
  return moved(model, [more](const Vec3& x, double t, int d) {
    if (d != 0) return Vec3(0, 0, 0);
    const double angle = 0.8 * std::sin(3 * t) + (t > 1.2 ? 0.1 * (more - 1) : 0);
    return Vec3(Eigen::AngleAxisd(angle, Vec3(0.2, 0.1, 1).normalized()) * x);
  });
}

constexpr double kSpacing = 0.05;

std::vector<VecX> shapes(StaticTrack& track, int from, int to) {
  std::vector<VecX> list;
  for (int k = from; k < to; ++k) list.push_back(track.at(0.7 * kSpacing * k));
  return list;
}

class Knots : public ::testing::Test {
 protected:
  const Model model_{swung_spec()};
  const Drive drive_{.vertices = swing(model_)};
  struct Stored : StaticTrack {
    Stored(const Knots& k, std::shared_ptr<KnotStore> store)
        : StaticTrack(k.model_, k.drive_, {.knot_spacing = kSpacing}) {
      set_store(std::move(store));
    }
  };
  Stored track(std::shared_ptr<KnotStore> store) const { return Stored(*this, std::move(store)); }
};

TEST_F(Knots, are_the_same_bits_when_they_are_found) {
  auto store = std::make_shared<KnotStore>();
  Stored alone = track(nullptr), first = track(store);
  const std::vector<VecX> expected = shapes(alone, 0, 40);
  EXPECT_EQ(shapes(first, 0, 40), expected);
  const size_t known = store->size();
  EXPECT_GT(known, 25u);
  Stored second = track(store);
  EXPECT_EQ(shapes(second, 0, 40), expected);
  EXPECT_EQ(store->size(), known);
  EXPECT_EQ(second.solves(), alone.solves());
  EXPECT_EQ(second.newton_iterations(), alone.newton_iterations());
}

// Found ones are really taken from the store: one that was tampered with shows.
TEST_F(Knots, are_not_solved_for_again) {
  auto store = std::make_shared<KnotStore>();
  Stored first = track(store);
  first.at(0);
  std::string bytes = store->packed();
  const VecX p = first.at(-3 * kSpacing);
  // The first knot comes after the first index, the spacing and three counts.
  const size_t last = 40 + 8 * static_cast<size_t>(p.size() - 1);
  const double other = p[p.size() - 1] + 1e-3;
  ASSERT_LT(last + sizeof other, bytes.size());
  std::memcpy(bytes.data() + last, &other, sizeof other);
  auto tampered = std::make_shared<KnotStore>();
  ASSERT_TRUE(tampered->unpack(bytes, model_.n_vertices()));
  Stored second = track(tampered);
  second.at(0);
  EXPECT_NEAR(second.at(-3 * kSpacing)[p.size() - 1], other, 1e-12);
}

// A track that comes to the end of a store goes on as one that solved for all of it: factor and all.
TEST_F(Knots, go_on_after_the_end_of_the_store_to_the_bit) {
  Stored alone = track(nullptr);
  const std::vector<VecX> expected = shapes(alone, 0, 60);
  for (int known : {1, 7, 20, 33}) {
    auto store = std::make_shared<KnotStore>();
    Stored first = track(store);
    shapes(first, 0, known);
    Stored second = track(store);
    EXPECT_EQ(shapes(second, 0, 60), expected) << known;
  }
}

// So does one that goes on from a checkpoint which was taken while its knots came from the store.
TEST_F(Knots, are_resumed_to_the_bit) {
  auto store = std::make_shared<KnotStore>();
  Stored first = track(store);
  const std::vector<VecX> expected = shapes(first, 0, 60);
  for (int when : {10, 25, 41}) {
    Stored reader = track(store), resumed = track(store);
    shapes(reader, 0, when);
    resumed.set_memory(reader.memory());
    const std::vector<VecX> rest = shapes(resumed, when, 60);
    EXPECT_TRUE(std::equal(rest.begin(), rest.end(), expected.begin() + when)) << when;
    EXPECT_EQ(resumed.solves(), first.solves());
  }
}

TEST_F(Knots, stop_being_stored_when_there_is_no_room) {
  const size_t each = 24 * static_cast<size_t>(model_.n_vertices());
  auto store = std::make_shared<KnotStore>(12 * each);
  Stored alone = track(nullptr), first = track(store), second = track(store);
  const std::vector<VecX> expected = shapes(alone, 0, 40);
  EXPECT_EQ(shapes(first, 0, 40), expected);
  EXPECT_LE(store->bytes(), 12 * each);
  EXPECT_GT(store->size(), 3u);
  EXPECT_EQ(shapes(second, 0, 40), expected);
}

// Knots of another motion are not taken, nor those after them: up to there they serve both.
TEST_F(Knots, of_another_motion_are_forgotten) {
  const Drive other{.vertices = swing(model_, 2)};
  auto store = std::make_shared<KnotStore>();
  Stored first = track(store);
  shapes(first, 0, 60);
  StaticTrack alone(model_, other, {.knot_spacing = kSpacing}), second(model_, other, {.knot_spacing = kSpacing});
  second.set_store(store);
  EXPECT_EQ(shapes(second, 0, 60), shapes(alone, 0, 60));
  // And another spacing is another store altogether.
  StaticTrack finer(model_, drive_, {.knot_spacing = kSpacing / 2}),
      same(model_, drive_, {.knot_spacing = kSpacing / 2});
  finer.set_store(store);
  EXPECT_EQ(shapes(finer, 0, 60), shapes(same, 0, 60));
}

TEST_F(Knots, survive_packing_and_nothing_else_is_unpacked) {
  auto store = std::make_shared<KnotStore>();
  store->enough = {{1, false}, {2, true}};
  Stored first = track(store);
  const std::vector<VecX> expected = shapes(first, 0, 40);
  const std::string bytes = store->packed();
  auto read = std::make_shared<KnotStore>();
  ASSERT_TRUE(read->unpack(bytes, model_.n_vertices()));
  EXPECT_EQ(read->enough, store->enough);
  EXPECT_EQ(read->size(), store->size());
  EXPECT_EQ(read->packed(), bytes);
  EXPECT_FALSE(read->changed());
  Stored second = track(read);
  EXPECT_EQ(shapes(second, 0, 60), [&] {
    Stored alone = track(nullptr);
    return shapes(alone, 0, 60);
  }());
  EXPECT_TRUE(read->changed());
  for (size_t n : {size_t{0}, size_t{5}, size_t{40}, bytes.size() / 2, bytes.size() - 1})
    EXPECT_FALSE(KnotStore().unpack(std::string_view(bytes).substr(0, n), model_.n_vertices())) << n;
  EXPECT_FALSE(KnotStore().unpack(bytes + "x", model_.n_vertices()));
  EXPECT_FALSE(KnotStore().unpack(bytes, model_.n_vertices() + 1));
  EXPECT_FALSE(KnotStore().unpack(std::string(400, '\xff'), model_.n_vertices()));
}

TEST(KnotLibrary, lets_go_of_what_was_not_used_for_longest) {
  KnotLibrary library(1000);
  const auto fill = [&](const char* key) {
    const auto store = library.of(key, 10);
    const long ticket = store->open(0, 1);
    if (store->size() == 0) store->add(ticket, 0, {.p = VecX::Zero(50)});
    return store->size();
  };
  fill("a"), fill("b");
  EXPECT_EQ(library.of("a", 10)->size(), 1u);
  fill("c");  // there are 1000 bytes for two and a bit of them
  EXPECT_EQ(library.of("a", 10)->size(), 1u);
  EXPECT_EQ(library.of("b", 10)->size(), 0u);
}

// Stiffness, springs, damping and gravity scaled together are the same body to an equilibrium, to the bit.
TEST(StaticSpec, sees_only_what_equilibria_depend_on) {
  ModelSpec spec = swung_spec();
  for (int i = 40; i < 44; ++i)
    spec.springs.push_back({spec.mesh.tets[static_cast<size_t>(i)], Eigen::Vector4d(1, 0, 0, 0)}),
        spec.spring_strengths.push_back(31 + i / 7.0);
  const std::string key = static_digest(static_spec(spec));
  for (double chi : {0.8, 1.3, 1 / 3.0, 17.1}) {
    ModelSpec other = spec;
    std::vector<double> factor(spec.per_tet.size(), chi);
    scale_stiffness(other, factor, chi);
    other.gravity *= chi * chi;
    for (MaterialParameters& p : other.per_tet) p.stiffness_damping = 0.01 * chi;
    other.mass_damping = chi;
    EXPECT_EQ(static_digest(static_spec(other)), key) << chi;
    other.gravity *= 1.001;
    EXPECT_NE(static_digest(static_spec(other)), key) << chi;
  }
  ModelSpec other = spec;
  other.per_tet[3].youngs_modulus *= 1.001;
  EXPECT_NE(static_digest(static_spec(other)), key);
  other = spec;
  other.spring_strengths[2] *= 1.001;
  EXPECT_NE(static_digest(static_spec(other)), key);
  other = spec;
  other.per_tet[3].density *= 1.001;
  EXPECT_NE(static_digest(static_spec(other)), key);
}

// And its equilibria are those of the body itself.
TEST(StaticSpec, has_the_same_equilibria) {
  const ModelSpec spec = swung_spec();
  const Model model(spec), statics(static_spec(spec));
  const VecX u = StaticSolver(model, rest_drive(model), "auto", 1e-10).solve(0, {}).u;
  const VecX v = StaticSolver(statics, rest_drive(statics), "auto", 1e-10).solve(0, {}).u;
  EXPECT_GT(u.cwiseAbs().maxCoeff(), 1e-3);
  EXPECT_LT((u - v).cwiseAbs().maxCoeff(), 1e-8 * u.cwiseAbs().maxCoeff());
}

// Simulations with one library have the same steps, and the second solves for nothing.
TEST(Simulation, shares_knots_with_others_of_the_same_equilibria) {
  const auto run = [](double chi, std::shared_ptr<KnotLibrary> library, std::string* key = nullptr,
                      size_t* found = nullptr) {
    ModelSpec spec = swung_spec();
    scale_stiffness(spec, std::vector<double>(spec.per_tet.size(), chi), chi);
    spec.gravity *= chi * chi;
    const Model model(spec);
    SimulationSpec s{.drive = {.vertices = swing(model)}, .frame = 0.04, .substeps = 4, .t_end = 1, .knots = library};
    s.adjustment.epsilon = VecX::Constant(model.n_vertices(), 0.5);
    Simulation sim(model, s);
    if (key) *key = sim.knots_key();
    if (found) *found = sim.knots() ? sim.knots()->size() : 0;
    sim.start(true);
    std::vector<VecX> u;
    for (int k = 0; k < 40; ++k) sim.step(), u.push_back(sim.state().u);
    return u;
  };
  const auto library = std::make_shared<KnotLibrary>();
  std::string key, other;
  size_t found = 0, later = 0;
  const auto alone = run(1, nullptr);
  EXPECT_EQ(run(1, library, &key, &found), alone);
  EXPECT_EQ(run(1, library, &other, &later), alone);
  EXPECT_EQ(key, other);
  EXPECT_EQ(found, 0u);
  EXPECT_GT(later, 8u);
  const auto stiffer = run(1.7, nullptr);
  EXPECT_NE(stiffer, alone);
  EXPECT_EQ(run(1.7, library, &other, &later), stiffer);
  EXPECT_EQ(key, other);
  EXPECT_GT(later, 8u);
}

}  // namespace
}  // namespace supple
