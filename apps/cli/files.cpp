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

Result<void> write_partial(const NewFile& file) {
  TAILCOAT_CHECK(check_place(file.path));
  std::FILE* out = std::fopen(partial_name(file).c_str(), "wxe");
  if (out == nullptr) return cannot_write(file.path, errno);
  const bool written = file.write(
      [out](const std::string& text) { return std::fwrite(text.data(), 1, text.size(), out) == text.size(); });
  const int error = errno;
  const bool closed = std::fclose(out) == 0;
  if (written && closed) return {};
  if (!written && *Interrupts::asked()) return system_error("stopped");
  return cannot_write(file.path, written ? errno : error);
}

Result<void> move_into_place(const NewFile& file) {
  if (std::rename(partial_name(file).c_str(), file.path.c_str()) == 0) return {};
  return cannot_write(file.path, errno);
}

bool same_file(const std::string& a, const std::string& b) {
  std::error_code ignored;  // one that is not there is no other
  return std::filesystem::equivalent(a, b, ignored);
}

Result<void> make_trials(const std::vector<NewFile>& trials) {
  for (std::size_t i = 0; i < trials.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j)
      if (same_file(partial_name(trials[j]), partial_name(trials[i])))
        return usage_error(fmt::format("{} is given for two outputs; give each its own file", trials[i].path));
    TAILCOAT_CHECK(write_partial(trials[i]));
  }
  return {};
}

void remove_partials(const std::vector<NewFile>& files) {
  for (const NewFile& file : files) unlink(partial_name(file).c_str());
}

}  // namespace

NewFile text_file(std::string path, std::string text) {
  return {std::move(path), [text = std::move(text)](const Append& append) { return append(text); }};
}

Result<void> check_outputs(const std::vector<std::string>& outputs, const std::vector<std::string>& inputs) {
  std::vector<NewFile> trials;
  for (const std::string& output : outputs) {
    if (std::ranges::any_of(inputs, [&](const std::string& input) { return same_file(input, output); }))
      return usage_error(fmt::format("{} is read by this run and would be overwritten; give another name", output));
    trials.push_back(text_file(output, ""));
  }
  const Interrupts interrupts;  // none ends the program while the trials are there
  const Result<void> made = make_trials(trials);
  remove_partials(trials);
  return made;
}

Result<void> write_files(const std::vector<NewFile>& files) {
  const Interrupts interrupts;  // what takes long asks for them, and gives up
  for (auto* step : {&write_partial, &move_into_place}) {
    for (const NewFile& file : files) {
      if (auto done = step(file); !done) {
        remove_partials(files);
        return done;
      }
    }
  }
  return {};
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
