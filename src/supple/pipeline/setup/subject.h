// What is simulated and drawn: the tets of a file, a character, an animation that is enriched. Const, and shared by
// jobs, takes and trials. Nobody outside asks which of them it is: what differs is a function here.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "supple/attach/named_regions.h"
#include "supple/pipeline/setup/adjusted_body.h"
#include "supple/pipeline/setup/appearance.h"
#include "supple/pipeline/setup/body.h"
#include "supple/pipeline/setup/drawing.h"
#include "supple/pipeline/setup/motion_check.h"
#include "supple/pipeline/setup/start_plan.h"
#include "supple/render/image.h"
#include "supple/report/html.h"
#include "supple/sim/stepper.h"

namespace supple::pipeline {

class CharacterSubject;
struct Surroundings;

// What a motion is made with.
struct ShotInput {
  const SceneConfig& config;
  const Body& body;
  const AdjustedBody& adjusted;
  const Surroundings* around = nullptr;  // null: there is nothing to touch
};

struct ShotMotion {
  Drive drive;
  StartPlan start;
  int frames = 1;    // that the motion has
  VecX first_guess;  // of p at the first frame, as seen from what is driven; empty: the sagged body
  std::shared_ptr<const Track> followed;  // where the animation has all tet vertices; null: it does not say
};

// The surface whose departures are finished: of a character its skin, else what is drawn.
struct DepartingSurface {
  TriMesh mesh;                    // at rest
  std::vector<char> hard;          // per vertex: never departs
  std::vector<int> tet;            // per vertex: that holds it
  std::vector<NamedRegion> named;  // regions that say where they are on it
  std::vector<double> painted;     // output.mix_map; empty: 1
  std::vector<double> softness;    // 0 to 1; empty: 0 where hard, 1 elsewhere
  std::vector<int> of_drawn;       // per drawn vertex: one of these, or -1; empty: they are those that are drawn
};

// How soft what is drawn is, and of which region, one entry a drawn vertex.
struct DrawnFlesh {
  std::vector<double> softness;  // 0: goes with the animation, 1: free; NaN: no flesh
  std::vector<int> region;       // of names; -1: none
  std::vector<std::string> names;
};

// A surface that tets carry into contact.
struct TouchingSurface {
  TriMesh mesh;
  Embedding embedding;
};

// What a report says of it.
struct SubjectReport {
  std::string key;  // of `json` in report.json; "": none
  Json json;
  std::optional<Json> departure;  // of what is drawn from the animation, which `json` has as well
  std::vector<PageTable> tables;
  std::vector<Plot> plots;
};
// frames, input: what is drawn and what the animation had, in units of the file, one sample a frame; empty unless done.
struct SubjectReportInput {
  int first_frame = 0;
  const PointCache &frames, &input;
};

// The run that is checked: positions of the tet vertices and of their equilibrium; and as above.
struct MotionCheckInput {
  const SceneConfig& config;
  const ModelSpec& base;
  const PointCache &tets, &statics, &frames, &input;
  double evened_share = 0;  // of the departure of the skin, taken from it to keep it even
};

class Subject {
 public:
  virtual ~Subject() = default;
  virtual const Appearance& appearance() const;

  // --- simulated
  virtual double fps() const = 0;
  // Ready to be adjusted.
  virtual Body body(const SceneConfig& config, Notes& notes) const = 0;
  // As far as a finished run needs it: tets and what is driven.
  virtual Body held_body(const SceneConfig& config, Notes& notes) const = 0;
  virtual ShotMotion motion(const ShotInput& input, Notes& notes) const = 0;
  // Steps a frame that the motion asks for.
  virtual int least_substeps(const SceneConfig&) const { return 1; }
  // Stages of it that were not made again.
  virtual std::vector<std::string> reused() const { return {}; }

  // --- drawn
  virtual DrawnSurface surface(const SceneConfig& config, const TetMesh& tets, Notes& notes) const = 0;
  // All must outlive what is returned.
  virtual std::unique_ptr<Drawing> drawing(const SceneConfig& config, const ModelSpec& base, const Model& model,
                                           const DrawnSurface& surface, int first_frame) const = 0;
  virtual DepartingSurface departing(const SceneConfig& config, const ModelSpec& base,
                                     const DrawnSurface& surface) const;
  DrawnFlesh drawn_flesh(const SceneConfig& config, const ModelSpec& base, const DrawnSurface& surface) const;
  // Whether departures count from how authored flesh would hang, or from the equilibrium of the run.
  virtual bool departs_from_authored(const SceneConfig&) const { return false; }

  // --- touched
  // Nothing: the boundary of the tets.
  virtual std::optional<TouchingSurface> touching(const SceneConfig& config, const DrawnSurface& surface) const;
  // Where the points of that surface (surface_points) are drawn; null: where the tets carry them.
  virtual std::shared_ptr<const Track> drawn_motion(const SceneConfig&, const StartPlan&) const { return nullptr; }
  virtual std::string name_of_vertex(int) const { return ""; }  // "": it has none of its own

  // --- told
  virtual SubjectReport report(const SubjectReportInput&) const { return {}; }
  virtual std::optional<Image> softness_picture() const { return std::nullopt; }
  // Whether the motion is sane; nothing: there is no flesh to judge it by.
  virtual std::optional<MotionCheck> check(const MotionCheckInput&) const { return std::nullopt; }
  // Files of its own in the folder of a run, by name.
  virtual std::vector<std::string> write_files(const std::string&) const { return {}; }

  // For soft clips, which only the file of a character has; null: this is none.
  virtual const CharacterSubject* character() const { return nullptr; }
};

// A track of body.attached, to driven vertices, springs and ties.
void split_drive(const Body& body, const std::shared_ptr<const Track>& motion, Drive& drive);

}  // namespace supple::pipeline
