#include "files.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "interrupt.hpp"

namespace tailcoat::cli {
namespace {

std::string partial_name(const NewFile& file) { return fmt::format("{}.partial-{}", file.path, getpid()); }

Error cannot_write(const std::string& path, int error) {
  return system_error(fmt::format("cannot write {}: {}", path, std::strerror(error)));
}

// A file that is moved there would replace what is no file: a device, a folder.
Result<void> check_place(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0 || S_ISREG(status.st_mode)) return {};
  return system_error(fmt::format("cannot write {}: it is there and no regular file", path));
}

// A partial file of that name which is there already is somebody else's, and stays.
Result<void> write_partial(const NewFile& file) {
  TAILCOAT_CHECK(check_place(file.path));
  const std::string name = partial_name(file);
  std::FILE* out = std::fopen(name.c_str(), "wxe");
  if (out == nullptr) return cannot_write(errno == EEXIST ? name : file.path, errno);
  const bool written = file.write(
      [out](const std::string& text) { return std::fwrite(text.data(), 1, text.size(), out) == text.size(); });
  int error = errno;
  const bool closed = std::fclose(out) == 0;
  if (written && closed) return {};
  if (written) error = errno;
  unlink(name.c_str());
  if (!written && *Interrupts::asked()) return system_error("stopped");
  return cannot_write(file.path, error);
}

bool same_file(const std::string& a, const std::string& b) {
  std::error_code ignored;  // one that is not there is no other
  return std::filesystem::equivalent(a, b, ignored);
}

// Partial files of this run; those that are not moved into place vanish.
class Partials {
 public:
  Partials() = default;
  ~Partials() {
    for (const NewFile* file : made_) unlink(partial_name(*file).c_str());
  }
  Partials(const Partials&) = delete;
  Partials& operator=(const Partials&) = delete;

  Result<void> write(const NewFile& file) {
    for (const NewFile* other : made_)
      if (same_file(partial_name(*other), partial_name(file)))
        return usage_error(fmt::format("{} is given for two outputs; give each its own file", file.path));
    TAILCOAT_CHECK(write_partial(file));
    made_.push_back(&file);
    return {};
  }

  // What has been moved stays, and an error names it.
  Result<void> move_into_place() {
    std::string moved;
    for (const NewFile* file : made_) {
      if (std::rename(partial_name(*file).c_str(), file->path.c_str()) != 0) {
        Error error = cannot_write(file->path, errno);
        if (!moved.empty()) error.message += "; written before that: " + moved;
        return error;
      }
      moved += (moved.empty() ? "" : ", ") + file->path;
    }
    made_.clear();
    return {};
  }

 private:
  std::vector<const NewFile*> made_;
};

}  // namespace

NewFile text_file(std::string path, std::string text) {
  return {std::move(path), [text = std::move(text)](const Append& append) { return append(text); }};
}

Result<void> check_outputs(const std::vector<std::string>& outputs, const std::vector<std::string>& inputs) {
  std::vector<NewFile> trials;
  for (const std::string& output : outputs) {
    if (output == "-") return usage_error("an output of this run is a file, and - is none; give a file name");
    if (std::ranges::any_of(inputs, [&](const std::string& input) { return same_file(input, output); }))
      return usage_error(fmt::format("{} is read by this run and would be overwritten; give another name", output));
    trials.push_back(text_file(output, ""));
  }
  const Interrupts interrupts;  // none ends the program while the trials are there
  Partials partials;
  for (const NewFile& trial : trials) TAILCOAT_CHECK(partials.write(trial));
  return {};
}

Result<void> write_files(const std::vector<NewFile>& files) {
  const Interrupts interrupts;  // what takes long asks for them, and gives up
  Partials partials;
  for (const NewFile& file : files) TAILCOAT_CHECK(partials.write(file));
  return partials.move_into_place();
}

Result<OutputDirectory> OutputDirectory::open(std::string path) {
  const bool made = mkdir(path.c_str(), 0777) == 0;
  if (!made && errno != EEXIST) return cannot_write(path, errno);
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return cannot_write(path, errno);
  if (!S_ISDIR(status.st_mode)) return system_error(fmt::format("cannot write {}: it is not a directory", path));
  if (access(path.c_str(), W_OK | X_OK) != 0) return cannot_write(path, errno);
  return OutputDirectory(std::move(path), made);
}

OutputDirectory::OutputDirectory(OutputDirectory&& other) noexcept
    : path_(std::move(other.path_)), made_(std::exchange(other.made_, false)) {}

OutputDirectory::~OutputDirectory() {
  if (made_) rmdir(path_.c_str());  // fails, as it should, if there is anything in it
}

}  // namespace tailcoat::cli
