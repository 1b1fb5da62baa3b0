// The tets of a file, with a surface that they carry.
#pragma once
#include "supple/pipeline/setup/subject.h"

namespace supple::pipeline {

class TetSubject : public Subject {
 public:
  explicit TetSubject(const SceneConfig& config) : fps_(config.timeline.fps.value_or(24)) {}
  double fps() const override { return fps_; }
  Body body(const SceneConfig& config, Notes& notes) const override;
  Body held_body(const SceneConfig& config, Notes& notes) const override { return body(config, notes); }
  ShotMotion motion(const ShotInput& in, Notes& notes) const override;
  DrawnSurface surface(const SceneConfig& config, const TetMesh& tets, Notes& notes) const override;
  std::unique_ptr<Drawing> drawing(const SceneConfig& config, const ModelSpec& base, const Model& model,
                                   const DrawnSurface& surface, int first_frame) const override;

 private:
  double fps_;
};

}  // namespace supple::pipeline
