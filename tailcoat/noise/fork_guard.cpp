#include "tailcoat/noise/fork_guard.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstring>

namespace tailcoat {
namespace {

constexpr std::size_t kPage = 1;  // rounded up to a page by the kernel

Error unavailable(const char* call) {
  return system_error(fmt::format("{} failed with {}; without it a child process could repeat the noise of its parent",
                                  call, std::strerror(errno)));
}

}  // namespace

Result<std::unique_ptr<ForkGuard>> ForkGuard::create() {
  void* const page = mmap(nullptr, kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return unavailable("mmap");
  if (madvise(page, kPage, MADV_WIPEONFORK) != 0) {
    const Error error = unavailable("madvise(MADV_WIPEONFORK)");
    munmap(page, kPage);
    return error;
  }
  auto* const mark = static_cast<unsigned char*>(page);
  *mark = 1;
  return std::unique_ptr<ForkGuard>(new ForkGuard(mark));
}

ForkGuard::~ForkGuard() { munmap(const_cast<unsigned char*>(mark_), kPage); }

}  // namespace tailcoat
