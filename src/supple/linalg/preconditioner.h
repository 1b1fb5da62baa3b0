// Preconditioners for conjugate gradients that are kept over many matrices of one pattern: made for one of them, used
// for those after it while they serve. All give the same bits for any number of threads.
#pragma once
#include <memory>
#include <string>

#include "supple/linalg/block_matrix.h"

namespace supple {

class Preconditioner {
 public:
  virtual ~Preconditioner() = default;
  virtual std::string name() const = 0;
  // For a matrix of the pattern, finite. False where it is not positive definite, as far as this can tell.
  virtual bool make(const BlockMatrix& A) = 0;
  // Where the block rows are by now, three numbers each, for the make to come; for those that use it.
  virtual bool uses_places() const { return false; }
  virtual void set_places(const VecX& /*places*/) {}
  // z = P r, a fixed symmetric positive definite map; after a successful make.
  virtual void apply(const VecX& r, VecX& z) = 0;
  // What make costs, in iterations (an application and a product with A). From counts alone: results hang on it.
  virtual double make_cost() const = 0;
  virtual size_t memory_bytes() const = 0;
};

// A supernodal Cholesky factor in single precision.
std::unique_ptr<Preconditioner> make_float_cholesky(const std::shared_ptr<const BlockPattern>& pattern);
// Smoothed aggregation, for large models. places: of the block rows at rest, three numbers each; empty: unknown.
std::unique_ptr<Preconditioner> make_multilevel(std::shared_ptr<const BlockPattern> pattern, const VecX& places);

}  // namespace supple
