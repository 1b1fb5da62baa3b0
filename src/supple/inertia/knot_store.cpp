#include "supple/inertia/knot_store.h"

#include <algorithm>
#include <cmath>

#include "supple/base/digest.h"
#include "supple/base/pack.h"

namespace supple {

namespace {

constexpr double kBits = 28;

size_t bytes_of(const VecX& x) { return static_cast<size_t>(x.size()) * sizeof(double); }

size_t bytes_of(const SolvedKnot& k, const SolvedKnot* before) {
  size_t n = bytes_of(k.p) + sizeof(SolvedKnot);
  if (k.factor && (!before || before->factor != k.factor)) n += bytes_of(k.factor->u);
  return n;
}

double rounded(double x) {
  int exponent = 0;
  const double part = std::frexp(x, &exponent);
  return std::ldexp(std::round(std::ldexp(part, kBits)), exponent - static_cast<int>(kBits));
}

}  // namespace

void KnotStore::shorten(size_t count) {
  if (count >= knots_.size()) return;
  knots_.resize(count);
  bytes_ = 0;
  for (size_t i = 0; i < count; ++i) bytes_ += bytes_of(knots_[i], i > 0 ? &knots_[i - 1] : nullptr);
  full_ = false;
  changed_ = true;
  ++ticket_;
}

long KnotStore::open(long first, double spacing) {
  if (first != first_ || spacing != spacing_) {
    shorten(0);
    first_ = first, spacing_ = spacing;
    ++ticket_;
  }
  return ticket_;
}

const SolvedKnot* KnotStore::find(long ticket, long k, uint64_t of) {
  if (ticket != ticket_ || k < first_ || k - first_ >= static_cast<long>(knots_.size())) return nullptr;
  const SolvedKnot& knot = knots_[static_cast<size_t>(k - first_)];
  if (knot.of == of) return &knot;
  shorten(static_cast<size_t>(k - first_));
  ticket_ = ticket;  // the track that found out goes on from here
  return nullptr;
}

void KnotStore::add(long ticket, long k, SolvedKnot knot) {
  if (ticket != ticket_ || full_ || k - first_ != static_cast<long>(knots_.size())) return;
  const size_t n = bytes_of(knot, knots_.empty() ? nullptr : &knots_.back());
  full_ = bytes_ + n > most_bytes_;
  if (full_) return;
  bytes_ += n;
  changed_ = true;
  knots_.push_back(std::move(knot));
}

std::string KnotStore::packed() const {
  Packer pack;
  pack(first_), pack(spacing_);
  pack(static_cast<uint64_t>(enough.size()));
  for (const auto& [parts, good] : enough) pack(parts), pack(good);
  pack(static_cast<uint64_t>(knots_.size()));
  std::shared_ptr<const FactorMark> last;
  for (const SolvedKnot& k : knots_) {
    pack(k.p), pack(k.of), pack(k.solved), pack(k.converged), pack(k.newton_iterations);
    const bool other = k.factor != last;
    pack(other);
    if (!other) continue;
    last = k.factor;
    pack(last ? last->u : VecX()), pack(last ? last->stiffness : 1.0), pack(last ? last->gravity : 1.0);
  }
  return pack.take();
}

bool KnotStore::unpack(std::string_view data, int n_vertices) {
  Unpacker unpack(data);
  KnotStore made(most_bytes_);
  unpack(made.first_), unpack(made.spacing_);
  uint64_t count = 0;
  unpack(count);
  for (; count > 0 && unpack.good(); --count) {
    int parts = 0;
    bool good = false;
    unpack(parts), unpack(good);
    made.enough[parts] = good;
  }
  unpack(count);
  std::shared_ptr<const FactorMark> last;
  for (; count > 0 && unpack.good(); --count) {
    SolvedKnot k;
    unpack(k.p), unpack(k.of), unpack(k.solved), unpack(k.converged), unpack(k.newton_iterations);
    bool other = false;
    unpack(other);
    if (other) {
      FactorMark mark;
      unpack(mark.u), unpack(mark.stiffness), unpack(mark.gravity);
      if (mark.u.size() != 0 && mark.u.size() != 3 * n_vertices) return false;
      last = mark.u.size() > 0 ? std::make_shared<const FactorMark>(std::move(mark)) : nullptr;
    }
    k.factor = last;
    if (k.p.size() != 3 * n_vertices) return false;
    made.add(0, made.first_ + static_cast<long>(made.size()), std::move(k));
  }
  if (!unpack.whole()) return false;
  made.ticket_ = ticket_ + 1;
  made.changed_ = false;
  *this = std::move(made);
  return true;
}

std::shared_ptr<KnotStore> KnotLibrary::of(const std::string& key, int n_vertices) {
  size_t total = 0;
  for (const auto& [name, entry] : stores_) total += entry.store->bytes();
  const auto older = [](const auto& a, const auto& b) { return a.second.used < b.second.used; };
  while (total > most_bytes_) {
    const auto oldest = std::min_element(stores_.begin(), stores_.end(), older);
    total -= oldest->second.store->bytes();
    stores_.erase(oldest);
  }
  Entry& entry = stores_[key];
  entry.used = ++clock_;
  if (!entry.store) {
    entry.store = std::make_shared<KnotStore>(most_bytes_);
    if (fetch) entry.store->unpack(fetch(key), n_vertices);
  }
  return entry.store;
}

ModelSpec static_spec(const ModelSpec& spec) {
  ModelSpec s = without_bystanders(spec);
  double largest = 0;
  for (const MaterialParameters& p : s.per_tet) largest = std::max(largest, p.youngs_modulus);
  if (!(largest > 0) || !std::isfinite(largest)) return s;
  for (MaterialParameters& p : s.per_tet) {
    p.youngs_modulus = rounded(p.youngs_modulus / largest);
    p.stiffness_damping = 0;
  }
  s.mass_damping = 0;
  s.spring_stiffness = rounded(s.spring_stiffness / largest);
  for (double& k : s.spring_strengths) k = rounded(k / largest);
  const double g = s.gravity.norm();
  if (g == 0) return s;
  for (int c = 0; c < 3; ++c) s.gravity[c] = rounded(s.gravity[c] / g);
  if (s.gravity_scale.size() == 0) s.gravity_scale = VecX::Ones(s.mesh.n_vertices());
  for (double& x : s.gravity_scale) x = rounded(x * g / largest);
  return s;
}

std::string static_digest(const ModelSpec& s) {
  Digest d;
  d.add(s.mesh.vertices).add(s.mesh.tets).add(s.material);
  for (const MaterialParameters& p : s.per_tet)
    d.add(p.youngs_modulus).add(p.poisson_ratio).add(p.density).add(p.volume_penalty).add(p.tet_share);
  d.add(s.mass).add(s.anti_locking).add(s.gravity).add(s.gravity_scale).add(s.driven);
  for (const auto* list : {&s.ties, &s.springs}) {
    d.add(list->size());
    for (const PointTie& t : *list) d.add(t.vertices).add(t.weights);
  }
  return d.add(s.spring_stiffness).add(s.spring_strengths).add(s.point_masses).text();
}

}  // namespace supple
