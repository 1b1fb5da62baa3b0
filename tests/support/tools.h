// Programs that some tests need and a machine may not have.
#pragma once
#include <cstdlib>
#include <filesystem>
#include <string>

namespace supple::test {

inline bool runs(const std::string& command) { return std::system((command + " > /dev/null 2>&1").c_str()) == 0; }

// Why a node package cannot be used, or "". variable: of the environment, that names its folder.
inline std::string missing_package(const char* variable, const char* package) {
  if (!runs("node --version")) return "node is not on the PATH";
  const char* folder = std::getenv(variable);
  if (!folder || !std::filesystem::exists(std::filesystem::path(folder) / "package.json"))
    return std::string("set ") + variable + " to the folder of the node package " + package;
  return "";
}

}  // namespace supple::test
