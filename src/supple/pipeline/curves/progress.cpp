#include "supple/pipeline/curves/progress.h"

#include <algorithm>
#include <utility>

namespace supple::pipeline::curves {

namespace {

using Fields = CheckpointFields;

void list_totals(const Fields& f, LayerTotals& t) {
  f("steps", t.steps), f("iterations", t.iterations), f("factorizations", t.factorizations);
  f("retries", t.retries), f("inverted_max", t.inverted_max), f("contacts_max", t.contacts_max);
  f("refits", t.refits), f("unconverged", t.unconverged), f("step_s", t.step_s), f("frames", t.frames);
}

void list_fit(const Fields& f, MaterialFit& fit) {
  f("stiffness", fit.stiffness), f("asked", fit.asked), f("got", fit.got);
  f("without_effect", fit.without_effect), f("misfit", fit.misfit);
  f("iterations", fit.iterations), f("converged", fit.converged);
}

// Of a pass that is done only the parameters are asked for.
void list_hanging(const Fields& f, const char* name, bool done, std::shared_ptr<const RigEquilibria>& hanging) {
  std::optional<RigEquilibria> found;
  if (hanging) found = *hanging;
  f.maybe(name, found, [&](const Fields& under, RigEquilibria& e) {
    under("parameters", e.parameters);
    if (!done) under("inside", e.inside);
  });
  if (f.reading()) hanging = found ? std::make_shared<const RigEquilibria>(std::move(*found)) : nullptr;
}

// Of one pass alone, that under way.
void list_state(const Fields& f, PassMoment& at) {
  Checkpoint& c = f.checkpoint();
  if (f.reading()) {
    at.state = get_state(c);
    at.factor.values = std::make_shared<const VecX>(c.vectors["factor"]);
    return;
  }
  put(c, at.state);
  c.vectors["factor"] = at.factor.values ? *at.factor.values : VecX();
}

void list_pass(const Fields& f, Pass& p) {
  f("done", p.done), f("as_keyed", p.as_keyed), f("cycle", p.cycle), f("closing_error", p.closing_error);
  f("states", p.states);
  list_totals(f.under("totals"), p.at.totals);
  f("stiffness", p.at.stiffness);
  f("met", p.at.change.met), f("ramp_start", p.at.change.ramp.start), f("ramp_length", p.at.change.ramp.length);
  f("from", p.at.change.from), f("to", p.at.change.to);
  f.maybe("fit", p.at.fit, list_fit);
  list_hanging(f, "hanging", p.done, p.at.hanging);
  list_hanging(f, "next_hanging", p.done, p.at.next_hanging);
  if (!p.done && !p.states.empty()) list_state(f, p.at);
}

}  // namespace

CurvesProgress::CurvesProgress(CheckpointFile file, bool resume) : file_(std::move(file)) {
  if (!resume) return;
  Checkpoint c = file_.read();
  list(Fields(c, true));
}

void CurvesProgress::list(const Fields& fields) {
  size_t count = passes_.size();
  fields("passes", count);
  passes_.resize(count);
  for (size_t k = 0; k < count; ++k) list_pass(fields.under(std::to_string(k)), passes_[k]);
  double so_far = seconds();
  fields("total_s", so_far);
  if (fields.reading()) earlier_s_ = so_far;
}

Pass& CurvesProgress::next() {
  if (n_begun_ == passes_.size()) passes_.emplace_back();
  return passes_[n_begun_++];
}

void CurvesProgress::came_to(const Pass& pass) {
  const size_t frame = pass.states.size() - 1;
  if (pass.done || (frame > 0 && frame % kCheckpointEvery == 0)) write();
}

void CurvesProgress::write() {
  Checkpoint c;
  list(Fields(c, false));
  file_.write(std::move(c));
}

int CurvesProgress::frame() const {
  const auto last = std::find_if(passes_.rbegin(), passes_.rend(), [](const Pass& p) { return !p.states.empty(); });
  return last == passes_.rend() ? 0 : static_cast<int>(last->states.size()) - 1;
}

}  // namespace supple::pipeline::curves
