#include "job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

#include "tailcoat/engine/float_environment.hpp"

namespace tailcoat::python {
namespace {

constexpr auto kPatience = std::chrono::milliseconds(50);  // between two looks at signals and progress

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

}  // namespace

void run_job(JobState& state, const std::function<void()>& work, const nb::object& progress) {
  Reporter reporter(progress, state);
  Worker worker(work);
  bool ended = false;
  while (!ended) {
    {
      const nb::gil_scoped_release release;
      ended = worker.wait(kPatience);
    }
    if (state.raised) continue;
    try {
      look_around(reporter);
    } catch (nb::python_error& error) {
      state.stop_because(std::move(error));
    }
  }
  {
    const nb::gil_scoped_release release;
    worker.join();
  }
  if (!state.raised && worker.failure()) std::rethrow_exception(worker.failure());
}

void throw_raised(JobState& state, const std::optional<Spent>& spent) {
  const nb::object raised = nb::borrow(state.raised->value());
  if (spent)
    nb::module_::import_("tailcoat._errors").attr("tell_spent")(raised, spent->epsilon, spent->delta);
  else if (!nb::hasattr(raised, "spent"))
    raised.attr("spent") = nb::none();
  throw std::move(*state.raised);
}

Error unforeseen(const std::exception& thrown, ApproxDp budget) {
  const Spent spent{.epsilon = budget.epsilon, .delta = budget.delta};
  return {.kind = ErrorKind::system,
          .message = fmt::format("{}; count the whole budget of the run, epsilon = {:g}, delta = {:g}, as spent",
                                 thrown.what(), spent.epsilon, spent.delta),
          .spent = spent};
}

void Interrupts::check() {
  const auto now = std::chrono::steady_clock::now();
  if (now - last_ < kPatience) return;
  last_ = now;
  const nb::gil_scoped_acquire acquire;
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

}  // namespace tailcoat::python
