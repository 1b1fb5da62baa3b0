#include "supple/attach/body_plan.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "supple/attach/body_axes.h"
#include "supple/attach/bones.h"
#include "supple/attach/extend_samples.h"
#include "supple/attach/planted.h"
#include "supple/attach/trailing.h"

namespace supple {

namespace {

constexpr double kReachesFloor = 0.06;  // of the height: what reaches so far down stands
constexpr double kShortLimb = 0.12;     // of the height: a pair that is shorter is part of what it hangs on
constexpr double kUpright = 0.6;        // cosine between trunk and up
constexpr double kAnkle = 0.2;          // of a leg's height: where its foot begins, unless a solid says so
constexpr double kFarFront = 0.004;     // of the height: feet that reach less far to the front say nothing
constexpr double kMostOfHead = 0.5;     // of the skin below a bone of the neck: the bone that leads it is the head
constexpr double kLongTail = 0.15;      // of the height: a chain of the middle that is shorter is no tail

const char* const kKindNames[] = {"trunk", "neck", "head", "leg", "foreleg", "arm", "tail", "ear", "strand"};

struct Limb {
  int root = -1, parent = -1;  // of Skeleton::bones
  int side = 0;
  std::vector<int> family, chain;  // chain: the way down to its end with most skin
  bool stands = false;
  BodyPartKind kind = BodyPartKind::arm;
  // Joints of the chain, its far end last, and the lengths to shoulder, elbow and wrist along them.
  Points line;
  double shoulder = 0, elbow = 0, wrist = 0;
  Vec3 shoulder_at = Vec3::Zero();
};

bool is_among(const std::vector<int>& list, int item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

class Planner {
 public:
  explicit Planner(const BodyPlanInput& in) : in_(in), skin_(*in.skin) {
    plan_.up = in.up.normalized();
    const SkinnedPoints points = skin_points(*in.drawn, *in.source);
    mirror_ = find_mirror(skin_, plan_.up, points.skin);
    s_ = find_skeleton(*in.drawn, skin_, *in.source, mirror_);
    part_of_.assign(s_.bones.size(), -1);
    measure();
    find_kinds();
    find_left();
    find_middle();
    find_limbs();
    find_head();
    order_limbs();
    find_ends();
    find_front();
    name_parts();
    place_skin();
    name_twins();
  }
  BodyPlan take() { return std::move(plan_); }

 private:
  const Vec3& head_of(int b) const { return in_.drawn->bones[s_.bones[b].bone].head; }
  double height_of(const Vec3& x) const { return plan_.up.dot(x) - bottom_; }

  void measure() {
    bottom_ = std::numeric_limits<double>::infinity();
    double top = -bottom_;
    for (const Vec3& x : skin_.vertices) {
      bottom_ = std::min(bottom_, plan_.up.dot(x));
      top = std::max(top, plan_.up.dot(x));
    }
    size_ = skin_.vertices.empty() ? 1 : std::max(top - bottom_, 0.6 * longest_side(skin_.vertices));
    middle_ = Vec3::Zero();
    for (const Vec3& x : skin_.vertices) middle_ += x / static_cast<double>(skin_.vertices.size());
    areas_ = vertex_areas(skin_);
  }

  void find_kinds() {
    std::vector<double> half;
    for (int b = 0; b < n_bones(); ++b) {
      double sum = 0;
      for (const int v : s_.bones[b].led) sum += s_.distance(b, skin_.vertices[v]);
      half.push_back(s_.bones[b].led.empty() ? 0 : sum / static_cast<double>(s_.bones[b].led.size()));
    }
    const std::vector<char> nowhere(skin_.vertices.size(), 0);
    BoneKindInput kinds;
    kinds.drawn = in_.drawn, kinds.pieces = in_.pieces, kinds.source = in_.source, kinds.skin = in_.skin;
    kinds.planted = &nowhere, kinds.half_thickness = &half;
    kinds.height = size_, kinds.up = plan_.up, kinds.bottom = bottom_;
    kinds_ = find_bone_kinds(s_, kinds);
    trails_ = find_trailing(s_, kinds, kinds_, {});
  }

  // The axis from side to side: across the mirror, else from one of each pair to the other.
  void find_left() {
    const auto level = [&](const Vec3& x) { return Vec3(x - plan_.up.dot(x) * plan_.up); };
    Vec3 across = mirror_.found() ? level(mirror_.normal) : Vec3::Zero();
    for (int b = 0; b < n_bones() && across.norm() < 0.3; ++b) {
      const int twin = s_.bones[b].twin;
      if (twin < b) continue;
      const Vec3 d = level(head_of(b) - head_of(twin));
      across += (across.dot(d) < 0 ? -1 : 1) / size_ * d;
    }
    if (across.norm() < 1e-6) across = std::abs(plan_.up.x()) < 0.5 ? Vec3::UnitX() : Vec3::UnitY();
    plan_.left = across.normalized();
    // As files have it that face along z.
    plan_.front = plan_.left.cross(plan_.up);
    const Vec3 usual = std::abs(plan_.up.z()) < 0.5 ? Vec3::UnitZ() : Vec3(-Vec3::UnitY());
    if (plan_.front.dot(usual) < 0) plan_.front = -plan_.front, plan_.left = -plan_.left;
  }

  // Bones that are no half of a pair, nor below one.
  void find_middle() {
    is_middle_.assign(s_.bones.size(), 1);
    for (int b = 0; b < n_bones(); ++b)
      if (s_.bones[b].twin >= 0)
        for (const int k : s_.family(b)) is_middle_[k] = 0;
  }

  double area_of(const std::vector<int>& bones) const {
    double sum = 0;
    for (const int b : bones) sum += s_.bones[b].led_area;
    return sum;
  }
  std::vector<int> way_down(int b) const {
    std::vector<int> chain = {b};
    while (!s_.bones[chain.back()].children.empty()) {
      int best = -1;
      double most = -1;
      for (const int c : s_.bones[chain.back()].children) {
        const double area = area_of(s_.family(c));
        if (area > most) most = area, best = c;
      }
      chain.push_back(best);
    }
    return chain;
  }
  Points line_of(const std::vector<int>& chain) const {
    Points line;
    for (const int b : chain) line.push_back(head_of(b));
    line.push_back(s_.bones[chain.back()].segments.back()[1]);
    return line;
  }
  double lowest(const std::vector<int>& bones) const {
    double low = std::numeric_limits<double>::infinity();
    for (const int b : bones)
      for (const int v : s_.bones[b].led) low = std::min(low, height_of(skin_.vertices[v]));
    return low;
  }
  Vec3 middle_of(const std::vector<int>& bones) const {
    Vec3 sum = Vec3::Zero();
    double area = 0;
    for (const int b : bones)
      for (const int v : s_.bones[b].led) sum += areas_[v] * skin_.vertices[v], area += areas_[v];
    return area > 0 ? Vec3(sum / area) : head_of(bones.front());
  }

  void find_limbs() {
    for (int b = 0; b < n_bones(); ++b) {
      const BoneShape& bone = s_.bones[b];
      if (bone.twin < 0 || trails_[b] >= 0 || (bone.parent >= 0 && !is_middle_[bone.parent])) continue;
      Limb limb;
      limb.root = b, limb.parent = bone.parent;
      limb.family = s_.family(b), limb.chain = way_down(b), limb.line = line_of(limb.chain);
      if (length_of(limb.line) < kShortLimb * size_ || solid_above(b)) continue;
      limb.stands = lowest(limb.family) < kReachesFloor * size_;
      limb.side = plan_.left.dot(middle_of(limb.family) - middle_of(s_.family(bone.twin))) > 0 ? 1 : -1;
      limbs_.push_back(std::move(limb));
    }
  }
  bool solid_above(int b) const {
    for (int k = s_.bones[b].parent; k >= 0; k = s_.bones[k].parent)
      if (kinds_.solid[k]) return true;
    return false;
  }

  // The largest solid end of the middle that does not stand; without one the end of the middle above the arms.
  void find_head() {
    double most = 0;
    for (int b = 0; b < n_bones(); ++b) {
      if (!is_middle_[b] || !kinds_.solid[b] || solid_above(b) || trails_[b] >= 0) continue;
      const std::vector<int> family = s_.family(b);
      if (lowest(family) < kReachesFloor * size_ || holds_a_limb(family)) continue;
      if (const double area = area_of(family); area > most) most = area, head_ = b;
    }
    if (head_ < 0) find_head_above_arms();
    // A neck ends in what carries most of it: it may be as solid as the head, or have several bones.
    for (int next = head_; next >= 0;) {
      head_ = next;
      next = -1;
      for (const int c : s_.bones[head_].children)
        if (is_middle_[c] && trails_[c] < 0 && area_of(s_.family(c)) > kMostOfHead * area_of(s_.family(head_)))
          next = c;
    }
  }
  void find_head_above_arms() {
    double most = 0;
    for (const Limb& limb : limbs_) {
      if (limb.stands || limb.parent < 0) continue;
      for (const int c : s_.bones[limb.parent].children) {
        const std::vector<int> family = s_.family(c);
        if (!is_middle_[c] || trails_[c] >= 0 || holds_a_limb(family)) continue;
        if (plan_.up.dot(middle_of(family) - head_of(limb.parent)) < 0) continue;
        if (const double area = area_of(family); area > most) most = area, head_ = c;
      }
    }
  }
  bool holds_a_limb(const std::vector<int>& family) const {
    return std::any_of(limbs_.begin(), limbs_.end(), [&](const Limb& l) { return is_among(family, l.root); });
  }

  std::vector<int> up_from(int b) const {
    std::vector<int> way;
    for (int k = b; k >= 0; k = s_.bones[k].parent) way.push_back(k);
    return way;
  }
  // Bones from a to b through the tree, both included.
  std::vector<int> way(int a, int b) const {
    if (a < 0 || b < 0) return {};
    std::vector<int> from = up_from(a), to = up_from(b);
    while (from.size() > 1 && to.size() > 1 && from[from.size() - 2] == to[to.size() - 2]) {
      from.pop_back();
      to.pop_back();
    }
    if (from.back() != to.back()) return {a};
    to.pop_back();
    from.insert(from.end(), to.rbegin(), to.rend());
    return from;
  }

  // Which pairs are legs, which arms: of two pairs that stand those nearer to the head are forelegs.
  void order_limbs() {
    const auto far = [&](const Limb& l) {
      const Vec3 middle = 0.5 * (head_of(l.root) + head_of(s_.bones[l.root].twin));
      return head_ < 0 ? -plan_.front.dot(middle) : (middle - head_of(head_)).norm();
    };
    double nearest = std::numeric_limits<double>::infinity(), farthest = -nearest;
    for (const Limb& l : limbs_)
      if (l.stands) nearest = std::min(nearest, far(l)), farthest = std::max(farthest, far(l));
    for (Limb& l : limbs_) {
      l.kind = !l.stands ? BodyPartKind::arm
               : farthest - nearest > kShortLimb * size_ && far(l) - nearest < 0.5 * (farthest - nearest)
                   ? BodyPartKind::foreleg
                   : BodyPartKind::leg;
      find_joints(l);
    }
  }

  // Shoulder, elbow and wrist (hip, knee and ankle) among the joints: upper and lower arm are about as long, and most
  // of the limb; collar bones, twist bones and fingers are what is left.
  void find_joints(Limb& l) const {
    std::vector<double> at = {0};
    for (size_t k = 0; k + 1 < l.line.size(); ++k) at.push_back(at.back() + (l.line[k + 1] - l.line[k]).norm());
    size_t end = at.size() - 1;
    for (size_t k = 1; k < l.chain.size(); ++k)
      if (kinds_.solid[l.chain[k]]) {
        end = k;
        break;
      }
    if (l.stands && end == at.size() - 1) {
      const double hip = height_of(l.line.front());
      for (size_t k = 2; k < l.chain.size(); ++k)
        if (height_of(l.line[k]) < kAnkle * hip) {
          end = k;
          break;
        }
    }
    // A limb of three bones that nothing solid ends has its hand at the last.
    if (end == at.size() - 1 && l.chain.size() >= 3) --end;
    double best = -1;
    size_t from = 0, bend = 0;
    for (size_t a = 0; a < end; ++a)
      for (size_t e = a + 1; e < end; ++e) {
        const double upper = at[e] - at[a], lower = at[end] - at[e];
        if (!(upper > 0) || !(lower > 0)) continue;
        const double score = std::min(upper, lower) / std::max(upper, lower) * (upper + lower) / at[end];
        if (score > best) best = score, from = a, bend = e;
      }
    l.shoulder = at[from], l.wrist = at[end];
    l.elbow = best > 0 ? at[bend] : 0.5 * (l.shoulder + l.wrist);
    l.shoulder_at = l.line[from];
  }

  Vec3 shoulders(BodyPartKind kind, bool& found) const {
    Vec3 sum = Vec3::Zero();
    int n = 0;
    for (const Limb& l : limbs_)
      if (l.kind == kind) sum += l.shoulder_at, ++n;
    found = n > 0;
    return n > 0 ? Vec3(sum / n) : sum;
  }
  int parent_of(BodyPartKind kind) const {
    for (const Limb& l : limbs_)
      if (l.kind == kind && l.parent >= 0) return l.parent;
    return -1;
  }

  // Where the trunk begins and ends, in the tree and in space.
  void find_ends() {
    first_ = parent_of(BodyPartKind::leg);
    last_ = parent_of(BodyPartKind::foreleg);
    if (last_ < 0) last_ = parent_of(BodyPartKind::arm);
    if (last_ < 0 && head_ >= 0) last_ = s_.bones[head_].parent;
    const auto farthest_from = [&](int b) {
      int best = b;
      size_t most = 0;
      for (int k = 0; k < n_bones(); ++k) {
        if (!is_middle_[k] || trails_[k] >= 0 || (head_ >= 0 && s_.above(head_, k))) continue;
        const size_t n = b >= 0 ? way(b, k).size() : up_from(k).size();
        if (n > most) most = n, best = k;
      }
      return best;
    };
    if (first_ < 0 && last_ >= 0) first_ = farthest_from(last_);
    if (last_ < 0 && first_ >= 0) last_ = farthest_from(first_);
    if (first_ < 0) {
      for (int k = 0; k < n_bones() && first_ < 0; ++k)
        if (is_middle_[k] && s_.bones[k].parent < 0) first_ = k;
      last_ = first_ >= 0 ? farthest_from(first_) : -1;
    }
    trunk_ = way(first_, last_);
  }

  std::vector<int> skin_led_by(const std::vector<int>& bones) const {
    std::vector<int> list;
    for (const int b : bones) list.insert(list.end(), s_.bones[b].led.begin(), s_.bones[b].led.end());
    return list;
  }

  Points trunk_line() const {
    bool hips = false, arms = false;
    Vec3 from = shoulders(BodyPartKind::leg, hips), to = shoulders(BodyPartKind::foreleg, arms);
    if (!arms) to = shoulders(BodyPartKind::arm, arms);
    if (!arms && head_ >= 0 && !trunk_.empty()) to = head_of(head_), arms = true;
    std::vector<int> skin;
    for (size_t i = 0; i < skin_.vertices.size(); ++i)
      if (const int b = s_.leader[i]; b < 0 || is_middle_[b]) skin.push_back(static_cast<int>(i));
    if (!hips && !arms) {
      // From the first bone to the last, or from below to above.
      from = trunk_.size() > 1 ? head_of(trunk_.front()) : middle_;
      to = trunk_.size() > 1 ? s_.bones[trunk_.back()].segments.back()[1] : Vec3(middle_ + size_ * plan_.up);
    } else if (!hips) {
      from = trunk_.size() > 1 ? head_of(trunk_.front()) : Vec3(to - size_ * plan_.up);
    } else if (!arms) {
      to = trunk_.size() > 1 ? s_.bones[trunk_.back()].segments.back()[1] : Vec3(from + size_ * plan_.up);
    }
    Points line = {from};
    // Bodies that crawl or swim bend along their bones; those on legs go straight from hip to shoulder.
    if (!hips && trunk_.size() >= 5)
      for (size_t k = 1; k < trunk_.size(); ++k) line.push_back(head_of(trunk_[k]));
    if ((line.back() - to).norm() > 1e-6 * size_) line.push_back(to);
    if (line.size() < 2) line.push_back(from + size_ * plan_.up);
    // As far as the skin goes where no joints say where it begins and ends.
    const auto reach = [&](const Vec3& end, const Vec3& towards) {
      const Vec3 d = (end - towards).normalized();
      double most = -std::numeric_limits<double>::infinity();
      for (const int v : skin) most = std::max(most, d.dot(skin_.vertices[v] - end));
      return std::isfinite(most) ? Vec3(end + most * d) : end;
    };
    if (!hips && line.size() == 2) line.front() = reach(line.front(), line[1]);
    if (!arms && line.size() == 2) line.back() = reach(line.back(), line[line.size() - 2]);
    return line;
  }

  // A trunk that lies has its front at its head; of one that stands the feet point there, and tails do not.
  void find_front() {
    const Points line = trunk_line();
    const Vec3 along = (line.back() - line.front()).normalized();
    plan_.upright = along.dot(plan_.up) > kUpright;
    double vote = 0;
    if (!plan_.upright) {
      vote = plan_.front.dot(along);
    } else {
      for (const Limb& l : limbs_) {
        if (l.kind != BodyPartKind::leg) continue;
        // The foot against the leg that stands on it.
        Vec3 foot = Vec3::Zero(), shin = Vec3::Zero();
        double of_foot = 0, of_shin = 0;
        for (const int v : skin_led_by(l.family)) {
          const double h = height_of(skin_.vertices[v]) / std::max(height_of(l.shoulder_at), 1e-9);
          if (h < 0.5 * kAnkle) foot += areas_[v] * skin_.vertices[v], of_foot += areas_[v];
          if (h > kAnkle && h < 2 * kAnkle) shin += areas_[v] * skin_.vertices[v], of_shin += areas_[v];
        }
        if (of_foot > 0 && of_shin > 0) vote += plan_.front.dot(foot / of_foot - shin / of_shin);
      }
      for (int b = 0; b < n_bones(); ++b)
        if (trails_[b] >= 0 && is_middle_[b] && (head_ < 0 || !s_.above(head_, b)))
          vote -= 0.1 * plan_.front.dot(middle_of({b}) - line.front());
    }
    if (vote > -kFarFront * size_) return;
    plan_.front = -plan_.front, plan_.left = -plan_.left;
    for (Limb& l : limbs_) l.side = -l.side;
  }

  int add_part(BodyPartKind kind, int side = 0) {
    for (size_t k = 0; k < plan_.parts.size(); ++k)
      if (plan_.parts[k].kind == kind && plan_.parts[k].side == side && kind != BodyPartKind::tail &&
          kind != BodyPartKind::strand)
        return static_cast<int>(k);
    plan_.parts.push_back({kind, side});
    axes_.push_back({});
    return static_cast<int>(plan_.parts.size()) - 1;
  }
  void give(const std::vector<int>& bones, int part) {
    for (const int b : bones)
      if (part_of_[b] < 0) part_of_[b] = part;
  }
  // Ahead of what hangs is the front, ahead of what lies is below.
  Vec3 below_ahead() const { return plan_.front - plan_.up; }
  PartAxis simple_axis(Points line, const Vec3& ahead, const Vec3& other) const {
    const double length = length_of(line);
    return {std::move(line), {0, std::max(length, 1e-9)}, {0, 1}, ahead, other};
  }

  void name_parts() {
    for (const Limb& l : limbs_) {
      const int part = add_part(l.kind, l.side);
      give(l.family, part);
      const Vec3 d = (l.line.back() - l.line.front()).normalized();
      // A limb that is held out to the front looks up with what hangs in front of it otherwise.
      const Vec3 ahead = std::abs(d.dot(plan_.front)) < 0.9 ? plan_.front : Vec3(plan_.front.dot(d) * plan_.up);
      const double middle = std::max(l.elbow - l.shoulder, 1e-9), end = std::max(l.wrist - l.elbow, 1e-9);
      if (axes_[part].line.empty())
        axes_[part] = {l.line,
                       {l.shoulder, l.shoulder + middle, l.shoulder + middle + end},
                       {0, 0.5, 1},
                       ahead,
                       l.side * ahead.cross(d)};
    }
    name_trailing();
    if (head_ >= 0) {
      const int part = add_part(BodyPartKind::head);
      const std::vector<int> family = s_.family(head_);
      give(family, part);
      double low = std::numeric_limits<double>::infinity(), high = -low;
      for (const int b : family)
        for (const int v : s_.bones[b].led)
          if (part_of_[b] == part) {
            low = std::min(low, plan_.up.dot(skin_.vertices[v])),
            high = std::max(high, plan_.up.dot(skin_.vertices[v]));
          }
      const Vec3 middle = middle_of(family), foot = middle + (low - plan_.up.dot(middle)) * plan_.up;
      if (high > low) axes_[part] = simple_axis({foot, foot + (high - low) * plan_.up}, plan_.front, plan_.left);
      name_neck();
    }
    const int trunk = add_part(BodyPartKind::trunk);
    axes_[trunk] = simple_axis(trunk_line(), below_ahead(), plan_.left);
    give(trunk_, trunk);
    name_tails();
    std::vector<int> rest(s_.bones.size());
    std::iota(rest.begin(), rest.end(), 0);
    // What is left goes with what it hangs on.
    for (size_t pass = 0; pass < s_.bones.size(); ++pass)
      for (const int b : rest)
        if (part_of_[b] < 0 && s_.bones[b].parent >= 0) part_of_[b] = part_of_[s_.bones[b].parent];
    give(rest, trunk);
  }

  void name_neck() {
    std::vector<int> neck = way(last_, s_.bones[head_].parent);
    std::erase_if(neck, [&](int b) { return is_among(trunk_, b) || part_of_[b] >= 0; });
    if (neck.empty()) return;
    const int part = add_part(BodyPartKind::neck);
    give(neck, part);
    Points line;
    for (const int b : neck) line.push_back(head_of(b));
    line.push_back(head_of(head_));
    axes_[part] = simple_axis(std::move(line), below_ahead(), plan_.left);
  }

  void name_trailing() {
    for (int b = 0; b < n_bones(); ++b) {
      const int root = s_.bones[b].parent;
      if (trails_[b] < 0 || part_of_[b] >= 0 || (root >= 0 && trails_[root] == trails_[b])) continue;
      std::vector<int> bones;
      for (const int k : s_.family(b))
        if (trails_[k] == trails_[b]) bones.push_back(k);
      const bool pair = s_.bones[b].twin >= 0, on_head = head_ >= 0 && root >= 0 && s_.above(head_, root);
      const int side = !pair                                                                           ? 0
                       : plan_.left.dot(middle_of(bones) - middle_of(s_.family(s_.bones[b].twin))) > 0 ? 1
                                                                                                       : -1;
      const BodyPartKind kind = on_head && pair     ? BodyPartKind::ear
                                : !on_head && !pair ? BodyPartKind::tail
                                                    : BodyPartKind::strand;
      add_chain(kind, side, b, bones);
    }
  }

  // A thick tail: a chain of the middle that leaves the trunk near its beginning, and is not the head.
  void name_tails() {
    for (int b = 0; b < n_bones(); ++b) {
      const int root = s_.bones[b].parent;
      if (!is_middle_[b] || part_of_[b] >= 0 || root < 0 || !is_among(trunk_, root)) continue;
      const std::vector<int> family = s_.family(b);
      if (holds_a_limb(family) || (head_ >= 0 && is_among(family, head_))) continue;
      const Points line = line_of(way_down(b));
      const Points trunk = trunk_line();
      const Vec3 along = (trunk.back() - trunk.front()).normalized(), away = line.back() - line.front();
      if (length_of(line) < kLongTail * size_ || away.dot(plan_.upright ? plan_.front : along) > 0) continue;
      if (along.dot(line.front() - trunk.front()) > 0.5 * length_of(trunk)) continue;
      add_chain(BodyPartKind::tail, 0, b, family);
    }
  }

  void add_chain(BodyPartKind kind, int side, int root, const std::vector<int>& bones) {
    const int part = add_part(kind, side);
    give(bones, part);
    Points line = line_of(way_down(root));
    const Vec3 d = (line.back() - line.front()).normalized();
    if (axes_[part].line.empty())
      axes_[part] = simple_axis(std::move(line), side == 0 ? below_ahead() : plan_.front,
                                side == 0 ? plan_.left : Vec3(side * plan_.front.cross(d)));
  }

  void place_skin() {
    plan_.at.assign(skin_.vertices.size(), {});
    const int trunk = plan_.part(BodyPartKind::trunk);
    for (size_t i = 0; i < plan_.at.size(); ++i)
      plan_.at[i].part = s_.leader[i] >= 0 ? part_of_[s_.leader[i]] : s_.bones.empty() ? trunk : -1;
    for (size_t k = 0; k < plan_.parts.size(); ++k)
      if (axes_[k].line.size() >= 2) place_on_axis(axes_[k], skin_.vertices, static_cast<int>(k), plan_.at);
  }

  void name_twins() {
    for (int b = 0; b < n_bones(); ++b) {
      const int twin = s_.bones[b].twin;
      if (twin < 0 || plan_.left.dot(middle_of({b}) - middle_of({twin})) <= 0) continue;
      plan_.twins.push_back({s_.bones[b].bone, s_.bones[twin].bone});
    }
  }

  int n_bones() const { return static_cast<int>(s_.bones.size()); }

  const BodyPlanInput& in_;
  const TriMesh& skin_;
  BodyPlan plan_;
  Mirror mirror_;
  Skeleton s_;
  BoneKinds kinds_;
  std::vector<int> trails_;      // per bone: number of the trailing part, -1
  std::vector<char> is_middle_;  // per bone
  std::vector<int> part_of_;     // per bone: of plan_.parts
  std::vector<PartAxis> axes_;   // per part
  std::vector<Limb> limbs_;
  std::vector<int> trunk_;     // bones from first_ to last_
  std::vector<double> areas_;  // per skin vertex
  int head_ = -1, first_ = -1, last_ = -1;
  double bottom_ = 0, size_ = 1;
  Vec3 middle_ = Vec3::Zero();
};

}  // namespace

std::string BodyPart::name() const {
  const std::string kind_name = kKindNames[static_cast<int>(kind)];
  return side == 0 ? kind_name : kind_name + (side > 0 ? ".L" : ".R");
}

int BodyPlan::part(BodyPartKind kind, int side) const {
  for (size_t k = 0; k < parts.size(); ++k)
    if (parts[k].kind == kind && parts[k].side == side) return static_cast<int>(k);
  return -1;
}

BodyPlan find_body_plan(const BodyPlanInput& input) { return Planner(input).take(); }

}  // namespace supple
