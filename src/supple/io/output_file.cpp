#include "supple/io/output_file.h"

#include <cstdio>
#include <filesystem>

#include "supple/base/error.h"

namespace supple {

void write_text(const std::string& path, std::string_view text) {
  OutputFile out(path);
  out.write(text);
  out.commit();
}

void rename_into_place(const std::string& part, const std::string& path) {
  std::error_code error;
  std::filesystem::rename(part, path, error);
  if (error) throw InputError({path, 0, 0, ""}, "the file cannot be put in place: " + error.message());
}

OutputFile::OutputFile(const std::string& path) : path_(path), part_(path + ".part") {
  // Anew, not through a link that lies there.
  std::remove(part_.c_str());
  out_.open(part_, std::ios::binary | std::ios::trunc);
  if (!out_) {
    throw InputError({path, 0, 0, ""}, "the file cannot be written", "Check that its directory exists and is yours.");
  }
}

OutputFile::~OutputFile() {
  if (done_) return;
  out_.close();
  std::remove(part_.c_str());
}

void OutputFile::flush() {
  out_.write(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
  written_ += buffer_.size();
  buffer_.clear();
}

void OutputFile::write(std::string_view bytes) {
  if (bytes.size() > kFlushAt) {
    flush();
    out_.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    written_ += bytes.size();
    return;
  }
  buffer_ += bytes;
  if (buffer_.size() > kFlushAt) flush();
}

std::ofstream& OutputFile::stream() {
  flush();
  return out_;
}

void OutputFile::commit() {
  flush();
  out_.close();
  if (!out_) throw InputError({path_, 0, 0, ""}, "the file could not be written in full", "Is the disk full?");
  rename_into_place(part_, path_);
  done_ = true;
}

}  // namespace supple
