// A bar that a cache moves, tets around it, and what enriching it gives.
#pragma once
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/wait.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "supple/io/obj.h"
#include "supple/io/point_cache.h"
#include "supple/io/tets/tet_formats.h"
#include "supple/pipeline/enriched/enriched_subject.h"
#include "supple/pipeline/enriched/report.h"
#include "supple/pipeline/run/run.h"
#include "supple/pipeline/takes/refinish.h"
#include "supple/scene/read_scene.h"
#include "tests/scene/scene_files.h"

namespace supple {

using namespace pipeline;

using PointMotion = std::function<Vec3(const Vec3& x, int frame)>;
using Settings = std::vector<std::string>;

inline Settings operator+(Settings a, const Settings& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

// Shaken up and down as a whole, from rest.
inline Vec3 shaken(const Vec3& x, int f) {
  return x + Vec3(0, f == 0 ? 0 : 0.03 * (1 - std::cos(2 * M_PI * (f - 1) / 12.0)), 0);
}

class EnrichFiles : public SceneFiles {
 protected:
  static constexpr double kLength = 0.6, kThick = 0.12;
  static constexpr int kFrames = 25;
  static constexpr double kExact = 1e-7 * kLength;  // as far as float32 tells

  void SetUp() override {
    SceneFiles::SetUp();
    bar_ = boundary_surface(make_box(12, 3, 3, Vec3(kLength, kThick, kThick)));
    write_obj(path("bar.obj"), bar_);
    write_tet_mesh(path("cage.msh"), make_box(8, 2, 2, Vec3(0.64, 0.14, 0.14), Vec3(-0.02, -0.01, -0.01)));
    put_cache("bar.pc2", bar_.vertices, kFrames, shaken);
    put_list("root.txt", [](const Vec3& x) { return x[0] < 0.13; });
    put_scene({});
  }

  // What follows, unless told otherwise, is the root.
  struct SceneText {
    std::string surface = "bar.obj", cache = "bar.pc2";
    std::string tets = "file = \"cage.msh\"\n";
    std::string enrich = "fixed = \"root.txt\"\n";
  };
  void put_scene(const SceneText& t) const {
    write("scene.toml",
          fmt::format("[surface]\nfile = \"{}\"\n{}[tets]\n{}[timeline]\nsubsteps = 2\nloop = \"false\"\n"
                      "[output]\nformats = [\"pc2\"]\nreport = false\n[enrich]\n{}",
                      t.surface, t.cache.empty() ? "" : fmt::format("cache = \"{}\"\n", t.cache), t.tets, t.enrich));
  }
  // As bytes, as the writer refuses holes.
  void put_cache(const std::string& name, const Points& points, int n_frames, const PointMotion& motion) const {
    const auto number = [](auto value) { return std::string(reinterpret_cast<const char*>(&value), sizeof(value)); };
    std::string s = std::string("POINTCACHE2\0", 12) + number(int32_t{1}) +
                    number(static_cast<int32_t>(points.size())) + number(0.f) + number(1.f) +
                    number(static_cast<int32_t>(n_frames));
    for (int f = 0; f < n_frames; ++f)
      for (const Vec3& point : points) {
        const Vec3 x = motion(point, f);
        for (int axis = 0; axis < 3; ++axis) s += number(static_cast<float>(x[axis]));
      }
    write(name, s);
  }
  void put_list(const std::string& name, const std::function<bool(const Vec3&)>& in) const {
    write(name, fmt::format("{}\n", fmt::join(vertices(in), "\n")));
  }
  std::vector<int> vertices(const std::function<bool(const Vec3&)>& in) const {
    std::vector<int> list;
    for (int v = 0; v < bar_.n_vertices(); ++v)
      if (in(bar_.vertices[v])) list.push_back(v);
    return list;
  }

  SceneConfig scene(const Settings& set = {}) const { return load_scene(path("scene.toml"), set); }
  struct Taken {
    RunResult result;
    PointCache surface, tets;
    std::vector<std::string> warnings;
    std::shared_ptr<const EnrichSetup> setup;
    double frequency_hz = 0;
  };
  Taken take(const std::string& name, const Settings& set = {}) const {
    const Job job = build_job(scene(set));
    Taken t;
    t.result = run_job(job, {.directory = path(name)});
    EXPECT_EQ(t.result.status, RunStatus::done) << t.result.message;
    t.surface = read_pc2(path(name + "/surface.pc2"));
    t.tets = read_pc2(path(name + "/tets.pc2"));
    t.warnings = job.notes.warnings;
    t.setup =
        std::shared_ptr<const EnrichSetup>(job.subject, &dynamic_cast<const EnrichedSubject&>(*job.subject).setup());
    t.frequency_hz = job.body->frequency_hz;
    return t;
  }
  // Of a finished run, with other blending.
  PointCache reblend(const std::string& from, const std::string& to, const Settings& set) const {
    finish_run({.directory = path(from), .out = path(to), .set = set});
    return read_pc2(path(to + "/surface.pc2"));
  }

  struct Call {
    int status;
    std::string out;  // and what it complains of
  };
  Call supple(const std::string& arguments) const {
    const std::string command =
        "cd " + folder_.string() + " && SUPPLE_CACHE=off SUPPLE_ALLOW_READ=. " SUPPLE_PROGRAM " " + arguments + " 2>&1";
    FILE* pipe = popen(command.c_str(), "r");
    Call call;
    char block[4096];
    while (size_t n = fread(block, 1, sizeof block, pipe)) call.out.append(block, n);
    call.status = WEXITSTATUS(pclose(pipe));
    return call;
  }

  TriMesh bar_;
};

// Largest distance of two caches in any frame, over some vertices (none: all).
inline double farthest(const PointCache& a, const PointCache& b, const std::vector<int>& of = {}) {
  EXPECT_EQ(a.n_points, b.n_points);
  EXPECT_EQ(a.n_samples, b.n_samples);
  double most = 0;
  for (int f = 0; f < std::min(a.n_samples, b.n_samples); ++f) {
    const Points x = a.points(f), y = b.points(f);
    if (of.empty())
      for (size_t v = 0; v < x.size(); ++v) most = std::max(most, (x[v] - y[v]).norm());
    for (int v : of) most = std::max(most, (x[static_cast<size_t>(v)] - y[static_cast<size_t>(v)]).norm());
  }
  return most;
}

// Root mean square over frames [from, to) and vertices of the distance of two caches.
inline double apart(const PointCache& a, const PointCache& b, int from = 0, int to = 1 << 20) {
  to = std::min(to, a.n_samples);
  double sum = 0;
  for (int f = from; f < to; ++f) sum += std::pow(cache_distance(a, b, f), 2);
  return std::sqrt(sum / (to - from));
}

}  // namespace supple
