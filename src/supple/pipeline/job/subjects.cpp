#include "supple/pipeline/job/subjects.h"

#include <fmt/format.h>

#include <array>

#include "supple/pipeline/character/character_subject.h"
#include "supple/pipeline/enriched/enriched_subject.h"
#include "supple/pipeline/enriched/fit_files.h"
#include "supple/pipeline/setup/tet_subject.h"

namespace supple::pipeline {

namespace {

using SubjectPointer = std::shared_ptr<const Subject>;

struct SubjectKind {
  bool (*fits)(const SceneConfig&);
  SubjectPointer (*make)(const SceneConfig&, bool with_motion, const Watch&);
  SubjectPointer (*reopen)(const SceneConfig&, const std::string& directory);
};

SubjectPointer make_enriched(const SceneConfig& c, bool with_motion, const Watch& watch) {
  const std::shared_ptr<const EnrichSetup> setup = set_up_enrich(c, with_motion, watch);
  if (with_motion) {
    const FitSummary fit = summary_of(setup->fit);
    watch.note(fmt::format("the tets follow the animation to {:.3g} % of its size (rms; worst frame {:.3g} %)",
                           100 * fit.rms / setup->size(), 100 * fit.largest_rms / setup->size()));
  }
  return std::make_shared<EnrichedSubject>(setup);
}
SubjectPointer reopen_enriched(const SceneConfig& c, const std::string& directory) {
  const std::shared_ptr<EnrichSetup> setup = set_up_enrich(c, false);
  read_fit(directory, *setup);
  return std::make_shared<EnrichedSubject>(setup);
}
SubjectPointer make_character(const SceneConfig& c, bool, const Watch&) {
  return std::make_shared<CharacterSubject>(c);
}
SubjectPointer make_tets(const SceneConfig& c, bool, const Watch&) { return std::make_shared<TetSubject>(c); }
template <SubjectPointer (*make)(const SceneConfig&, bool, const Watch&)>
SubjectPointer again(const SceneConfig& c, const std::string&) {
  return make(c, true, {});
}

// The first that fits is it.
constexpr std::array<SubjectKind, 3> kKinds = {{
    {[](const SceneConfig& c) { return c.enrich.present; }, make_enriched, reopen_enriched},
    {[](const SceneConfig& c) { return c.has_character(); }, make_character, again<make_character>},
    {[](const SceneConfig&) { return true; }, make_tets, again<make_tets>},
}};

const SubjectKind& kind_of(const SceneConfig& config) {
  for (const SubjectKind& kind : kKinds)
    if (kind.fits(config)) return kind;
  return kKinds.back();
}

}  // namespace

SubjectPointer make_subject(const SceneConfig& config, bool with_motion, const Watch& watch) {
  return kind_of(config).make(config, with_motion, watch);
}

SubjectPointer subject_of_run(const SceneConfig& config, const std::string& directory) {
  return kind_of(config).reopen(config, directory);
}

}  // namespace supple::pipeline
