// First and second derivatives of the skeleton deformer; symbols in skeleton_deformer_data.h.
//
// A point comes into second derivatives only by f_i z_in^T, which is summed over the points once, bone by bone:
//   P_k = sum_i w_ik f_i x~_i^T,   Q_n = sum_i f_i z_in^T = sum over bones k below n of P_k (C_nk B_k)^T
//   f . d^2y / da db = < s W_parent(n) d^2L_n / da db, Q_n >                          a and b of one joint n
//                    = < s W_parent(n) dL_n / da C_n,parent(m) dL_m / db, Q_m >        b of a joint m below n
// and with a morph target, or any tangent d of what comes in, the same as the first derivative with d for x~.
#include <algorithm>

#include "supple/base/expect.h"
#include "supple/base/parallel.h"
#include "supple/rigs/skeleton_deformer_data.h"

namespace supple {

namespace {

using SkeletonNow = SkeletonDeformer::Data::Now;
constexpr size_t kSomePoints = 2048;

double inner(const Mat34& a, const Mat34& b) { return a.cwiseProduct(b).sum(); }

// A joint as it stands, of which parameters are asked for.
struct JointNow {
  int joint = -1;
  std::vector<int> places;     // in `which`
  Mat3 left;                   // s W_parent, linear part
  Mat3 turn, rest_turn;        // R; what the parameters turn against
  Vec3 scale, scale_per_unit;  // S, and dS / d(parameter)
  double per_metre = 1;
  RotationDerivatives rotation;  // of the parameters; where the rotation is one
  std::vector<Affine> below;     // C_nm of the nodes below (Data::Joint::below)
  std::vector<Mat34> from;       // C_nk B_k of the bones under it (Bound::Under::bones)

