// run_job: work that takes long, on a thread of its own and without the GIL, while the calling thread listens for
// Ctrl-C and reports progress. Only the calling thread runs Python's signal handlers and the user's progress callback.
#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <cstddef>
#include <functional>

namespace tailcoat::python {

// What the work and the thread that waits for it tell each other.
struct JobState {
  std::atomic<bool> stop = false;                // the work should end as soon as it can
  std::atomic<std::size_t> done = 0, total = 0;  // progress, in any unit
};

// Runs work() to its end. If Python wants to be interrupted, or `progress` raises, state.stop is set, and when the
// work has ended the Python exception is thrown, with a note that what was released stays charged.
void run_job(JobState& state, const std::function<void()>& work, const nanobind::object& progress);

}  // namespace tailcoat::python
