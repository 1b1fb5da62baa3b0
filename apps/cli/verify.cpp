// verify: a take made again from its report, and whether the same came out.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "commands.h"
#include "supple/base/hash.h"
#include "supple/pipeline/setup/stage_cache.h"
#include "supple/pipeline/verify.h"

namespace supple {

using namespace pipeline;

namespace {

std::string table_of(const VerifyResult& r) {
  size_t width = 0;
  for (const VerifiedFile& f : r.files) width = std::max(width, f.file.size());
  std::string text;
  for (const VerifiedFile& f : r.files) {
    text += fmt::format("  {:<{}}  {}", f.file, width, word_of(f.verdict));
    if (std::isfinite(f.distance)) text += fmt::format(", {:.2g} % of its size apart", 100 * f.distance);
    text += '\n';
  }
  return text;
}

std::string verdict_of(const VerifyResult& r, double tolerance) {
  if (!r.changed.empty())
    return fmt::format("not made again: what the take was made of has changed: {}\n", fmt::join(r.changed, ", "));
  if (!r.message.empty()) return "it could not be made again: " + r.message + "\n";
  if (r.same_kind) return r.same ? "the same, to the bit\n" : "not the same, on the same kind of machine\n";
  const std::string why =
      fmt::format("made by supple {}, {} with {} on {}; this is {}, {} with {} on {}", r.program, r.then.compiler,
                  r.then.kernels, r.then.cpu, version(), r.now.compiler, r.now.kernels, r.now.cpu);
  return fmt::format("{} within {:g} % of its size ({})\n", r.same ? "the same" : "not the same", 100 * tolerance, why);
}

}  // namespace

int run_verify(const VerifyRequest& request, const Console& console) {
  stage_cache().open("");  // all is made anew: nothing that the take left behind is to speak for it
  const VerifyResult r = verify_take(request, console.watch());
  const std::string text = table_of(r) + verdict_of(r, request.tolerance);
  console.result(r.json(), text);
  return r.same ? 0 : 1;
}

}  // namespace supple
