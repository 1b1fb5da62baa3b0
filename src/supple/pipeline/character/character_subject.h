// A character: flesh in a cage of tets, driven by its bones over a clip.
#pragma once
#include <memory>
#include <optional>

#include "supple/attach/riding.h"
#include "supple/mesh/rigid_fit.h"
#include "supple/pipeline/character/appearance.h"
#include "supple/pipeline/character/even_drawing.h"
#include "supple/pipeline/setup/subject.h"

namespace supple::pipeline {

struct ClipCuts;
struct FleshPlan;

class CharacterSubject : public Subject {
 public:
  // setup: made before, for this and other clips of the same scene; null: it is made.
  explicit CharacterSubject(const SceneConfig& config, std::shared_ptr<const CharacterSetup> setup = nullptr);

  const CharacterSetup& setup() const { return *setup_; }
  const ClipFrames& clip() const { return clip_; }
  const Pose& pose(int clip_frame) const;  // past its end: the last
  // What takes the motion to a frame that is drawn beside it (clip_motion.h); null: it is no such frame.
  const RigidMotion* aside(int clip_frame) const;
  // What its flesh is to be like where the scene does not say: the same for every clip of the file.
  FleshPlan plan(const SceneConfig& config) const;

  const Appearance& appearance() const override { return appearance_; }
  double fps() const override { return clip_.fps; }
  Body body(const SceneConfig& config, Notes& notes) const override;
  Body held_body(const SceneConfig& config, Notes& notes) const override;
  ShotMotion motion(const ShotInput& in, Notes& notes) const override;
  std::vector<std::string> reused() const override { return setup_->reused; }
  DrawnSurface surface(const SceneConfig& config, const TetMesh& tets, Notes& notes) const override;
  std::unique_ptr<Drawing> drawing(const SceneConfig& config, const ModelSpec& base, const Model& model,
                                   const DrawnSurface& surface, int first_frame) const override;
  DepartingSurface departing(const SceneConfig& config, const ModelSpec& base,
                             const DrawnSurface& surface) const override;
  bool departs_from_authored(const SceneConfig& config) const override {
    return config.output.shape == "keep" && !holds_drawn_shape(config);
  }
  std::optional<TouchingSurface> touching(const SceneConfig& config, const DrawnSurface& surface) const override;
  std::shared_ptr<const Track> drawn_motion(const SceneConfig& config, const StartPlan& start) const override;
  std::string name_of_vertex(int v) const override;
  SubjectReport report(const SubjectReportInput& in) const override;
  std::optional<Image> softness_picture() const override;
  std::optional<MotionCheck> check(const MotionCheckInput& run) const override;
  const CharacterSubject* character() const override { return this; }

  // Whether the pose that is drawn is the equilibrium of the flesh, by construction.
  bool holds_drawn_shape(const SceneConfig& config) const;

 private:
  bool goes_by_track(const SceneConfig& config) const;
  SceneConfig held(SceneConfig config) const;
  ShotMotion drawn_shape_motion(const ShotInput& in, Notes& notes) const;
  std::shared_ptr<const CharacterSetup> setup_;
  CharacterAppearance appearance_;
  ClipFrames clip_;   // one a frame of the run's rate
  ClipFrames keyed_;  // at the rate of its own keys
  std::shared_ptr<const ClipCuts> cuts_;
};

// How it is drawn: every frame as its clip poses it, the flesh's departure on top.
class CharacterDrawing : public Drawing {
 public:
  CharacterDrawing(const CharacterSubject& subject, const SceneConfig& config, const ModelSpec& base,
                   const Model& model, int first_frame);
  bool animated() const override { return true; }
  Points base(int frame, const VecX& p) const override;
  DrawnFrame draw(int frame, const VecX& x, const VecX& p) const override;
  VecX departure(int frame, const VecX& x, const VecX& p) const override;
  void set_limits(const std::vector<double>& of_skin) override;
  DrawnFrame carried(int frame, const VecX& departure, const VecX& p) const override;
  std::vector<Mat3> local_frames(int frame, const VecX& p) const override;
  Points displaced(const VecX& u) const override;

  const Pose& pose(int frame) const { return subject_.pose(first_frame_ + frame); }
  const Riding& riding() const { return riding_; }

 private:
  DrawnFrame drawn_at(int frame, const VecX& x, const VecX& p) const;
  VecX departure_at(int frame, const VecX& x, const VecX& p) const;
  const RigidMotion* aside(int frame) const;
  std::vector<Mat3> carried_frames(const Pose& pose) const;
  VecX turned(const Pose& pose, const VecX& x, const VecX& p) const;
  void hold_back(VecX& d) const;
  Departure on_drawn(const Points& input, const VecX& skin) const;
  void limit_riders(const Points& input, Departure& d) const;

  const CharacterSubject& subject_;
  const CharacterSetup& c_;
  const SceneConfig& config_;
  const ModelSpec& base_;
  const Model& model_;
  int first_frame_;
  VertexFrames frames_;
  Riding riding_;
  VecX rest_;
  std::vector<Mat3> bound_;  // rotations of the tet vertices from the rest shape to the bound one
  SkinnedPoints skin_;
  std::vector<double> knee_;          // per vertex of the skin: a longer departure is held back [m]
  std::optional<EvenDrawing> even_;   // none: as it comes
  std::vector<double> rider_limits_;  // per drawn vertex that rides [m]; empty: none
};

}  // namespace supple::pipeline
