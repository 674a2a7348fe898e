// PythonGradient: the gradient of a user's loss as the engine asks for it, row by row and from several threads, served
// from blocks of rows that Python computes at once.
#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include "job.hpp"

namespace tailcoat::python {

class PythonGradient {
 public:
  // `gradient(x, begin, end)` gives an array of end - begin rows; `rows` there are.
  PythonGradient(nanobind::object gradient, std::size_t rows, JobState& state)
      : gradient_(std::move(gradient)), rows_(rows), state_(state) {}

  // Throws if the job is to stop. If Python raises, the job is to stop because of that. Counts visits of rows as done:
  // how often an inner loop asks for the row it is at depends on what is in it.
  void operator()(std::size_t row, std::span<const double> x, std::span<double> out);
  // The same by a call for this row alone: in a call for several its last bits may depend on which others there are,
  // and a batch is secret.
  void alone(std::size_t row, std::span<const double> x, std::span<double> out);

 private:
  // The rows that were last computed for a thread.
  struct Block {
    std::vector<double> x{}, gradients{};
    std::size_t first = 0, count = 0;
    std::optional<std::size_t> last{};  // row that was asked for
  };

  Block& block_of_this_thread();
  void fetch(Block&, std::size_t first, std::size_t count, std::span<const double> x);
  void call(Block&);
  void give(Block&, std::size_t row, std::span<double> out);

  nanobind::object gradient_;
  std::size_t rows_;
  JobState& state_;
  std::mutex mutex_;
  std::map<std::thread::id, Block> blocks_;
};

}  // namespace tailcoat::python
