#include "supple/rigs/pipe_rig.h"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>

#include "supple/base/error.h"
#include "supple/base/expect.h"
#include "supple/rigs/rig_lines.h"
#include "supple/rigs/rig_talk.h"

namespace supple {
struct PipeRig::Work {
  PipeRigSpec spec;
  std::vector<std::unique_ptr<RigTalk>> talks;
  RigDescription description;
  std::mutex mutex;
  std::condition_variable given_back;
  std::vector<RigTalk*> unused;
  std::exception_ptr broken;  // of a process that is lost: nothing is asked any more
  int selections = 0;

  explicit Work(PipeRigSpec s) : spec(std::move(s)) {
    if (spec.command.empty()) throw InputError({"", 0, 0, "rig"}, "there is no command to start");
    const int n = std::max(spec.processes, 1);
    for (int i = 0; i < n; ++i) talks.push_back(std::make_unique<RigTalk>(spec));
    for (auto& talk : talks) talk->greet();
    for (int i = 0; i < n; ++i) {
      RigDescription d = talks[static_cast<size_t>(i)]->hear_description();
      if (i == 0)
        description = std::move(d);
      else if (d.n_points != description.n_points || names_of(d) != names_of(description))
        talks[0]->fail("describes itself otherwise when it is started again");
      unused.push_back(talks[static_cast<size_t>(i)].get());
    }
  }
  ~Work() {
    for (auto& talk : talks) talk->say_bye();
    for (auto& talk : talks) talk->finish();
  }
  static std::vector<std::string> names_of(const RigDescription& d) {
    std::vector<std::string> names;
    for (const RigParameter& p : d.parameters) names.push_back(p.name);
    return names;
  }

  // f(talk) with a process that nobody else speaks with.
  template <class F>
  std::vector<double> with_one(const F& f) {
    RigTalk* talk = nullptr;
    {
      std::unique_lock lock(mutex);
      given_back.wait(lock, [&] { return broken || !unused.empty(); });
      if (broken) std::rethrow_exception(broken);
      talk = unused.back();
      unused.pop_back();
    }
    try {
      std::vector<double> values = f(*talk);
      give_back(talk, nullptr);
      return values;
    } catch (...) {
      give_back(talk, std::current_exception());
      throw;
    }
  }
  void give_back(RigTalk* talk, const std::exception_ptr& fault) {
    {
      const std::lock_guard lock(mutex);
      unused.push_back(talk);
      if (fault && talk->lost() && !broken) broken = fault;
    }
    given_back.notify_all();
  }

  VecX evaluate(const VecX& p, double t, int selection, const std::vector<int>& points) {
    expect(p.size() == static_cast<Eigen::Index>(description.parameters.size()),
           "one value for each parameter of the rig");
    std::string request = "evaluate";
    append_number(request, t);
    append_numbers(request, p);
    const size_t n = selection == 0 ? static_cast<size_t>(description.n_points) : points.size();
    const std::vector<double> x = with_one([&](RigTalk& talk) {
      talk.select(selection, points);
      return talk.numbers(request, 3 * n);
    });
    return Eigen::Map<const VecX>(x.data(), static_cast<Eigen::Index>(x.size()));
  }

  VecX keyed(double t) {
    const size_t n = description.parameters.size();
    VecX values(static_cast<Eigen::Index>(n));
    for (size_t i = 0; i < n; ++i) values[static_cast<Eigen::Index>(i)] = description.parameters[i].rest;
    if (!description.offers_keyed) return values;
    std::string request = "keyed";
    append_number(request, t);
    const std::vector<double> x = with_one([&](RigTalk& talk) { return talk.numbers(request, n); });
    return Eigen::Map<const VecX>(x.data(), static_cast<Eigen::Index>(n));
  }

  class Some;
};

// Some points, by the same processes.
class PipeRig::Work::Some final : public RigMap {
 public:
  Some(std::shared_ptr<Work> work, int selection, std::vector<int> points)
      : work_(std::move(work)), selection_(selection), points_(std::move(points)) {}
  const std::vector<RigParameter>& parameters() const override { return work_->description.parameters; }
  int n_points() const override { return static_cast<int>(points_.size()); }
  VecX evaluate(const VecX& p, double t) const override { return work_->evaluate(p, t, selection_, points_); }
  VecX keyed(double t) const override { return work_->keyed(t); }
  int at_once() const override { return static_cast<int>(work_->talks.size()); }
  std::shared_ptr<const RigMap> for_points(const std::vector<int>& points) const override {
    std::vector<int> chosen;
    for (int i : points) chosen.push_back(points_[static_cast<size_t>(i)]);
    return make(work_, chosen);
  }
  static std::shared_ptr<const RigMap> make(const std::shared_ptr<Work>& work, const std::vector<int>& points) {
    if (!work->description.offers_points) return nullptr;
    const std::lock_guard lock(work->mutex);
    return std::make_shared<Some>(work, ++work->selections, points);
  }

 private:
  std::shared_ptr<Work> work_;
  int selection_;
  std::vector<int> points_;
};

PipeRig::PipeRig(PipeRigSpec spec) : work_(std::make_shared<Work>(std::move(spec))) {}
PipeRig::~PipeRig() = default;
const std::vector<RigParameter>& PipeRig::parameters() const { return work_->description.parameters; }
int PipeRig::n_points() const { return work_->description.n_points; }
VecX PipeRig::evaluate(const VecX& p, double t) const { return work_->evaluate(p, t, 0, {}); }
VecX PipeRig::keyed(double t) const { return work_->keyed(t); }
int PipeRig::at_once() const { return static_cast<int>(work_->talks.size()); }
const std::vector<Tri>& PipeRig::triangles() const { return work_->description.triangles; }
std::shared_ptr<const RigMap> PipeRig::for_points(const std::vector<int>& points) const {
  return Work::Some::make(work_, points);
}

}  // namespace supple
