// The checker must pass a right term and catch each way of being wrong.
#include "supple/energy/check_derivatives.h"

#include <gtest/gtest.h>

namespace supple {
namespace {

enum class Fault { none, residual, matrix, silent, energy };

// E = sum of cosh(u_i) + w/2 |v|^2 / dv_du: nonlinear, and with a velocity that follows u.
class CoshTerm : public Term {
 public:
  explicit CoshTerm(Fault fault, bool energy = true) : fault_(fault), energy_(energy) {}
  std::string name() const override { return "cosh"; }
  void couple(PatternBuilder&) const override {}
  bool has_energy() const override { return energy_; }
  void add(const Kinematics& x, const Evaluation& out) const override {
    if (fault_ == Fault::silent) return;
    for (Eigen::Index i = 0; i < x.u.size(); ++i) {
      if (out.energy) *out.energy += std::cosh(x.u[i]) + 0.5 * x.v[i] * x.v[i] / x.dv_du;
      if (out.energy && fault_ == Fault::energy) *out.energy += 1e-3 * x.u[i];
      if (out.residual) (*out.residual)[i] += std::sinh(x.u[i]) * (fault_ == Fault::residual ? 1.001 : 1) + x.v[i];
      if (out.matrix)
        out.matrix->block(static_cast<int>(i / 3))[4 * (i % 3)] +=
            std::cosh(x.u[i]) + (fault_ == Fault::matrix ? 0 : x.dv_du);
    }
  }

 private:
  Fault fault_;
  bool energy_;
};

DerivativeCheck check(const Term& term) {
  const VecX u = VecX::LinSpaced(6, -0.7, 1.1), v = VecX::LinSpaced(6, 0.2, -0.9), a = VecX::Zero(6);
  return check_derivatives(term, {u, v, a, 2.5, 0});
}

TEST(CheckDerivatives, PassesARightTerm) {
  const DerivativeCheck result = check(CoshTerm(Fault::none));
  EXPECT_TRUE(result.ok(1e-9)) << result.text();
  EXPECT_TRUE(result.energy_checked);
  EXPECT_GT(result.residual_size, 0);
  EXPECT_GT(result.matrix_size, 0);
}

TEST(CheckDerivatives, ChecksTheMatrixAloneWithoutEnergy) {
  const DerivativeCheck result = check(CoshTerm(Fault::energy, false));
  EXPECT_FALSE(result.energy_checked);
  EXPECT_TRUE(result.ok(1e-9)) << result.text();
}

TEST(CheckDerivatives, CatchesFaults) {
  EXPECT_FALSE(check(CoshTerm(Fault::residual)).ok(1e-5));
  EXPECT_FALSE(check(CoshTerm(Fault::matrix)).ok(1e-5));
  EXPECT_FALSE(check(CoshTerm(Fault::energy)).ok(1e-5));
}

TEST(CheckDerivatives, ZeroIsNotAPass) {
  EXPECT_FALSE(check(CoshTerm(Fault::silent)).ok(1.0));
  EXPECT_FALSE(check(CoshTerm(Fault::silent, false)).ok(1.0));
}

}  // namespace
}  // namespace supple
