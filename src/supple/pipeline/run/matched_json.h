// What anti-locking was matched to (sim/matched_share.h), as reports hold it.
#pragma once
#include "supple/report/json.h"
#include "supple/sim/matched_share.h"

namespace supple::pipeline {

inline Json matched_json(const MatchedShare& m) {
  Json j;
  j["tet_share"] = m.share, j["plain_hz"] = m.plain_hz, j["ten_node_hz"] = m.wanted_hz, j["matched_hz"] = m.found_hz;
  return j;
}

}  // namespace supple::pipeline
