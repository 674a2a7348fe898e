#include "job.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>

#include "tailcoat/engine/float_environment.hpp"

namespace tailcoat::python {
namespace {

namespace nb = nanobind;

constexpr auto kPatience = std::chrono::milliseconds(50);  // between two looks at signals and progress
constexpr const char* kNote =
    "the run was stopped before its end: count the whole epsilon and delta of it as spent, nothing of it is given back";

// The thread that does the work, and whether it has ended.
class Worker {
 public:
  explicit Worker(const std::function<void()>& work)
      : thread_([this, &work] {
          const DefaultFloatEnvironment environment;  // a new thread has its parent's
          try {
            work();
          } catch (...) {
            failure_ = std::current_exception();
          }
          const std::lock_guard lock(mutex_);
          ended_ = true;
          changed_.notify_all();
        }) {}

  bool wait(std::chrono::milliseconds patience) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, patience, [&] { return ended_; });
  }

  void join() { thread_.join(); }
  [[nodiscard]] std::exception_ptr failure() const { return failure_; }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool ended_ = false;
  std::exception_ptr failure_;
  std::thread thread_;
};

// Calls back, with the GIL, when something has changed.
class Reporter {
 public:
  Reporter(const nb::object& callback, const JobState& state) : callback_(callback), state_(state) {}

  void report() {
    // Inner loops may ask for more gradients than planned; how many more depends on the data.
    const std::size_t total = state_.total, done = std::min<std::size_t>(state_.done, total);
    if (callback_.is_none() || total == 0 || done == shown_) return;
    shown_ = done;
    callback_(done, total);
  }

 private:
  const nb::object& callback_;
  const JobState& state_;
  std::size_t shown_ = 0;
};

void look_around(Reporter& reporter) {
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
  reporter.report();
}

void add_note(nb::python_error& error) {
  if (nb::hasattr(error.value(), "add_note")) error.value().attr("add_note")(kNote);
}

}  // namespace

void run_job(JobState& state, const std::function<void()>& work, const nb::object& progress) {
  Reporter reporter(progress, state);
  std::optional<nb::python_error> raised;
  Worker worker(work);
  bool ended = false;
  while (!ended) {
    {
      const nb::gil_scoped_release release;
      ended = worker.wait(kPatience);
    }
    if (raised) continue;
    try {
      look_around(reporter);
    } catch (nb::python_error& error) {
      state.stop = true;
      raised.emplace(std::move(error));
    }
  }
  {
    const nb::gil_scoped_release release;
    worker.join();
  }
  if (raised) {
    add_note(*raised);
    throw std::move(*raised);
  }
  if (worker.failure()) std::rethrow_exception(worker.failure());
}

}  // namespace tailcoat::python
