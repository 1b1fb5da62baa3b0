// What a run says about itself: the table of its steps, asked against got, part by part.
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "supple/base/error.h"
#include "supple/io/tets/tet_formats.h"
#include "supple/pipeline/run/response_card.h"
#include "supple/pipeline/run/run.h"
#include "supple/scene/read_scene.h"
#include "tests/scene/scene_files.h"

namespace supple {

using namespace pipeline;
namespace {

class RunReport : public SceneFiles {
 protected:
  // Two bars side by side, 2 cm apart, held by their ends at x = 0 and jerked upwards; the second twice as lively.
  std::string two_bars(const std::string& more = "") const {
    TetMesh two = make_box(6, 1, 1, {0.3, 0.05, 0.05});
    const TetMesh other = make_box(6, 1, 1, {0.3, 0.05, 0.04}, {0, 0, 0.07});
    const int n = two.n_vertices();
    two.vertices.insert(two.vertices.end(), other.vertices.begin(), other.vertices.end());
    for (Tet t : other.tets) {
      for (int& v : t) v += n;
      two.tets.push_back(t);
    }
    write_tet_mesh(path("two.msh"), two);
    std::string held, map;
    for (int v = 0; v < two.n_vertices(); ++v) {
      if (two.vertices[v].x() < 1e-9) held += (held.empty() ? "" : ", ") + std::to_string(v);
      map += v < n ? "1\n" : "2\n";
    }
    write("map.txt", map);
    write("keys.csv", "0,0,0,0,0,0,0,1\n0.2,0,0.02,0,0,0,0,1\n0.3,0,0.02,0,0,0,0,1\n");
    return write("two.toml",
                 "[tets]\nfile = \"two.msh\"\n[attach]\nvertices = [" + held +
                     "]\nrigid = \"keys.csv\"\n[timeline]\nframes = 60\nsubsteps = 6\n[material]\n"
                     "model = \"linear\"\nyoungs_modulus = 2e5\nhalf_life_s = 0.4\n[output]\nformats = []\n" +
                     more);
  }
  nlohmann::json report(const std::string& directory) const {
    return nlohmann::json::parse(read(path(directory + "/report.json")));
  }
  // The table of a run: header and rows.
  std::vector<std::vector<std::string>> table(const std::string& file) const {
    std::vector<std::vector<std::string>> rows;
    std::stringstream lines(read(path(file)));
    for (std::string line; std::getline(lines, line);) {
      std::stringstream cells(line);
      rows.emplace_back();
      for (std::string cell; std::getline(cells, cell, ',');) rows.back().push_back(cell);
    }
    return rows;
  }
};

std::string all_text(const ResponseCard& card) {
  std::string text;
  for (const AskedGot& r : card.rows)
    text += r.what + "|" + r.before + "|" + r.asked + "|" + r.got + "|" + r.note + "\n";
  for (const std::string& n : card.notes) text += n + "\n";
  for (const PageTable& t : card.regions)
    for (const auto& row : t.rows) {
      for (const std::string& cell : row) text += cell + "|";
      text += "\n";
    }
  return text;
}

}  // namespace

TEST_F(RunReport, TableComesBackToTheLastBit) {
  const std::vector<std::string> extra = {"rms_m[a,\"b\"]", "point_m[3]"};
  const double odd[] = {1.0 / 3, -0.0, 5e-324, 1.7976931348623157e308, 2.0 / 7e9, 0.1 + 0.2};
  History whole(path("whole.csv"), 0, extra), cut(path("cut.csv"), 0, extra);
  const auto row = [&](int i) {
    return HistoryRow{.time = i * odd[0],
                      .amplitude = odd[i % 6],
                      .mode1 = -odd[(i + 1) % 6],
                      .extra = {odd[(i + 2) % 6], odd[i % 5]}};
  };
  for (int i = 0; i < 12; ++i) whole.add(row(i));
  for (int i = 0; i < 9; ++i) cut.add(row(i));
  cut.flush();
  History resumed(path("cut.csv"), 7, extra);
  ASSERT_EQ(resumed.rows().size(), 7u);
  for (int i = 0; i < 7; ++i) {
    EXPECT_EQ(std::memcmp(resumed.rows()[i].extra.data(), whole.rows()[i].extra.data(), 2 * sizeof(double)), 0);
    EXPECT_EQ(std::memcmp(&resumed.rows()[i].amplitude, &whole.rows()[i].amplitude, sizeof(double)), 0);
  }
  for (int i = 7; i < 12; ++i) resumed.add(row(i));
  resumed.finish(), whole.finish();
  EXPECT_EQ(read(path("whole.csv")), read(path("cut.csv")));
  EXPECT_EQ(table("whole.csv")[0].size(), 12u);  // a comma in a name is no column
}

TEST_F(RunReport, DamagedTablesAreRefused) {
  const std::string header =
      "time_s,amplitude_m_sqrt_s,rms_m,peak_m,kinetic_J,elastic_J,newton_iterations,contacts,step_s,mode1,x\n";
  const std::string good = "0,0,0,0,0,0,0,0,0,0,1\n";
  write("t.csv.part", header + good + good);
  EXPECT_NO_THROW(History(path("t.csv"), 2, {"x"}));
  for (const std::string& text : {header + good, header + good + "1,2,3\n", header + good + "0,0,0,0,0,0,0,0,0,0,1,2\n",
                                  header + good + "0,0,0,x,0,0,0,0,0,0,1\n", good + good + good, std::string()}) {
    write("t.csv.part", text);
    EXPECT_THROW(History(path("t.csv"), 2, {"x"}), InputError) << text;
  }
  write("t.csv.part", header + good + good);
  EXPECT_THROW(History(path("t.csv"), 2, {"y"}), InputError);
}

// For a linear material the dynamic displacement is proportional to epsilon. Parts add up to the whole.
TEST_F(RunReport, PartsOfTwoBars) {
  const Job job = build_job(load_scene(two_bars("[controls]\namplitude_map = \"map.txt\"\n")));
  ASSERT_EQ(job.body->parts.size(), 2u);
  const RunResult r = run_job(job, {.directory = path("out")});
  ASSERT_EQ(r.status, RunStatus::done) << r.message;
  const auto j = report("out");
  ASSERT_EQ(j["regions"].size(), 2u);

  // The same without the map: the baseline.
  const Job plain = build_job(load_scene(two_bars()));
  const RunResult before = run_job(plain, {.directory = path("plain")});
  for (int p : {0, 1}) {
    const double asked = j["regions"][p]["controls"]["amplitude"];
    EXPECT_NEAR(asked, p + 1, 1e-12);
    EXPECT_NEAR(j["regions"][p]["adjustment"]["epsilon"].get<double>(), p + 1, 1e-12);
    EXPECT_NEAR(r.measured_parts[p].amplitude_rms_m / before.measured_parts[p].amplitude_rms_m, asked, 1e-5);
    EXPECT_NEAR(r.measured_parts[p].peak_m / before.measured_parts[p].peak_m, asked, 1e-5);
    // Each rings at its own frequency, and settles as it should.
    EXPECT_NEAR(r.measured_parts[p].frequency_hz / job.body->parts[p].adjusted.frequency_hz, 1, 0.01);
    EXPECT_NEAR(r.measured_parts[p].half_life_s / 0.4, 1, 0.02);
    EXPECT_NEAR(r.measured_parts[p].sag_m / job.body->parts[p].baseline.sag_m, 1, 1e-5);
  }
  EXPECT_NE(job.body->parts[0].adjusted.frequency_hz, job.body->parts[1].adjusted.frequency_hz);

  // m rms^2 of the whole is the sum of that of the parts, at every step.
  const auto rows = table("out/amplitude.csv");
  ASSERT_EQ(rows.size(), 59u * 6 + 1);
  std::vector<size_t> column;
  for (size_t c = 0; c < rows[0].size(); ++c)
    if (rows[0][c].rfind("rms_m[", 0) == 0) column.push_back(c);
  ASSERT_EQ(column.size(), 2u);
  for (size_t i : {40u, 100u, 350u}) {
    double sum = 0;
    for (size_t p : {0u, 1u}) sum += job.body->parts[p].mass * std::pow(std::stod(rows[i][column[p]]), 2);
    EXPECT_NEAR(sum / (job.body->model->mass()->total() * std::pow(std::stod(rows[i][2]), 2)), 1, 1e-9);
  }

  // With the baseline known the card is one of ratios, and got meets asked.
  KnownResponses known{.baseline = before.measured, .baseline_parts = before.measured_parts};
  ASSERT_EQ(run_job(job, {.directory = path("known"), .known = known}).status, RunStatus::done);
  const auto k = report("known");
  for (int p : {0, 1}) EXPECT_NEAR(k["regions"][p]["measured_ratio"]["amplitude"].get<double>(), p + 1, 1e-5);
  EXPECT_TRUE(j["measured_ratio"]["amplitude"].is_null());
  // Ring-downs of each find what the run shows at its end.
  for (int p : {0, 1}) {
    EXPECT_NEAR(
        j["regions"][p]["measured"]["ring_down"]["frequency_hz"].get<double>() / r.measured_parts[p].frequency_hz, 1,
        0.01);
    EXPECT_NEAR(j["regions"][p]["measured"]["ring_down"]["half_life_s"].get<double>() / 0.4, 1, 0.02);
  }
  EXPECT_NEAR(k["measured_ratio"]["sag"].get<double>(), 1, 1e-5);
  const std::string page = read(path("known/report.html"));
  EXPECT_NE(page.find("Asked / got by region"), std::string::npos);
  EXPECT_EQ(page.find("supple tune"), std::string::npos);
  EXPECT_NE(page.find("by region"), std::string::npos);
  EXPECT_EQ(k["controls"]["amplitude"], 1);  // the dial; the map multiplies it
}

// Of a run that was gone on with too; contact is no part of the steps.
TEST_F(RunReport, TimesAddUpToTheWholeTime) {
  const Job job = build_job(load_scene(two_bars(), {"timeline.range=[0,20]", "output.report=false"}));
  RunOptions options{.directory = path("whole")};
  options.spent.lap("reading");
  ASSERT_EQ(run_job(job, options).status, RunStatus::done);
  int polls = 0;
  const Watch stop{.cancelled = [&] { return ++polls > 6 * 14 + 3; }};
  ASSERT_EQ(run_job(job, {.directory = path("cut")}, stop).status, RunStatus::interrupted);
  ASSERT_EQ(run_job(job, {.directory = path("cut"), .resume = true}).status, RunStatus::done);
  for (const char* folder : {"whole", "cut"}) {
    const auto t = report(folder)["timings_s"];
    double sum = 0;
    for (const auto& [name, seconds] : t.items()) {
      EXPECT_GE(seconds.get<double>(), 0) << name;
      if (name != "wall" && name != "total") sum += seconds.get<double>();
    }
    EXPECT_NEAR(sum, t["wall"], 1e-9 * t["wall"].get<double>()) << folder;
    EXPECT_GT(t["dynamic"], 0);
    EXPECT_GT(t["measuring"], 0);
    EXPECT_EQ(t.contains("before_resume"), folder == std::string("cut"));
  }
  EXPECT_TRUE(report("whole")["timings_s"].contains("reading"));
}

TEST_F(RunReport, ResumedTableIsTheUninterruptedOne) {
  const Job job = build_job(load_scene(two_bars(), {"timeline.range=[0,25]", "output.report=false"}));
  ASSERT_EQ(run_job(job, {.directory = path("whole")}).status, RunStatus::done);
  int polls = 0;
  const Watch stop{.cancelled = [&] { return ++polls > 6 * 14 + 3; }};
  ASSERT_EQ(run_job(job, {.directory = path("cut")}, stop).status, RunStatus::interrupted);
  ASSERT_EQ(run_job(job, {.directory = path("cut"), .resume = true}).status, RunStatus::done);
  EXPECT_EQ(read(path("whole/amplitude.csv")), read(path("cut/amplitude.csv")));
  const auto a = report("whole"), b = report("cut");
  for (const char* key : {"measured", "regions", "adjusted"}) EXPECT_EQ(a[key], b[key]) << key;
}

TEST_F(RunReport, CardSaysWhatIsKnown) {
  const Job job = build_job(load_scene(two_bars("[controls]\nfrequency = 2\namplitude = 3\n")));
  RunNumbers n;
  n.whole = {
      .amplitude = 1e-3, .amplitude_rms_m = 6e-3, .peak_m = 9e-3, .frequency_hz = 5, .half_life_s = 0.5, .sag_m = 2e-3};
  n.parts = {n.whole, n.whole};
  const std::string alone = all_text(response_card(job, n, {}));
  EXPECT_NE(alone.find("Amount (amplitude)||\u00d73 of the unadjusted run|6 mm rms|run `supple tune`"),
            std::string::npos)
      << alone;
  EXPECT_NE(alone.find("|5 Hz, 4.8 frames a bounce|"), std::string::npos) << alone;
  EXPECT_NE(alone.find("|0.5 s, 5 % left after 51.9 frames|"), std::string::npos) << alone;
  EXPECT_NE(alone.find("about the rest shape"), std::string::npos);

  KnownResponses known;
  known.baseline = {
      .amplitude = 1, .amplitude_rms_m = 2e-3, .peak_m = 3e-3, .frequency_hz = 2.5, .half_life_s = 0.5, .sag_m = 2e-3};
  const std::string measured = all_text(response_card(job, n, known));
  EXPECT_NE(measured.find("Speed (frequency)|2.5 Hz, 9.6 frames a bounce|\u00d72, 5 Hz, 4.8 frames a bounce|"
                          "\u00d72, 5 Hz, 4.8 frames a bounce|"),
            std::string::npos)
      << measured;
  EXPECT_NE(measured.find("Amount (amplitude)|2 mm rms|\u00d73, 6 mm rms|\u00d73, 6 mm rms|"), std::string::npos)
      << measured;
  EXPECT_NE(measured.find("Peak|3 mm||\u00d73, 9 mm|"), std::string::npos) << measured;
  EXPECT_EQ(measured.find("about the rest shape"), std::string::npos);

  // A search says what its targets come to.
  known.asked = DialRatios{.frequency = 4, .amplitude = 1, .sag = 1, .half_life = 1};
  EXPECT_NE(all_text(response_card(job, n, known)).find("|\u00d74, 10 Hz, 2.4 frames a bounce|"), std::string::npos);
}

TEST_F(RunReport, UnknownNumbersAreNull) {
  const Job job = build_job(load_scene(two_bars(), {"material.half_life_s=0.4"}));
  RunNumbers n;
  n.parts.resize(2);
  n.whole.half_life_s = std::numeric_limits<double>::infinity();
  n.ring_note = "the motion never holds still at its end";
  KnownResponses known;
  known.baseline.amplitude_rms_m = 0;
  known.baseline.frequency_hz = std::numeric_limits<double>::infinity();
  Json report;
  put_responses(report, job, n, known);
  const auto j = nlohmann::json::parse(report.text());
  for (const char* key : {"amplitude", "amplitude_rms_m", "peak_m", "frequency_hz", "half_life_s", "sag_m"})
    EXPECT_TRUE(j["measured"][key].is_null()) << key;
  for (const char* key : {"frequency", "amplitude", "half_life", "peak", "sag"})
    EXPECT_TRUE(j["measured_ratio"][key].is_null()) << key;
  const std::string text = all_text(response_card(job, n, known));
  EXPECT_EQ(text.find("nan"), std::string::npos) << text;
  EXPECT_EQ(text.find("inf"), std::string::npos) << text;
  EXPECT_NE(text.find("never holds still"), std::string::npos);
}

// A run of one frame, and one that never comes to rest, have numbers to be silent about.
TEST_F(RunReport, ShortRuns) {
  const std::string scene = two_bars();
  for (const char* range : {"timeline.range=[0,0]", "timeline.range=[0,4]"}) {
    const RunResult r = run_job(build_job(load_scene(scene, {range})), {.directory = path("out"), .overwrite = true});
    ASSERT_EQ(r.status, RunStatus::done);
    const auto j = report("out");
    EXPECT_TRUE(j["measured"]["frequency_hz"].is_null());
    EXPECT_FALSE(j["measured"]["note"].get<std::string>().empty());
    EXPECT_TRUE(j["measured"]["amplitude_rms_m"].is_number());
    EXPECT_EQ(read(path("out/report.html")).find(">nan"), std::string::npos);
  }
}

// Adjusted inertia of a body that turns faster than it swings: said, and only then.
TEST_F(RunReport, TooMuchSpinIsToldOf) {
  const std::string scene = two_bars();
  write("keys.csv", "0,0,0,0,0,0,0,1\n0.1,0,0,0,0,1,0,0\n0.2,0,0,0,0,0,0,-1\n");
  for (const char* amplitude : {"controls.amplitude=1.5", "controls.amplitude=1"}) {
    const Job job =
        build_job(load_scene(scene, {"timeline.range=[0,3]", "material.youngs_modulus=2e4",
                                     "material.model=stable-neo-hookean", "output.report=false", amplitude}));
    const RunResult r = run_job(job, {.directory = path("out"), .overwrite = true});
    const bool told =
        read(path("out/report.json")).find("no bounded answer for a linear material") != std::string::npos;
    EXPECT_EQ(told, amplitude == std::string("controls.amplitude=1.5")) << r.message;
  }
}

}  // namespace supple
