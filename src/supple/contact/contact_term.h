// Contact as an energy: a barrier between surfaces that come nearer than their thickness, friction that lags by a
// stage, and a gentle push where things already are inside one another. Steps are cut so that nothing passes through
// anything.
#pragma once
#include <memory>
#include <vector>

#include "supple/contact/broad_phase.h"
#include "supple/contact/contact_surface.h"
#include "supple/contact/tangles.h"
#include "supple/energy/term.h"

namespace supple {

struct ContactOptions {
  double thickness = 0;   // [m]
  double friction = 0;    // coefficient
  double slip_speed = 0;  // [m/s]
  double size = 1;        // of what is simulated [m]
};

// What a step leaves to the next.
struct ContactHistory {
  std::vector<ContactPair> let_go;  // do not push until they have parted, ascending
  VecX tangled_for;                 // [s] of each point; empty: none is
  VecX hit, lasting;                // [N] what other bodies push with, now and on average; empty: not asked for
};

// How things stand at a place.
struct ContactCount {
  int pairs = 0;            // that push
  double least_gap = 1;     // smallest distance as a share of the pair's thickness; 1: nothing pushes
  int tangled = 0;          // points that are inside something, or on an edge or triangle that passes through another
  double deepest = 0;       // of those, the farthest way out [m]
  std::vector<int> bodies;  // with tangled points, ascending
  int let_go = 0;           // pairs that were in the way of what is prescribed
};

class ContactTerm : public RovingTerm {
 public:
  ContactTerm(std::shared_ptr<const ContactSurface> surface, ContactOptions options);

  // Before a step, at its start: finds what is tangled, and takes places that friction measures slip from. obstacles:
  // where they are (flat). stiffness: pressure scale [Pa] of this step. history: what came of the steps
  // before.
  void begin_step(const VecX& u, const VecX& obstacles, double stiffness, const ContactHistory& history);
  // Before a stage that leads obstacles from where they are to `obstacles`, from u. slip_time: from the start of the
  // step to the end of the stage [s]; weight: by which forces count (solve/stage.h).
  void begin_stage(const VecX& u, const VecX& obstacles, double slip_time, double weight);
  bool obstacles_move() const { return obstacles_move_; }
  ContactCount count(const VecX& u) const;  // at the end of the stage

  // For the step after this one of length h that ended at u.
  ContactHistory history(const VecX& u, double h) const;
  // After a solve that failed: the pairs that are nearest, for it to go without. effort: 0, 1, 2, more and more of
  // them.
  std::vector<ContactPair> nearest_pairs(int effort) const;

  // Contact force alone at u, at the end of the stage, with weight 1: what pushes [N].
  VecX force(const VecX& u) const;
  // Of that, what bodies of vertices from `first_other` on do to vertices before it.
  VecX force_of_others(const VecX& u, int first_other) const;

  std::string name() const override { return "contact"; }
  bool has_energy() const override { return true; }
  void couple(PatternBuilder& pattern) const override;
  long couplings() const override { return couplings_; }
  void add(const Kinematics& x, const Evaluation& out) const override;
  void look(const VecX& u, double progress) override;
  double safe_step(const Kinematics& x, const VecX& du, double advance) override;
  void add_advance(const Kinematics& x, double advance, VecX& r) const override;
  bool let_go(const Kinematics& x, const VecX& du, double advance) override;

 private:
  struct Pair {
    ContactPair pair;
    double thickness = 0, area = 0;
  };
  struct PlanePoint {
    int point = 0, plane = 0;
  };
  using Quad = std::array<int, 4>;  // points; -1: none
  // A pair that slides: vectors that span its tangent plane, and the force it resists with.
  struct Slide {
    Quad points{};
    Eigen::Vector4d weights = Eigen::Vector4d::Zero();
    Eigen::Matrix<double, 3, 2> tangent = Eigen::Matrix<double, 3, 2>::Zero();
    double force = 0;  // coefficient times the normal force [N]
  };
  // A point led out: gap = normal.(sum of weights x) - offset is to become `goal`.
  struct Lead {
    Quad points{};
    Eigen::Vector4d weights = Eigen::Vector4d::Zero();
    Vec3 normal = Vec3::Zero();
    double offset = 0, gap = 0, goal = 0, area = 0;
  };

  Points places(const VecX& u, double progress) const;
  Points motion(const VecX& du, double advance) const;
  bool is_released(const ContactPair& pair) const;
  void keep_near(const std::vector<ContactPair>& pairs, const Points& x, bool active_only);
  void find_slides(const Points& x);
  void find_leads(const Points& x);
  void release_tangled(const ContactHistory& history);
  double plane_gap(const PlanePoint& p, const Points& x) const;
  // Adds, of an energy of the sum of weights x: its gradient (weights_i x gradient) and, for its matrix, weights_i
  // weights_j x block. moved: instead, what the gradient changes by when the points move so.
  struct Out {
    Evaluation sums;
    const Points* moved = nullptr;
  };
  void spread(const Quad& points, const Eigen::Vector4d& weights, const Vec3& gradient, const Mat3& block,
              const Out& out) const;
  // The same for a pair's energy times k.
  void spread(const Quad& points, double k, const struct PairEnergy& e, const Out& out) const;
  void add_all(const Points& x, const Out& out) const;
  void add_barriers(const Points& x, const Out& out) const;
  void add_planes(const Points& x, const Out& out) const;
  void add_friction(const Points& x, const Out& out) const;
  void add_leads(const Points& x, const Out& out) const;

  std::shared_ptr<const ContactSurface> surface_;
  ContactOptions options_;
  BroadPhase broad_;
  double stiffness_ = 0, weight_ = 1, slip_time_ = 0;
  VecX obstacles_from_, obstacles_to_;
  bool obstacles_move_ = false;
  Points start_;  // places at the start of the step
  Points last_;   // at the last iterate
  std::vector<Pair> near_;
  std::vector<PlanePoint> near_planes_;
  bool swept_ = false;         // near_ holds all that comes near on the way last asked for
  std::vector<Quad> coupled_;  // since the step began, sorted
  long couplings_ = 0;
  std::vector<Slide> slides_;
  TangleFinder tangles_;
  std::vector<Push> pushes_;
  std::vector<Lead> leads_;
  std::vector<char> released_points_;        // nothing holds them back for this step; empty: none
  VecX tangled_for_;                         // [s] at the start of the step; empty: nothing is tangled
  std::vector<std::vector<int>> around_;     // points next to each, made when first needed
  std::vector<ContactPair> released_pairs_;  // likewise, sorted
};

}  // namespace supple
