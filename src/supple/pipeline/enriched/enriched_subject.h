// An animation that is enriched: tets that follow where nothing is soft, and are pulled to the input where it is half
// so.
#pragma once
#include <memory>

#include "supple/pipeline/enriched/enriched.h"
#include "supple/pipeline/setup/subject.h"

namespace supple::pipeline {

class EnrichedAppearance : public Appearance {
 public:
  explicit EnrichedAppearance(double scale) : scale_(scale) {}
  double file_scale() const override { return scale_; }

 private:
  double scale_;
};

class EnrichedSubject : public Subject {
 public:
  explicit EnrichedSubject(std::shared_ptr<const EnrichSetup> setup)
      : setup_(std::move(setup)), appearance_(setup_->input.scale) {}
  const EnrichSetup& setup() const { return *setup_; }

  const Appearance& appearance() const override { return appearance_; }
  double fps() const override { return setup_->input.fps; }
  Body body(const SceneConfig& config, Notes& notes) const override;
  Body held_body(const SceneConfig& config, Notes& notes) const override;
  ShotMotion motion(const ShotInput& in, Notes& notes) const override;
  // None moves what follows by more than an edge of the tets against the rest.
  int least_substeps(const SceneConfig& config) const override;
  DrawnSurface surface(const SceneConfig& config, const TetMesh& tets, Notes& notes) const override;
  std::unique_ptr<Drawing> drawing(const SceneConfig& config, const ModelSpec& base, const Model& model,
                                   const DrawnSurface& surface, int first_frame) const override;
  SubjectReport report(const SubjectReportInput& in) const override;
  std::vector<std::string> write_files(const std::string& directory) const override;

 private:
  std::shared_ptr<const EnrichSetup> setup_;
  EnrichedAppearance appearance_;
};

}  // namespace supple::pipeline
