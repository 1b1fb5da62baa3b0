#include "supple/pipeline/takes/preview_difference.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "supple/base/error.h"
#include "supple/io/input_file.h"
#include "supple/io/output_file.h"
#include "supple/report/html.h"

namespace supple::pipeline {

namespace fs = std::filesystem;

namespace {

constexpr double kDeparts = 1e-9;  // of the size

// Where takes of the same kind lie: beside it, and where several clips were run, beside the folder of all.
std::vector<std::string> takes_beside(const std::string& take, const std::string& scene_file) {
  std::error_code error;
  fs::path own = fs::path(take).lexically_normal();
  if (!own.has_filename()) own = own.parent_path();
  if (!own.has_parent_path()) own = "." / own;
  std::vector<fs::path> found;
  const auto look_in = [&](const fs::path& folder, const fs::path& below) {
    for (const auto& entry : fs::directory_iterator(folder, error)) found.push_back(entry.path() / below);
  };
  look_in(own.parent_path(), "");
  if (fs::exists(own.parent_path() / "report.json", error)) look_in(own.parent_path() / "..", own.filename());
  if (!scene_file.empty()) found.push_back(fs::path(scene_file).parent_path());
  std::vector<std::string> out;
  for (const fs::path& p : found) {
    fs::path folder = p.lexically_normal();
    if (!folder.has_filename()) folder = folder.parent_path();
    if (!fs::exists(folder / "report.json", error) || fs::equivalent(folder, own, error)) continue;
    if (std::find(out.begin(), out.end(), folder.string()) == out.end()) out.push_back(folder.string());
  }
  return out;
}

void state(const std::string& preview, const std::string& final, const PreviewDifference& d) {
  const fs::path dir = preview;
  std::error_code error;
  const std::string named = fs::proximate(final, fs::weakly_canonical(dir, error) / "..", error).generic_string();
  Json report = report_of_any((dir / "report.json").string()).json;
  report["final_beside"] = to_json(d, named);
  write_text((dir / "report.json").string(), report.text() + "\n");
  if (const fs::path page = dir / "report.html"; fs::exists(page, error))
    write_text(page.string(),
               with_beside(
                   read_whole_file(page.string(), ""),
                   fmt::format("The final take is there: {}. This preview differs from it by {}.", named, text_of(d))));
}

}  // namespace

bool is_preview(const TakeReport& take) {
  const std::string scene = take.text("scene");
  const auto differences = scene_differences("", scene);
  return std::any_of(differences.begin(), differences.end(),
                     [](const KeyDifference& d) { return d.key == "tets.preset" && d.b == "\"preview\""; });
}

bool preview_and_final(const TakeReport& a, const TakeReport& b) {
  if (is_preview(a) == is_preview(b)) return false;
  for (const char* key : {"timeline.frames", "timeline.fps"})
    if (a.number(key) != b.number(key)) return false;
  for (const KeyDifference& d : scene_differences(a.text("scene"), b.text("scene"))) {
    const std::string table = d.key.substr(0, d.key.find('.'));
    // What flesh is like is found anew for each when nobody says so; files to write show nothing else.
    if (table != "tets" && table != "flesh" && d.key != "output.formats" && d.key != "output.report" &&
        d.key != "solver.threads")
      return false;
  }
  return true;
}

std::optional<PreviewDifference> preview_difference(const DeliveredSurface& preview, const DeliveredSurface& final) {
  if (preview.drawn.mesh.triangles != final.drawn.mesh.triangles || preview.n_frames() != final.n_frames() ||
      preview.drawn.mesh.n_vertices() != final.drawn.mesh.n_vertices())
    return std::nullopt;
  const size_t n = preview.drawn.mesh.vertices.size();
  const double least = kDeparts * longest_side(final.drawn.mesh.vertices) * final.metres();
  std::vector<char> departs(n, 0);
  std::vector<std::vector<float>> apart(n), swing(n);
  for (int f = 0; f < final.n_frames(); ++f) {
    const Points a = preview.points(f), b = final.points(f), from_a = preview.base(f), from_b = final.base(f);
    for (size_t v = 0; v < n; ++v) {
      const Vec3 of_a = a[v] - from_a[v], of_b = b[v] - from_b[v];
      if (of_a.norm() > least || of_b.norm() > least) departs[v] = 1;
      apart[v].push_back(static_cast<float>((of_a - of_b).norm())), swing[v].push_back(static_cast<float>(of_b.norm()));
    }
  }
  const auto measure = [&](const std::vector<std::vector<float>>& lengths, double& rms, double& percentile) {
    std::vector<float> all;
    double sum = 0;
    for (size_t v = 0; v < n; ++v)
      if (departs[v]) all.insert(all.end(), lengths[v].begin(), lengths[v].end());
    if (all.empty()) return;
    for (const float x : all) sum += static_cast<double>(x) * x;
    rms = std::sqrt(sum / static_cast<double>(all.size()));
    const auto at = all.begin() + static_cast<long>(0.99 * static_cast<double>(all.size() - 1));
    std::nth_element(all.begin(), at, all.end());
    percentile = *at;
  };
  PreviewDifference d;
  measure(apart, d.rms_m, d.percentile99_m);
  measure(swing, d.swing_rms_m, d.swing_percentile99_m);
  if (d.swing_rms_m <= 0) return std::nullopt;
  return d;
}

std::string text_of(const PreviewDifference& d) {
  return fmt::format("rms {:.2g} %, 99th percentile {:.2g} % of the swing of the final", 100 * d.rms_share(),
                     100 * d.percentile99_share());
}

Json to_json(const PreviewDifference& d, const std::string& final) {
  Json j;
  j["final"] = final;
  j["rms_share"] = d.rms_share(), j["percentile99_share"] = d.percentile99_share();
  j["rms_m"] = d.rms_m, j["percentile99_m"] = d.percentile99_m;
  j["swing_rms_m"] = d.swing_rms_m, j["swing_percentile99_m"] = d.swing_percentile99_m;
  return j;
}

std::vector<std::string> tell_previews(const std::string& take, const std::string& scene_file) {
  std::vector<std::string> lines;
  try {
    const TakeReport own = read_report(take);
    const bool preview = is_preview(own);
    std::vector<std::string> matching;
    for (const std::string& other : takes_beside(take, scene_file)) {
      try {
        if (preview_and_final(own, read_report(other))) matching.push_back(other);
      } catch (const InputError&) {  // no take, or one that is not whole
      }
    }
    if (matching.empty()) return lines;
    const auto written = [](const std::string& folder) {
      std::error_code none;
      return fs::last_write_time(fs::path(folder) / "tets.pc2", none);
    };
    std::sort(matching.begin(), matching.end(),
              [&](const std::string& a, const std::string& b) { return written(a) > written(b); });
    if (preview) matching.resize(1);
    const DeliveredSurface of_own(take);
    for (const std::string& other : matching) {
      try {
        const DeliveredSurface of_other(other);
        const auto d = preview ? preview_difference(of_own, of_other) : preview_difference(of_other, of_own);
        if (!d) continue;
        const std::string &a = preview ? take : other, &b = preview ? other : take;
        state(a, b, *d);
        lines.push_back(fmt::format("the preview {} and the final {} differ by {}", a, b, text_of(*d)));
      } catch (const std::exception&) {
      }
    }
  } catch (const std::exception&) {  // the take is done: what lies beside it, or does not fit into memory, is no fault
  }
  return lines;
}

}  // namespace supple::pipeline
