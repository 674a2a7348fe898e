// Work that takes long. run_job: on a thread of its own and without the GIL, while the calling thread listens for
// Ctrl-C and reports progress; only the calling thread runs Python's signal handlers and the user's progress callback.
// Interrupts: on the calling thread, which looks for Ctrl-C now and then.
#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <exception>
#include <functional>
#include <optional>
#include <utility>

#include "bindings.hpp"
#include "tailcoat/privacy/guarantees.hpp"

namespace tailcoat::python {

// What the work and the thread that waits for it tell each other.
struct JobState {
  std::atomic<bool> stop = false;                // the work should end as soon as it can
  std::atomic<std::size_t> done = 0, total = 0;  // progress, in public steps; nothing is shown while total is 0
  std::optional<nb::python_error> raised{};      // the first that Python raised meanwhile; with the GIL

  // With the GIL.
  void stop_because(nb::python_error&& error) {
    stop = true;
    if (!raised) raised.emplace(std::move(error));
  }
  void finish() {
    if (total == 0) total = 1;
    done = total.load();
  }
};

// Runs work() to its end. If Python wants to be interrupted, or `progress` raises, state.stop is set and state.raised.
void run_job(JobState& state, const std::function<void()>& work, const nb::object& progress);

// Throws what Python raised, after telling it what counts as spent.
[[noreturn]] void throw_raised(JobState& state, const std::optional<Spent>& spent);

// An exception that nobody foresaw; all may have been released by then.
Error unforeseen(const std::exception& thrown, ApproxDp budget);

// The value of work(), a private run with this budget. What is raised instead says how much of it is spent: nothing if
// the run was stopped before its first release, else all of it.
template <class T>
T run_private(JobState& state, ApproxDp budget, const std::function<Result<T>()>& work, const nb::object& progress) {
  std::optional<Result<T>> outcome;
  const auto guarded = [&] {
    try {
      outcome.emplace(work());
      if (outcome->ok()) state.finish();
    } catch (const std::exception& thrown) {
      outcome.emplace(unforeseen(thrown, budget));
    }
  };
  run_job(state, guarded, progress);
  if (state.raised)
    throw_raised(state,
                 outcome->ok() ? Spent{.epsilon = budget.epsilon, .delta = budget.delta} : outcome->error().spent);
  return value_of(std::move(*outcome));
}

// For loops without the GIL.
class Interrupts {
 public:
  // Throws what Python raises, if something is to be raised. Looks only now and then, so it may be called often.
  void check();

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace tailcoat::python
