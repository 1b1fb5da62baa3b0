#include "supple/report/dials_json.h"

namespace supple {

Json json_of(const Response& r) {
  Json j;
  j["frequency_hz"] = r.frequency_hz, j["sag_m"] = r.sag_m, j["half_life_s"] = r.half_life_s;
  return j;
}

Json json_of(const Ratios& r) {
  Json j;
  j["frequency"] = r.frequency, j["amplitude"] = r.amplitude, j["sag"] = r.sag, j["half_life"] = r.half_life;
  return j;
}

Json json_of(const Scalings& s) {
  Json j;
  j["chi"] = s.chi, j["mu"] = s.mu, j["ck"] = s.ck, j["epsilon"] = s.epsilon;
  return j;
}

}  // namespace supple
