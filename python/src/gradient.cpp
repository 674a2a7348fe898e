#include "gradient.hpp"

#include <nanobind/ndarray.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "data.hpp"

namespace tailcoat::python {
namespace {

namespace nb = nanobind;

constexpr std::size_t kMostRows = 1024;  // in a block
constexpr std::size_t kGrowth = 4;       // of blocks, as long as rows are asked for one after the other

using Gradients = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

}  // namespace

PythonGradient::Block& PythonGradient::block_of_this_thread() {
  const std::lock_guard lock(mutex_);
  return blocks_[std::this_thread::get_id()];
}

void PythonGradient::operator()(std::size_t row, std::span<const double> x, std::span<double> out) {
  if (state_.stop) throw std::runtime_error("stopped");
  Block& block = block_of_this_thread();
  // A new point asks for one row: many algorithms take one step per row. Only whoever stays gets more.
  if (!std::ranges::equal(block.x, x)) {
    fetch(block, row, 1, x);
  } else if (row < block.first || row >= block.first + block.count) {
    const bool next = row == block.first + block.count;
    fetch(block, row, std::min({next ? kGrowth * block.count : 1, kMostRows, rows_ - row}), x);
  }
  give(block, row, out);
}

void PythonGradient::alone(std::size_t row, std::span<const double> x, std::span<double> out) {
  if (state_.stop) throw std::runtime_error("stopped");
  Block& block = block_of_this_thread();
  fetch(block, row, 1, x);
  give(block, row, out);
}

void PythonGradient::give(Block& block, std::size_t row, std::span<double> out) {
  const auto* found = block.gradients.data() + (row - block.first) * out.size();
  std::copy(found, found + out.size(), out.begin());
  if (std::exchange(block.last, row) != row) ++state_.done;
}

void PythonGradient::fetch(Block& block, std::size_t first, std::size_t count, std::span<const double> x) {
  block.x.assign(x.begin(), x.end());
  block.first = first;
  block.count = count;
  block.gradients.resize(count * x.size());
  call(block);
}

void PythonGradient::call(Block& block) {
  const nb::gil_scoped_acquire acquire;
  try {
    auto [x, numbers] = new_array(block.x.size());
    std::copy(block.x.begin(), block.x.end(), numbers.begin());
    const auto found = nb::cast<Gradients>(gradient_(x, block.first, block.first + block.count));
    if (found.shape(0) != block.count || found.shape(1) != block.x.size())
      throw std::runtime_error("the gradients have another shape");
    std::copy_n(found.data(), block.gradients.size(), block.gradients.begin());
  } catch (nb::python_error& error) {
    block.count = 0;
    state_.stop_because(std::move(error));
    throw std::runtime_error("the gradient has raised an exception");
  }
}

}  // namespace tailcoat::python
