#include "supple/linalg/preconditioner.h"
#include "supple/linalg/supernodal.h"

namespace supple {

namespace {

// Floating-point operations of a factorization that take as long as one number of the factor read in a solve. Measured:
// solves wait for memory.
constexpr double kOperationsPerEntry = 64;

class FloatCholesky final : public Preconditioner {
 public:
  explicit FloatCholesky(const BlockPattern& pattern)
      : factor_(SymbolicFactor::analyse(pattern)), product_blocks_(2 * static_cast<double>(pattern.size())) {}

  std::string name() const override { return "float cholesky"; }
  bool make(const BlockMatrix& A) override { return factor_.factorize(A) == FactorStatus::ok; }
  void apply(const VecX& r, VecX& z) override {
    z = r;
    factor_.solve(z);
  }
  double make_cost() const override {
    const SymbolicFactor& s = factor_.symbolic();
    const double entries = static_cast<double>(s.by_16.factor_lines) * 16;
    // Of a product: twice as many bytes a number.
    return s.flops / kOperationsPerEntry / (2 * entries + 2 * 9 * product_blocks_);
  }
  size_t memory_bytes() const override { return factor_.memory_bytes(); }

 private:
  SupernodalFactor<float> factor_;
  double product_blocks_;
};

}  // namespace

std::unique_ptr<Preconditioner> make_float_cholesky(const std::shared_ptr<const BlockPattern>& pattern) {
  return std::make_unique<FloatCholesky>(*pattern);
}

}  // namespace supple
