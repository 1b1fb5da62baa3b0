#include "supple/pipeline/setup/body.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "supple/base/error.h"
#include "supple/pipeline/setup/maps.h"

namespace supple::pipeline {

namespace {

ElementDamping damping_kind(const std::string& word) {
  return word == "full" ? ElementDamping::full : word == "rest" ? ElementDamping::rest : ElementDamping::viscous;
}

}  // namespace

void set_materials(const SceneConfig& c, Body& body, Notes& notes) {
  const TetMesh& mesh = body.spec.mesh;
  const MaterialConfig& m = c.material;
  if (m.volume_penalty > 0 && m.model != "stvk")
    throw InputError(c.locate("material.volume_penalty"), "volume_penalty has no effect on " + m.model,
                     "it belongs to model = \"stvk\"");
  MaterialParameters base{.youngs_modulus = m.youngs_modulus.value_or(2e4),
                          .poisson_ratio = m.poisson_ratio,
                          .density = m.density,
                          .volume_penalty = m.volume_penalty,
                          .stiffness_damping = m.stiffness_damping.value_or(0)};
  std::vector<MaterialParameters>& out = body.spec.per_tet;
  out.assign(mesh.tets.size(), base);
  body.damping_given.assign(mesh.tets.size(), !half_life_of(m).has_value());
  // A tet file with materials of its own (.veg) speaks where the scene does not.
  auto from_file = [&](const char* name, double MaterialParameters::*field) {
    const auto it = mesh.tet_maps.find(name);
    if (it == mesh.tet_maps.end() || c.is_set(std::string("material.") + name)) return;
    for (size_t t = 0; t < out.size(); ++t) out[t].*field = it->second[t];
    notes.warn(fmt::format("{} comes from {}", name, c.tets.file.text));
  };
  from_file("youngs_modulus", &MaterialParameters::youngs_modulus);
  from_file("poisson_ratio", &MaterialParameters::poisson_ratio);
  from_file("density", &MaterialParameters::density);

  for (size_t r = 0; r < c.regions.size(); ++r) {
    const RegionConfig& region = c.regions[r];
    for (const std::string& name : names_of(region)) {
      const auto it = std::find(mesh.region_names.begin(), mesh.region_names.end(), name);
      if (it == mesh.region_names.end()) {
        const auto& names = mesh.region_names;
        const std::string near = nearest_word(name, names.data(), names.data() + names.size());
        throw InputError(c.locate(fmt::format("region.{}.name", r)), "there is no region '" + name + "'",
                         near.empty() ? fmt::format("the regions are: {}", fmt::join(mesh.region_names, ", "))
                                      : "did you mean '" + near + "'?");
      }
      const int index = static_cast<int>(it - mesh.region_names.begin());
      for (size_t t = 0; t < out.size(); ++t) {
        if (mesh.tet_region[t] != index) continue;
        out[t].youngs_modulus = region.youngs_modulus.value_or(out[t].youngs_modulus);
        out[t].poisson_ratio = region.poisson_ratio.value_or(out[t].poisson_ratio);
        out[t].density = region.density.value_or(out[t].density);
        out[t].volume_penalty = region.volume_penalty.value_or(out[t].volume_penalty);
        out[t].stiffness_damping = region.stiffness_damping.value_or(out[t].stiffness_damping);
        if (region.stiffness_damping) body.damping_given[t] = 1;
      }
    }
  }
  const auto stiff = tet_factors(c, mesh, m.youngs_modulus_map, "material.youngs_modulus_map", notes);
  const auto dense = tet_factors(c, mesh, m.density_map, "material.density_map", notes);
  body.damping_map = tet_factors(c, mesh, m.stiffness_damping_map, "material.stiffness_damping_map", notes);
  for (size_t t = 0; t < out.size(); ++t) {
    out[t].youngs_modulus *= stiff[t];
    out[t].density *= dense[t];
    out[t].stiffness_damping *= body.damping_map[t];
  }
}

void set_model_options(const SceneConfig& config, ModelSpec& spec) {
  spec.material = material_from_name(config.material.model);
  spec.mass = config.solver.mass == "consistent" ? MassKind::consistent : MassKind::lumped;
  spec.damping = damping_kind(config.expert.damping_tangent);
  spec.mass_damping = config.material.mass_damping.value_or(0);
  spec.anti_locking = config.material.anti_locking != "false";
  spec.gravity = gravity_of(config.world);
}

void apply_fill(ModelSpec& spec) {
  const auto fill = spec.mesh.tet_maps.find("fill");
  for (size_t t = 0; t < spec.per_tet.size() && fill != spec.mesh.tet_maps.end(); ++t) {
    spec.per_tet[t].youngs_modulus *= fill->second[t];
    spec.per_tet[t].density *= fill->second[t];
  }
}

}  // namespace supple::pipeline
