#include "tailcoat/engine/workers.hpp"

#include <algorithm>
#include <system_error>
#include <utility>

#include "tailcoat/engine/float_environment.hpp"

namespace tailcoat {
namespace {

constexpr std::size_t kMostThreads = 256;

thread_local bool in_pass = false;

}  // namespace

struct Workers::Pass {
  const Workers& workers;
  const Job& job;
  std::size_t items, chunk;
  std::atomic<std::size_t> next = 0;
  std::atomic<bool> failed = false;
  std::exception_ptr error = nullptr;  // of the thread that set `failed`

  void work(std::size_t worker) noexcept {
    const DefaultFloatEnvironment environment;
    const bool nested = std::exchange(in_pass, true);
    try {
      while (!failed) {
        const std::size_t begin = next.fetch_add(chunk);
        if (begin >= items) break;
        workers.check_stop();
        job(worker, begin, std::min(items, begin + chunk));
      }
    } catch (...) {
      if (!failed.exchange(true)) error = std::current_exception();
    }
    in_pass = nested;
  }
};

Workers::Workers(std::size_t threads, const std::atomic<bool>* stop) : asked_to_stop_(stop) {
  if (threads == 0) threads = std::max(1u, std::thread::hardware_concurrency());
  threads = std::min(threads, kMostThreads);
  try {
    threads_.reserve(threads - 1);
    for (std::size_t worker = 1; worker < threads; ++worker) threads_.emplace_back([this, worker] { serve(worker); });
  } catch (const std::system_error&) {
    // No more threads to be had. The result is the same with those there are.
  }
}

Workers::~Workers() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

std::exception_ptr Workers::for_each_chunk(std::size_t items, std::size_t chunk, const Job& job) {
  Pass pass{.workers = *this, .job = job, .items = items, .chunk = chunk};
  if (in_pass || threads_.empty() || items <= chunk) {
    pass.work(0);
    return pass.error;
  }
  const std::lock_guard turn(turn_);
  {
    const std::lock_guard lock(mutex_);
    pass_ = &pass;
    busy_ = threads_.size();
    ++passes_;
  }
  wake_.notify_all();
  pass.work(0);
  std::unique_lock lock(mutex_);
  done_.wait(lock, [this] { return busy_ == 0; });
  return pass.error;
}

void Workers::serve(std::size_t worker) {
  std::uint64_t served = 0;
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [&] { return stop_ || passes_ != served; });
    if (stop_) return;
    served = passes_;
    Pass* const pass = pass_;
    lock.unlock();
    pass->work(worker);
    lock.lock();
    if (--busy_ == 0) done_.notify_one();
  }
}

}  // namespace tailcoat
