// A character's own file with the soft clip of a run added.
#pragma once
#include <string>
#include <vector>

#include "supple/io/gltf/soft_glb.h"
#include "supple/pipeline/character/character_subject.h"
#include "supple/pipeline/deliver/delivered_run.h"

namespace supple::pipeline {

// Whether a run of it has one: of a character whose own file moves it.
bool has_soft_clip(const Subject& subject);
// The soft clip of a finished run; departures: of every frame.
SoftClip soft_clip(const Job& job, const DeliveredRun& run, std::vector<Departure> departures);

// That clip as a file shows it, drawn at every frame of the job's shot: in units and the vertex order of the file.
// name: gets what the clip is called there. Empty: the file has no such clip or other vertices.
PointCache read_soft_clip(const std::string& file, const Job& job, int n_frames, std::string& name);

// Meshes of a soft clip from displacements [m] of all drawn vertices as bound, before skin and bones, one list a frame.
// Those that never move are left out. stretch: of all drawn vertices, one list a frame: how many times as long a
// displacement may come out of the skin; empty: once.
std::vector<SoftMesh> soft_meshes(const CharacterSetup& c, const std::vector<Points>& bound,
                                  const std::vector<Eigen::VectorXf>& stretch = {});

// What the scene says of the file's targets, and what became of them in report.json.
SoftGlbOptions glb_options(const OutputConfig& output);
void put_glb_report(const SoftGlbReport& report, Json& output);

}  // namespace supple::pipeline
