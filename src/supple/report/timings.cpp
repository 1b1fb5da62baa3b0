#include "supple/report/timings.h"

namespace supple {

Json timings_json(const Laps& spent, double before_resume_s) {
  const double now = spent.seconds();
  Json t;
  for (const auto& [name, seconds] : spent.parts()) t[name] = seconds;
  if (before_resume_s > 0) t["before_resume"] = before_resume_s;
  t["other"] = now - spent.named();
  t["total"] = t["wall"] = now + before_resume_s;
  return t;
}

}  // namespace supple
