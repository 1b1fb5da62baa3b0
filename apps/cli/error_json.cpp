#include "error_json.h"

namespace supple {

Json error_json(const char* kind, const std::string& message) {
  Json json;
  json["kind"] = kind;
  json["message"] = message;
  return json;
}

Json error_json(const InputError& e) {
  Json json = error_json("input", e.what());
  json["file"] = e.where().file;
  json["line"] = e.where().line > 0 ? Json(e.where().line) : Json();
  json["column"] = e.where().column > 0 ? Json(e.where().column) : Json();
  json["place"] = e.where().place;
  json["fault"] = e.fault();
  json["advice"] = e.advice();
  return json;
}

}  // namespace supple
