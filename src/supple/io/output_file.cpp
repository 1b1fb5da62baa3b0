#include "supple/io/output_file.h"

namespace supple {

void write_text(const std::string& path, std::string_view text) {
  OutputFile out(path);
  out.write(text);
  out.commit();
}

OutputFile::OutputFile(const std::string& path) : file_(path) {}

OutputFile::~OutputFile() {
  if (!done_) file_.drop();
}

void OutputFile::flush() {
  file_.write(buffer_);
  buffer_.clear();
}

void OutputFile::write(std::string_view bytes) {
  if (bytes.size() > kFlushAt) {
    flush();
    return file_.write(bytes);
  }
  buffer_ += bytes;
  if (buffer_.size() > kFlushAt) flush();
}

void OutputFile::commit() {
  flush();
  file_.put_in_place();
  done_ = true;
}

}  // namespace supple
