#include "supple/sim/damped_modes.h"

#include "supple/linalg/dense.h"

namespace supple {

namespace {

MatX damping_of(std::unique_ptr<ElasticTerm> elastic, int n_vertices, const MatX& shapes, const VecX& u) {
  const VecX zero = VecX::Zero(3 * n_vertices);
  const VecX& about = u.size() > 0 ? u : zero;
  PatternBuilder builder(n_vertices);
  elastic->couple(builder);
  BlockMatrix K(builder.build());
  MatX product = MatX::Zero(shapes.rows(), shapes.cols());
  // With and without the derivative by velocities, the strain held still: what is left is the damping.
  for (double rate : {1.0, 0.0}) {
    K.set_zero();
    elastic->set_strain_rate_offset(-rate * elastic->strains(about));
    elastic->add({about, zero, zero, rate, 0}, {.matrix = &K});
    for (Eigen::Index i = 0; i < shapes.cols(); ++i) product.col(i) += (2 * rate - 1) * K.multiply(shapes.col(i));
  }
  const MatX D = shapes.transpose() * product;
  return 0.5 * (D + D.transpose());
}

}  // namespace

MatX damping_matrix(const Model& model, const MatX& shapes, const VecX& u) {
  return damping_of(model.make_elastic(), model.n_vertices(), shapes, u);
}

MatX damping_matrix(const ModelSpec& spec, const MatX& shapes, const VecX& u) {
  return damping_of(std::make_unique<ElasticTerm>(make_elements(spec), spec.damping), spec.mesh.n_vertices(), shapes,
                    u);
}

std::vector<Pole> poles(const VecX& squares, const MatX& damping) {
  const Eigen::Index m = squares.size();
  MatX A = MatX::Zero(2 * m, 2 * m);
  A.topRightCorner(m, m).setIdentity();
  A.bottomLeftCorner(m, m).diagonal() = -squares;
  A.bottomRightCorner(m, m) = -damping;
  const GeneralEigen eigen = general_eigen(A);
  std::vector<Pole> found;
  for (Eigen::Index k = 0; k < 2 * m; ++k)
    if (eigen.values[k].imag() >= 0) found.push_back({eigen.values[k], eigen.vectors.col(k).head(m).normalized()});
  return found;
}

const Pole& pole_of(const std::vector<Pole>& all, Eigen::Index mode) {
  const Pole* best = &all.front();
  for (const Pole& p : all)
    if (std::abs(p.shape[mode]) > std::abs(best->shape[mode])) best = &p;
  return *best;
}

PoleFilter filter_of(const Pole& pole, const MatX& damping, Eigen::Index mode) {
  const Eigen::VectorXcd& v = pole.shape;
  const Eigen::VectorXcd Dv = damping * v;
  // Both of a pair: twice the real part. One that creeps is alone.
  const double both = pole.value.imag() > 0 ? 2 : 1;
  const std::complex<double> size = v.transpose() * (Dv + 2.0 * pole.value * v);
  const std::complex<double> scale = both * v[mode] / size;
  return {(scale * (pole.value * v + Dv)).real(), (scale * v).real()};
}

}  // namespace supple