  // dL / da: linear part, and translation as the fourth column.
  Mat34 first(JointChannel channel, int axis) const {
    Mat34 d = Mat34::Zero();
    if (channel == JointChannel::rotation) {
      d.leftCols<3>() = rest_turn * rotation.d[axis] * scale.asDiagonal();
    } else if (channel == JointChannel::translation) {
      d(axis, 3) = per_metre;
    } else {
      d.col(axis) = turn.col(axis) * scale_per_unit[axis];
    }
    return d;
  }
  Mat34 second(JointChannel a, int axis_a, JointChannel b, int axis_b) const {
    Mat34 dd = Mat34::Zero();
    if (a == JointChannel::rotation && b == JointChannel::rotation) {
      dd.leftCols<3>() = rest_turn * rotation.dd[second_of(axis_a, axis_b)] * scale.asDiagonal();
    } else if (a == JointChannel::rotation && b == JointChannel::scale) {
      dd.col(axis_b) = rest_turn * rotation.d[axis_a].col(axis_b) * scale_per_unit[axis_b];
    } else if (a == JointChannel::scale && b == JointChannel::rotation) {
      return second(b, axis_b, a, axis_a);
    }
    return dd;
  }
};

// Those joints that own any of `which`, in the order of the joints.
std::vector<JointNow> joints_of(const SkeletonDeformer::Data& data, const SkeletonDeformer::Bound& bound,
                                const SkeletonNow& now, const VecX& p, const std::vector<int>& which) {
  std::vector<JointNow> all;
  std::vector<int> number(data.joints.size(), -1);
  for (size_t j = 0; j < data.joints.size(); ++j) {
    JointNow own;
    own.joint = static_cast<int>(j);
    for (size_t c = 0; c < which.size(); ++c) {
      const auto& owner = data.owners[which[c]];
      if (owner.channel != JointChannel::morph && owner.joint == own.joint) own.places.push_back(static_cast<int>(c));
    }
    if (own.places.empty() || bound.under[j].points.empty()) continue;
    const auto& joint = data.joints[j];
    const int parent = data.character->nodes[joint.node].parent;
    own.left = data.drawn->scale * (parent < 0 ? Mat3(Mat3::Identity()) : Mat3(now.worlds[parent].linear()));
    const Placement at = data.placement(joint, p, now.clip->placements[joint.node]);
    own.rest_turn = joint.rest.rotation.toRotationMatrix();
    own.turn = at.rotation.toRotationMatrix();
    own.scale = at.scale;
    own.scale_per_unit = joint.rest.scale;
    own.per_metre = joint.per_metre;
    if (joint.rotation >= 0) {
      const Vec3 angles = p.segment<3>(joint.rotation);
      own.rotation = data.spec.rotations == RotationParameters::exponential ? exponential(angles) : euler_xyz(angles);
    }
    std::vector<int> place(data.character->nodes.size(), -1);
    own.below.reserve(joint.below.size());
    for (size_t k = 0; k < joint.below.size(); ++k) {
      const int node = joint.below[k];
      place[node] = static_cast<int>(k);
      if (k == 0) {
        own.below.push_back(Affine::Identity());
      } else {
        own.below.push_back(own.below[place[data.character->nodes[node].parent]] * now.locals[node]);
      }
    }
    for (int b : bound.under[j].bones) {
      const Bone& bone = data.drawn->bones[b];
      own.from.push_back((own.below[place[bone.node]] * bone.from_bound).matrix());
    }
    all.push_back(std::move(own));
  }
  return all;
}

// P_k of every bone: sum_i w_ik f_i d_i^T over the points given, the fourth column with 1 in place of d.
void add_moments(const SkinWeights& skin, int point, const Vec3& f, const Vec3& d, std::vector<Mat34>& moments) {
  if (f.isZero(0)) return;
  Mat34 outer;
  outer << f * d.transpose(), f;
  for (int k = skin.first[point]; k < skin.first[point + 1]; ++k) moments[skin.bone[k]] += skin.weight[k] * outer;
}

// Q_n from P_k. Of tangents, which have no 1, the fourth column is to be left out.
Mat34 moment_of(const JointNow& joint, const std::vector<int>& bones, const std::vector<Mat34>& moments, bool tangent) {
  Mat34 Q = Mat34::Zero();
  for (size_t k = 0; k < bones.size(); ++k) {
    const Mat34& P = moments[bones[k]];
    Q.leftCols<3>() += P.leftCols<3>() * joint.from[k].leftCols<3>().transpose();
    if (tangent) continue;
    Q.leftCols<3>() += P.col(3) * joint.from[k].col(3).transpose();
    Q.col(3) += P.col(3);
  }
  return Q;
}

}  // namespace

MatX SkeletonDeformer::columns(const VecX& p, double t, const VecX& x, const std::vector<int>& which) const {
  expect(x.size() == 3 * bound_->n_points, "the coordinates of every point");
  const SkinWeights& skin = bound_->skin;
  const Data::Now now = data_->now(p, t);
  MatX J = MatX::Zero(x.size(), static_cast<Eigen::Index>(which.size()));
  const std::vector<JointNow> joints = joints_of(*data_, *bound_, now, p, which);
  const VecX shaped = bound_->shaped(x, now.morphs);
  for (const JointNow& joint : joints) {
    std::vector<Mat34> D;
    for (int c : joint.places) {
      const Data::Owner& owner = data_->owners[which[c]];
      D.push_back(joint.left * joint.first(owner.channel, owner.axis));
    }
    const Bound::Under& under = bound_->under[joint.joint];
    parallel_for(under.points.size(), kSomePoints, [&](size_t begin, size_t end) {
      for (size_t n = begin; n < end; ++n) {
        const int i = under.points[n];
        Eigen::Vector4d at, z = Eigen::Vector4d::Zero();
        at << shaped.segment<3>(3 * i), 1;
        for (int k = skin.first[i]; k < skin.first[i + 1]; ++k) {
          const int slot = under.slot[skin.bone[k]];
          if (slot < 0) continue;
          z.head<3>() += skin.weight[k] * (joint.from[slot] * at);
          z[3] += skin.weight[k];
        }
        for (size_t c = 0; c < D.size(); ++c) J.col(joint.places[c]).segment<3>(3 * i) = D[c] * z;
      }
    });
  }
  for (size_t c = 0; c < which.size(); ++c) {
    const Data::Owner& owner = data_->owners[which[c]];
    if (owner.channel != JointChannel::morph) continue;
    const Morph& morph = bound_->morphs[owner.morph];
    for (size_t k = 0; k < morph.points.size(); ++k) {
      J.col(static_cast<Eigen::Index>(c)).segment<3>(3 * morph.points[k]) +=
          bound_->blended(morph.points[k], now.bones).leftCols<3>() * morph.offsets[k];
    }
  }
  return J;
}

MatX SkeletonDeformer::curvature(const VecX& p, double t, const VecX& x, const std::vector<int>& which,
                                 const VecX& f) const {
  expect(x.size() == 3 * bound_->n_points && f.size() == x.size(), "coordinates of and a force on every point");
  const auto n = static_cast<Eigen::Index>(which.size());
  MatX H = MatX::Zero(n, n);
  const Data::Now now = data_->now(p, t);
  const std::vector<JointNow> joints = joints_of(*data_, *bound_, now, p, which);
  if (joints.empty()) return H;
  const size_t n_bones = data_->drawn->bones.size();
  const auto owner_of = [&](int place) -> const Data::Owner& { return data_->owners[which[place]]; };
  const auto first_of = [&](const JointNow& joint, int place) -> Mat34 {
    return joint.first(owner_of(place).channel, owner_of(place).axis);
  };

  const VecX shaped = bound_->shaped(x, now.morphs);
  std::vector<Mat34> moments(n_bones, Mat34::Zero());
  for (int i = 0; i < bound_->n_points; ++i)
    add_moments(bound_->skin, i, f.segment<3>(3 * i), shaped.segment<3>(3 * i), moments);

  for (const JointNow& m : joints) {
    const Mat34 Q = moment_of(m, bound_->under[m.joint].bones, moments, false);
    const Mat34 Q_left = m.left.transpose() * Q;
    for (int a : m.places) {
      for (int b : m.places) {
        H(a, b) = inner(m.second(owner_of(a).channel, owner_of(a).axis, owner_of(b).channel, owner_of(b).axis), Q_left);
      }
    }
    // Joints above.
    const int node = data_->joints[m.joint].node, parent = data_->character->nodes[node].parent;
    std::vector<Mat3> V;  // Q_m (dL_m / db)^T
    for (int b : m.places) V.push_back(Q * first_of(m, b).transpose());
    for (const JointNow& above : joints) {
      const std::vector<int>& below = data_->joints[above.joint].below;
      const auto at = std::find(below.begin(), below.end(), parent);
      if (above.joint == m.joint || at == below.end()) continue;
      const Mat3 between = above.below[static_cast<size_t>(at - below.begin())].linear();
      for (int a : above.places) {
        const Mat3 U = above.left * first_of(above, a).leftCols<3>() * between;
        for (size_t b = 0; b < V.size(); ++b) {
          H(a, m.places[b]) = H(m.places[b], a) = U.cwiseProduct(V[b]).sum();
        }
      }
    }
  }

  for (size_t c = 0; c < which.size(); ++c) {
    const Data::Owner& owner = data_->owners[which[c]];
    if (owner.channel != JointChannel::morph) continue;
    const Morph& morph = bound_->morphs[owner.morph];
    std::fill(moments.begin(), moments.end(), Mat34::Zero());
    for (size_t k = 0; k < morph.points.size(); ++k) {
      const int i = morph.points[k];
      add_moments(bound_->skin, i, f.segment<3>(3 * i), morph.offsets[k], moments);
    }
    for (const JointNow& joint : joints) {
      const Mat34 Q = joint.left.transpose() * moment_of(joint, bound_->under[joint.joint].bones, moments, true);
      for (int a : joint.places) {
        const double value = inner(first_of(joint, a), Q);
        H(a, static_cast<Eigen::Index>(c)) = H(static_cast<Eigen::Index>(c), a) = value;
      }
    }
  }
  return H;
}

MatX SkeletonDeformer::mixed(const VecX& p, double t, const std::vector<int>& which, const MatX& tangents,
                             const VecX& f) const {
  expect(tangents.rows() == 3 * bound_->n_points && f.size() == tangents.rows(),
         "tangents of and a force on every point");
  MatX result = MatX::Zero(static_cast<Eigen::Index>(which.size()), tangents.cols());
  const Data::Now now = data_->now(p, t);
  const std::vector<JointNow> joints = joints_of(*data_, *bound_, now, p, which);
  parallel_for(static_cast<size_t>(tangents.cols()), 8, [&](size_t begin, size_t end) {
    std::vector<Mat34> moments(data_->drawn->bones.size());
    for (auto c = static_cast<Eigen::Index>(begin); c < static_cast<Eigen::Index>(end); ++c) {
      std::fill(moments.begin(), moments.end(), Mat34::Zero());
      for (int i = 0; i < bound_->n_points; ++i) {
        const Vec3 d = tangents.col(c).segment<3>(3 * i);
        if (!d.isZero(0)) add_moments(bound_->skin, i, f.segment<3>(3 * i), d, moments);
      }
      for (const JointNow& joint : joints) {
        const Mat34 Q = joint.left.transpose() * moment_of(joint, bound_->under[joint.joint].bones, moments, true);
        for (int a : joint.places) {
          const Data::Owner& owner = data_->owners[which[a]];
          result(a, c) = inner(joint.first(owner.channel, owner.axis), Q);
        }
      }
    }
  });
  return result;
}

}  // namespace supple
