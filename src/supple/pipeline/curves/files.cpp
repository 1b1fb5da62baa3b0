#include "supple/pipeline/curves/files.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <utility>

#include "supple/base/parallel.h"
#include "supple/io/bvh.h"
#include "supple/io/gltf/gltf_read.h"
#include "supple/io/output_file.h"
#include "supple/io/tets/tet_formats.h"
#include "supple/pipeline/curves/clips.h"
#include "supple/pipeline/deliver/stiffness_picture.h"

namespace supple::pipeline::curves {

namespace fs = std::filesystem;

namespace {

// All parameters at every frame.
std::vector<VecX> parameters_over_time(const CurvesSetup& setup, const CurveSamples& samples) {
  const KeyedParameters all = keyed_with(setup.rig.rig, samples);
  std::vector<VecX> frames;
  for (int f = 0; f < setup.rig.time.n_frames; ++f) frames.push_back(all(f / setup.rig.time.fps));
  return frames;
}

void put_surface(const CurvesSetup& setup, const std::vector<VecX>& parameters, double to_file, PointCache& cache) {
  std::vector<VecX> frames(parameters.size());
  const auto place = [&](size_t f) {
    frames[f] = to_file * setup.rig.rig->evaluate(parameters[f], static_cast<double>(f) / setup.rig.time.fps);
  };
  if (setup.rig.rig->at_once() == 0)
    parallel_for(frames.size(), 1, [&](size_t begin, size_t end) {
      for (size_t f = begin; f < end; ++f) place(f);
    });
  else
    for (size_t f = 0; f < frames.size(); ++f) place(f);
  for (const VecX& x : frames) {
    cache.add(x);
    cache.times.push_back(static_cast<float>(cache.times.size() / setup.rig.time.fps));
  }
}

CurveTable table_of(const CurvesSetup& setup, std::vector<std::string> names, MatX values) {
  CurveTable t;
  t.names = std::move(names);
  t.values = std::move(values);
  t.fps = setup.rig.time.fps;
  for (int f = 0; f < setup.rig.time.n_frames; ++f) t.frames.push_back(setup.rig.time.first + f);
  return t;
}

// Whether a clip of joints and morph targets holds all that was found.
bool held_by_clip(const CurvesSetup& setup) {
  const int first = setup.rig.skeleton_first;
  const int end = first + static_cast<int>(setup.rig.skeleton->parameters().size());
  const std::vector<int> free = setup.rig.all_free();
  const bool keyed_elsewhere =
      std::any_of(setup.rig.keys.names.begin(), setup.rig.keys.names.end(), [&](const std::string& name) {
        const auto& own = setup.rig.skeleton->parameters();
        return std::none_of(own.begin(), own.end(), [&](const RigParameter& p) { return p.name == name; });
      });
  return !keyed_elsewhere && std::all_of(free.begin(), free.end(), [&](int i) { return i >= first && i < end; });
}

// Into a character's file, over the clip with the joints as they were found where there is one.
void bake_deformers(const CurvesSetup& setup, const std::vector<VecX>& parameters, const std::string& file,
                    CurvesWritten& out) {
  std::string clip = setup.rig.clip, input = setup.config.surface.file.path;
  std::vector<int> sources = setup.rig.clip_sources;
  if (std::find(out.files.begin(), out.files.end(), "surface.glb") != out.files.end())
    input = file;
  else
    out.files.emplace_back("surface.glb");
  if (!out.keys.clip.empty()) {
    clip = out.keys.clip;
    sources = find_clip(read_gltf(file), clip).sources;
  } else {
    const std::string& wish = setup.config.curves.clip;
    clip = !wish.empty() ? wish : clip.empty() ? "curves" : clip;
  }
  const SoftGlbReport baked = write_soft_glb(input, file, {deformer_clip(setup, parameters, clip, std::move(sources))});
  out.notes.insert(out.notes.end(), baked.warnings.begin(), baked.warnings.end());
  out.notes.push_back(
      fmt::format("deformers have no place in glTF: the clip '{}' has what they do as {} morph targets{}; surface.pc2 "
                  "has all that moves",
                  fmt::join(baked.clips, "', '"), baked.targets,
                  out.keys.clip.empty() ? "" : fmt::format(", '{}' the joints alone", clip)));
}

Json modes_json(const LayerResult& layer) {
  const ParameterModes& m = *layer.modes;
  Json j;
  j["layer"] = layer.name;
  j["parameters"] = Json::list(m.parameters);
  j["left_out"] = m.left_out;
  Json modes(Json::Array{});
  for (Eigen::Index k = 0; k < m.U.cols(); ++k) {
    Json one;
    one["name"] = fmt::format("mode.{}", k + 1);
    one["energy"] = m.energy[k];
    one["values"] = Json::list(std::vector<double>(m.U.col(k).data(), m.U.col(k).data() + m.U.rows()));
    const Eigen::Index column = k;
    std::vector<double> curve;
    for (Eigen::Index f = 0; f < layer.mode_curves.rows(); ++f) curve.push_back(layer.mode_curves(f, column));
    one["curve"] = Json::list(curve);
    modes.push_back(std::move(one));
  }
  j["modes"] = std::move(modes);
  return j;
}

}  // namespace

CurvesDrawn draw_curves(const CurvesSetup& setup, const CurvesResult& result) {
  CurvesDrawn out;
  if (setup.rig.character)
    out.appearance = std::make_shared<CharacterAppearance>(setup.rig.character);
  else
    out.appearance = std::make_shared<Appearance>();
  TriMesh& mesh = out.frames.mesh;
  mesh.vertices = setup.rig.rest;
  mesh.triangles = setup.rig.triangles;
  if (setup.rig.character) mesh.normals = setup.rig.character->drawn.normals;
  const double to_file = 1 / out.appearance->file_scale();
  for (Vec3& x : mesh.vertices) x *= to_file;
  put_surface(setup, parameters_over_time(setup, result.samples), to_file, out.frames.frames);
  put_surface(setup, parameters_over_time(setup, setup.keys), to_file, out.frames.input);
  return out;
}

CurvesWritten write_curves_files(const CurvesSetup& setup, const CurvesResult& result, const CurvesDrawn& drawn,
                                 const std::string& directory) {
  CurvesWritten out;
  const fs::path dir = directory;
  const auto name = [&](const std::string& file) {
    out.files.push_back(file);
    return (dir / file).string();
  };
  std::vector<std::string> names;
  size_t columns = 0;
  for (const LayerResult& l : result.layers) columns += l.free.size();
  MatX values(setup.rig.time.n_frames, static_cast<Eigen::Index>(columns));
  Eigen::Index at = 0;
  for (const LayerResult& l : result.layers) {
    names.insert(names.end(), l.names.begin(), l.names.end());
    values.middleCols(at, l.curves.cols()) = l.curves;
    at += l.curves.cols();
  }
  const CurveTable curves = table_of(setup, names, values);
  write_curves(name("curves.csv"), curves);
  write_curves(name("curves.json"), curves);

  Json modes(Json::Array{});
  for (const LayerResult& l : result.layers)
    if (l.modes) modes.push_back(modes_json(l));
  if (modes.text() != "[]") {
    Json all;
    all["fps"] = setup.rig.time.fps;
    all["layers"] = std::move(modes);
    write_text(name("modes.json"), all.text() + "\n");
  }

  SceneConfig config = setup.config;
  std::vector<std::string>& formats = config.output.formats;
  if (std::erase(formats, "vtu") > 0)
    out.notes.emplace_back("vtu is not written: tets are a means here, and each layer has its own");
  const bool glb = std::find(formats.begin(), formats.end(), "glb") != formats.end();
  const bool beyond = setup.rig.skeleton && !held_by_clip(setup);
  if (beyond) {
    if (std::find(formats.begin(), formats.end(), "pc2") == formats.end()) formats.emplace_back("pc2");
  }
  for (const std::string& f :
       write_surface_files({config, *drawn.appearance, setup.rig.time.fps}, drawn.frames, directory, out.notes))
    if (!(f == "surface.glb" && setup.rig.skeleton)) out.files.push_back(f);
  const std::vector<VecX> parameters = parameters_over_time(setup, result.samples);
  if (setup.rig.skeleton && !setup.rig.skeleton->parameters().empty()) {
    std::vector<CurvesClip> clips = {found_clip(setup, parameters, out.keys)};
    for (CurvesClip& mode : mode_clips(setup, result)) clips.push_back(std::move(mode));
    if (glb) out.keys.clip = write_curves_glb(setup.config.surface.file.path, name("surface.glb"), clips, out.notes)[0];
    const Character& c = setup.rig.character->character;
    if (!c.skins.empty()) {
      std::vector<std::vector<Placement>> frames;
      const Eigen::Index first = setup.rig.skeleton_first;
      const auto n = static_cast<Eigen::Index>(setup.rig.skeleton->parameters().size());
      for (size_t f = 0; f < parameters.size(); ++f)
        frames.push_back(setup.rig.skeleton->placements(parameters[f].segment(first, n),
                                                        static_cast<double>(f) / setup.rig.time.fps));
      write_bvh(name("curves.bvh"), c, frames, 1 / setup.rig.time.fps, out.notes);
    }
  }
  if (beyond && glb) bake_deformers(setup, parameters, (dir / "surface.glb").string(), out);
  std::vector<StiffTets> bodies;
  bool fitted = false;
  for (const LayerResult& l : result.layers) {
    bodies.push_back({&l.tets, l.fit ? &l.fit->stiffness : nullptr});
    fitted = fitted || l.fit;
  }
  if (fitted) write_png(name("material.png"), stiffness_picture(bodies));
  for (size_t k = 0; k < result.layers.size(); ++k) {
    TetMesh tets = result.layers[k].tets;
    if (result.layers[k].fit) tets.tet_maps["stiffness"] = result.layers[k].fit->stiffness;
    write_tet_mesh(name(result.layers.size() == 1 ? "tets.msh" : fmt::format("tets-{}.msh", k + 1)), tets);
  }
  return out;
}

}  // namespace supple::pipeline::curves
