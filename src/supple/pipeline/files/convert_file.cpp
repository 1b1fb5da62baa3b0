#include "supple/pipeline/files/convert_file.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>

#include "supple/base/error.h"
#include "supple/io/bvh.h"
#include "supple/io/formats.h"
#include "supple/io/gltf/gltf_write.h"
#include "supple/io/obj.h"
#include "supple/io/point_cache.h"
#include "supple/io/tets/tet_formats.h"
#include "supple/mesh/quality.h"
#include "supple/pipeline/enriched/input.h"

namespace supple::pipeline {

namespace {

const char* name_of(FileKind kind) {
  return kind == FileKind::tets      ? "tets"
         : kind == FileKind::surface ? "a surface"
         : kind == FileKind::cache   ? "a point cache"
                                     : "a motion";
}

void require_obj(const std::string& path) {
  if (extension(path) != ".obj")
    throw InputError({path}, "of surfaces only .obj can be converted", "Name an .obj file.");
}

void write_surface(const ConvertRequest& request, const TriMesh& mesh, ConvertReport& report) {
  require_obj(request.out);
  write_obj(request.out, mesh);
  report.summary = fmt::format("{} vertices, {} triangles", mesh.n_vertices(), mesh.triangles.size());
}

void convert_tets(const ConvertRequest& request, FileKind to, ConvertReport& report) {
  TetMesh mesh = read_tet_mesh(request.in, &report.notes);
  if (request.repair) {
    const RepairReport r = repair(mesh);
    report.notes.push_back(fmt::format("repair: {} tets turned around, {} tets and {} vertices removed", r.flipped,
                                       r.removed_tets, r.removed_vertices));
    if (mesh.n_tets() == 0 && r.removed_tets > 0)
      throw InputError({request.in},
                       fmt::format("all {} tets are flat or double: nothing is left of it", r.removed_tets),
                       "Is it a surface, or scaled to nothing along an axis?");
  }
  if (to == FileKind::surface) return write_surface(request, boundary_surface(mesh), report);
  TetWriteOptions options;
  options.notes = &report.notes;
  write_tet_mesh(request.out, mesh, options);
  report.summary = fmt::format("{} tets, {} vertices", mesh.n_tets(), mesh.n_vertices());
}

void convert_cache(const ConvertRequest& request, ConvertReport& report) {
  PointCache cache = read_point_cache(request.in);
  const bool from_mdd = extension(request.in) == ".mdd", to_mdd = extension(request.out) == ".mdd";
  if (to_mdd && !from_mdd) {
    cache.times.clear();
    for (int s = 0; s < cache.n_samples; ++s)
      cache.times.push_back(static_cast<float>((cache.start + s * cache.rate) / request.fps));
    report.notes.push_back(fmt::format("times at {:g} frames a second", request.fps));
  } else if (from_mdd && !to_mdd) {
    // PC2 has even samples only. Times are float32: rounding of a few of its units is no unevenness.
    const size_t n = cache.times.size();
    const double first = n > 0 ? cache.times.front() : 0, last = n > 0 ? cache.times.back() : 0;
    const double spacing = n > 1 ? (last - first) / static_cast<double>(n - 1) : 1 / request.fps;
    for (size_t s = 0; s < n; ++s) {
      const double even = first + spacing * static_cast<double>(s);
      if (!(spacing > 0) || std::abs(cache.times[s] - even) > 0.01 * spacing + 1e-6 * std::abs(last))
        throw InputError({request.in, 0, 0, fmt::format("sample {}", s)},
                         fmt::format("its time {:g} s is not even with the others ({:g} s)", cache.times[s], even),
                         "A .pc2 has one distance between all samples.");
    }
    cache.start = first * request.fps;
    cache.rate = spacing * request.fps;
    report.notes.push_back(fmt::format("frames at {:g} a second", request.fps));
  }
  write_point_cache(request.out, cache);
  report.summary = fmt::format("{} points, {} samples", cache.n_points, cache.n_samples);
}

// The skeleton with its clip, and sticks to see it by.
void convert_motion(const ConvertRequest& request, ConvertReport& report) {
  if (extension(request.out) != ".glb")
    throw InputError({request.out}, "a motion becomes a character", "Name a .glb file.");
  const BvhMotion motion = read_bvh(request.in);
  write_gltf(request.out, bvh_character(motion), {.colors = {}});
  report.summary = fmt::format("{} joints, {} frames at {:.4g} a second", motion.joints.size(), motion.n_frames,
                               1 / motion.frame_time);
  report.notes.push_back("lengths are those of the file: give surface.height where it is used");
}

// What is drawn of a character, without its rig: the bound surface, or its first clip as a cache of all its vertices.
void convert_character(const ConvertRequest& request, FileKind to, ConvertReport& report) {
  SceneConfig scene;
  scene.surface.file = {request.in, request.in};
  scene.surface.scale = 1;
  scene.enrich.present = true;
  EnrichInput input = read_enrich_input(scene);
  report.notes.insert(report.notes.end(), input.warnings.begin(), input.warnings.end());
  if (to == FileKind::surface) return write_surface(request, input.surface, report);
  input.frames.times.clear();
  for (int s = 0; s < input.frames.n_samples; ++s) input.frames.times.push_back(static_cast<float>(s / input.fps));
  write_point_cache(request.out, input.frames);
  report.summary =
      fmt::format("{} points, {} samples at {:g} a second", input.frames.n_points, input.frames.n_samples, input.fps);
}

}  // namespace

ConvertReport convert_file(const ConvertRequest& request) {
  const FileKind from = require_known_kind(request.in), to = require_known_kind(request.out);
  for (const FileFormat& format : file_formats()) {
    if (format.extension == extension(request.in) && !format.reads)
      throw InputError({request.in}, fmt::format("{} files can be written, but not read", format.extension));
    if (format.extension == extension(request.out) && !format.writes)
      throw InputError({request.out}, fmt::format("{} files can be read, but not written", format.extension),
                       "Choose another extension.");
  }
  const std::string kind = extension(request.in);
  const bool character = kind == ".glb" || kind == ".gltf";
  const bool possible = from == to || (character && to == FileKind::cache) ||
                        ((from == FileKind::tets || from == FileKind::motion) && to == FileKind::surface);
  if (!possible)
    throw InputError({request.in}, fmt::format("{} cannot become {}", name_of(from), name_of(to)),
                     "Tets become tets or a surface, a surface a surface, a cache a cache, a motion a character "
                     "(.glb), the clip of a "
                     "character a cache.");
  if (request.repair && from != FileKind::tets)
    throw InputError({request.in}, "only tets can be repaired", "Leave --repair out.");
  if (!std::filesystem::exists(request.in)) throw InputError({request.in}, "there is no such file");
  std::error_code other;
  if (std::filesystem::equivalent(request.in, request.out, other))
    throw InputError({request.out}, "is the input itself", "Choose another name for the result.");

  ConvertReport report;
  if (from == FileKind::tets) {
    convert_tets(request, to, report);
  } else if (character) {
    convert_character(request, to, report);
  } else if (from == FileKind::surface) {
    require_obj(request.in);
    write_surface(request, read_obj(request.in), report);
  } else if (from == FileKind::motion) {
    convert_motion(request, report);
  } else {
    convert_cache(request, report);
  }
  return report;
}

}  // namespace supple::pipeline
