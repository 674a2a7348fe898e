// InputFile: a regular file opened for reading, which notices when the file changes meanwhile. ByteStream: its bytes
// in order, unpacked if they are gzip (told by the first two bytes, not by the name).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tailcoat/base/result.hpp"

struct z_stream_s;

namespace tailcoat {

class InputFile {
 public:
  static Result<InputFile> open(const std::string& path);
  InputFile(InputFile&& other) noexcept
      : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)), version_(other.version_) {}
  InputFile& operator=(InputFile&& other) = delete;
  ~InputFile();

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::uint64_t size() const { return version_.size; }

  // Fills `bytes` from `offset` on and returns how many there are, fewer only at the end of the file.
  [[nodiscard]] Result<std::size_t> read_at(std::uint64_t offset, std::span<char> bytes) const;

  // An error if the file has been written since it was opened.
  [[nodiscard]] Result<void> check_unchanged() const;

 private:
  struct Version {
    std::uint64_t size;
    std::int64_t seconds, nanoseconds;  // of the last write
    bool operator==(const Version&) const = default;
  };

  InputFile(std::string path, int descriptor, Version version)
      : path_(std::move(path)), descriptor_(descriptor), version_(version) {}

  std::string path_;
  int descriptor_;
  Version version_;
};

class ByteStream {
 public:
  static Result<ByteStream> open(const std::string& path);

  [[nodiscard]] const std::string& path() const { return file_.path(); }

  // Fills `bytes` and returns how many there are, fewer only at the end. The end of a file that changed while it was
  // read, or of an incomplete gzip file, is an error.
  Result<std::size_t> read(std::span<char> bytes);

  Result<void> rewind();

 private:
  using Inflater = std::unique_ptr<z_stream_s, void (*)(z_stream_s*)>;

  ByteStream(InputFile file, Inflater inflater);

  Result<std::size_t> unpack(std::span<char> bytes);
  Result<bool> next_packed();

  InputFile file_;
  std::uint64_t offset_ = 0;
  Inflater inflater_;  // null for a plain file
  bool in_member_ = true;
  std::vector<char> packed_;
};

}  // namespace tailcoat
