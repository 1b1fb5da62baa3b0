// A character as it is drawn: its file's units, objects, materials and pictures.
#pragma once
#include <memory>

#include "supple/pipeline/character/character.h"
#include "supple/pipeline/setup/appearance.h"

namespace supple::pipeline {

class CharacterAppearance : public Appearance {
 public:
  explicit CharacterAppearance(std::shared_ptr<const CharacterSetup> setup) : setup_(std::move(setup)) {}
  double file_scale() const override { return setup_->scale; }
  double size(const TriMesh&) const override { return setup_->size(); }
  std::string up(const SceneConfig&) const override { return "y"; }
  std::string title(const SceneConfig& config) const override;
  std::vector<DrawnObject> objects() const override;
  bool own_glb() const override { return !setup_->cached; }
  void dress(const TriMesh& mesh, MotionSource& source) const override;

 private:
  std::shared_ptr<const CharacterSetup> setup_;
};

}  // namespace supple::pipeline
