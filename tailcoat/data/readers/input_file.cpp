#include "tailcoat/data/readers/input_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <array>
#include <cerrno>
#include <system_error>

#include "tailcoat/data/text.hpp"

namespace tailcoat {
namespace {

constexpr std::size_t kPackedBytes = 1 << 16;
constexpr int kGzipWindow = 15 + 16;  // zlib's way to say: gzip format, largest window

std::string reason(int error) { return std::generic_category().message(error); }

std::string shown(const std::string& path) { return in_quotes(path, 200); }

}  // namespace

Result<InputFile> InputFile::open(const std::string& path) {
  // Without O_NONBLOCK, opening a pipe would wait for a writer.
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return data_error(fmt::format("{} cannot be opened: {}", shown(path), reason(errno)));
  InputFile file(path, descriptor, {});
  struct stat status {};
  if (fstat(descriptor, &status) != 0) {
    return system_error(fmt::format("{} cannot be examined: {}", shown(path), reason(errno)));
  }
  if (S_ISDIR(status.st_mode)) return data_error(fmt::format("{} is a directory; name a file in it", shown(path)));
  if (!S_ISREG(status.st_mode)) {
    return data_error(fmt::format("{} is not a regular file; write the data to one first", shown(path)));
  }
  file.version_ = {static_cast<std::uint64_t>(status.st_size), status.st_mtim.tv_sec, status.st_mtim.tv_nsec};
  return file;
}

InputFile::~InputFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Result<std::size_t> InputFile::read_at(std::uint64_t offset, std::span<char> bytes) const {
  std::size_t count = 0;
  while (count < bytes.size()) {
    const ssize_t got =
        pread(descriptor_, bytes.data() + count, bytes.size() - count, static_cast<off_t>(offset + count));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return system_error(fmt::format("{} cannot be read: {}", shown(path_), reason(errno)));
    if (got == 0) break;
    count += static_cast<std::size_t>(got);
  }
  return count;
}

Result<void> InputFile::check_unchanged() const {
  struct stat status {};
  if (fstat(descriptor_, &status) != 0) {
    return system_error(fmt::format("{} cannot be examined: {}", shown(path_), reason(errno)));
  }
  const Version now{static_cast<std::uint64_t>(status.st_size), status.st_mtim.tv_sec, status.st_mtim.tv_nsec};
  if (now == version_) return {};
  return data_error(fmt::format("{} changed while it was read; try again when nothing writes to it", shown(path_)));
}

ByteStream::ByteStream(InputFile file, Inflater inflater) : file_(std::move(file)), inflater_(std::move(inflater)) {
  if (inflater_) packed_.resize(kPackedBytes);
}

Result<ByteStream> ByteStream::open(const std::string& path) {
  TAILCOAT_TRY(file, InputFile::open(path));
  std::array<char, 2> magic{};
  TAILCOAT_TRY(count, file.read_at(0, magic));
  Inflater inflater(nullptr, [](z_stream_s* stream) {
    inflateEnd(stream);
    delete stream;
  });
  if (count == magic.size() && magic[0] == '\x1f' && magic[1] == '\x8b') {
    auto stream = std::make_unique<z_stream>();
    if (inflateInit2(stream.get(), kGzipWindow) != Z_OK) return system_error("zlib cannot be started: no memory");
    inflater.reset(stream.release());
  }
  return ByteStream(std::move(file), std::move(inflater));
}

Result<std::size_t> ByteStream::read(std::span<char> bytes) {
  if (inflater_) return unpack(bytes);
  TAILCOAT_TRY(count, file_.read_at(offset_, bytes));
  offset_ += count;
  if (count < bytes.size()) TAILCOAT_CHECK(file_.check_unchanged());
  return count;
}

// Makes packed bytes available; false at the end of the file.
Result<bool> ByteStream::next_packed() {
  if (inflater_->avail_in > 0) return true;
  TAILCOAT_TRY(count, file_.read_at(offset_, packed_));
  offset_ += count;
  inflater_->next_in = reinterpret_cast<Bytef*>(packed_.data());
  inflater_->avail_in = static_cast<uInt>(count);
  if (count == 0) TAILCOAT_CHECK(file_.check_unchanged());
  return count > 0;
}

// A gzip file is a sequence of members; zero bytes may pad it.
Result<std::size_t> ByteStream::unpack(std::span<char> bytes) {
  inflater_->next_out = reinterpret_cast<Bytef*>(bytes.data());
  inflater_->avail_out = static_cast<uInt>(bytes.size());
  while (inflater_->avail_out > 0) {
    TAILCOAT_TRY(more, next_packed());
    if (!more && in_member_) {
      return data_error(fmt::format("{} ends inside its gzip data; it is incomplete", shown(path())));
    }
    if (!more) break;
    if (!in_member_) {
      if (*inflater_->next_in == 0) {
        ++inflater_->next_in;
        --inflater_->avail_in;
        continue;
      }
      inflateReset(inflater_.get());
      in_member_ = true;
    }
    const int status = inflate(inflater_.get(), Z_NO_FLUSH);
    if (status == Z_STREAM_END) in_member_ = false;
    if (status == Z_MEM_ERROR) return system_error(fmt::format("no memory to unpack {}", shown(path())));
    if (status != Z_OK && status != Z_STREAM_END) {
      return data_error(fmt::format("{} has damaged gzip data: {}", shown(path()),
                                    inflater_->msg != nullptr ? inflater_->msg : "unexpected content"));
    }
  }
  return bytes.size() - inflater_->avail_out;
}

Result<void> ByteStream::rewind() {
  TAILCOAT_CHECK(file_.check_unchanged());
  offset_ = 0;
  if (inflater_) {
    inflateReset(inflater_.get());
    inflater_->avail_in = 0;
    in_member_ = true;
  }
  return {};
}

}  // namespace tailcoat
