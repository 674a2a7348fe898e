// Workers: a fixed set of threads, parked between passes. A pass hands out chunks of an index range to whoever is free,
// the caller included; every thread computes in the default floating-point environment.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace tailcoat {

// Ends a pass, and what it is part of, because somebody asked for it.
struct Stopped : std::exception {
  [[nodiscard]] const char* what() const noexcept override { return "stopped"; }
};

class Workers {
 public:
  // Called for items [begin, end) by the thread with number worker < count().
  using Job = std::function<void(std::size_t worker, std::size_t begin, std::size_t end)>;

  // 0 threads: one per core. Fewer, where the system does not give as many (at most 256).
  // While `stop`, if there is one, is set, passes end with Stopped.
  explicit Workers(std::size_t threads, const std::atomic<bool>* stop = nullptr);
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  [[nodiscard]] std::size_t count() const { return threads_.size() + 1; }

  // Returns when [0, items) is done, or with the first exception; chunks not yet started are then left out. Callers on
  // several threads take turns; a job that itself calls this gets its work done on its own thread.
  std::exception_ptr for_each_chunk(std::size_t items, std::size_t chunk, const Job& job);

  // Throws Stopped if asked to: for work that is not done in passes.
  void check_stop() const {
    if (asked_to_stop_ != nullptr && *asked_to_stop_) throw Stopped();
  }

 private:
  struct Pass;
  void serve(std::size_t worker);

  const std::atomic<bool>* asked_to_stop_;
  std::mutex turn_;  // held by the caller whose pass is running
  std::mutex mutex_;
  std::condition_variable wake_, done_;
  Pass* pass_ = nullptr;  // this and what follows: guarded by mutex_
  std::uint64_t passes_ = 0;
  std::size_t busy_ = 0;
  bool stop_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace tailcoat
