#include "supple/scene/schema.h"

#include "commands.h"

namespace supple {

int run_schema(const SchemaOptions& options, const Console& console) {
  console.result(schema_json(), options.markdown ? schema_markdown() : schema_text());
  return 0;
}

}  // namespace supple
