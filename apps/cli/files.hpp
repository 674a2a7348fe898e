// Files that are there completely or not at all: each is written beside its place under another name and moved there
// when all of it, and all others of the same call, are on disk.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tailcoat/base/result.hpp"

namespace tailcoat::cli {

// Appends to the file; false if that failed.
using Append = std::function<bool(const std::string& text)>;

struct NewFile {
  std::string path;
  std::function<bool(const Append&)> write;  // false: give up
};

NewFile text_file(std::string path, std::string text);

// A system error names the file that could not be written; what was there before still is, and nothing is there in
// part. If all could be written but one not be moved into place, the error names those that already are there.
Result<void> write_files(const std::vector<NewFile>&);

// Refuses, before a run that must not be for nothing, outputs that cannot be written, are one file or are an input of
// the run. It tries: permissions do not tell, e.g. in /proc. A disk that fills up later is still an error then.
Result<void> check_outputs(const std::vector<std::string>& outputs, const std::vector<std::string>& inputs);

// A directory for output, made if it is not there, so that a run of minutes does not fail at its end. If nothing is put
// into one it made, it is removed again.
class OutputDirectory {
 public:
  static Result<OutputDirectory> open(std::string path);
  ~OutputDirectory();
  OutputDirectory(OutputDirectory&&) noexcept;
  OutputDirectory& operator=(OutputDirectory&&) = delete;

  [[nodiscard]] std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  OutputDirectory(std::string path, bool made) : path_(std::move(path)), made_(made) {}

  std::string path_;
  bool made_;
};

}  // namespace tailcoat::cli
