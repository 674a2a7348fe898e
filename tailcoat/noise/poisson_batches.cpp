#include "tailcoat/noise/poisson_batches.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <utility>

#include "tailcoat/noise/sort_rows.hpp"

namespace tailcoat {
namespace {

// Subsets of more than one row in 128 are marked in a bitmap, which sorts them: 16 bytes or fewer for each of them.
constexpr std::uint32_t kSparse = 128;

// Uniform rows by multiplication of 32-bit halves of words: those in the first `excess` = 2^32 mod rows places of a row
// are drawn again, which leaves floor(2^32 / rows) of them for each row. Half a word may be left over.
class UniformRows {
 public:
  UniformRows(std::uint32_t rows, BitStream& words)
      : rows_(rows), excess_(static_cast<std::uint32_t>((std::uint64_t{1} << 32) % rows)), words_(words) {}

  // Calls take(row) until it has returned true `count` times.
  template <class Take>
  void draw(std::size_t count, const Take& take) {
    while (count > 0) {
      const std::uint64_t word = words_.word();
      for (const std::uint64_t half : {word & 0xffffffff, word >> 32}) {
        const std::uint64_t product = half * rows_;
        if (static_cast<std::uint32_t>(product) < excess_) continue;
        if (take(static_cast<std::uint32_t>(product >> 32)) && --count == 0) return;
      }
    }
  }

 private:
  std::uint64_t rows_;
  std::uint32_t excess_;
  BitStream& words_;
};

// The first `size` different rows of a uniform sequence. As many are drawn as are missing, so it never has more.
void draw_sparse(UniformRows& uniform, std::uint32_t rows, std::uint32_t size, std::vector<std::uint32_t>& subset) {
  subset.resize(size);
  std::size_t known = 0;
  while (known < size) {
    std::size_t next = known;
    uniform.draw(size - known, [&](std::uint32_t row) {
      subset[next++] = row;
      return true;
    });
    sort_rows(subset, rows);
    known = static_cast<std::size_t>(std::unique(subset.begin(), subset.end()) - subset.begin());
  }
}

// The same with a bitmap, of those inside or of those outside, whichever are fewer.
void draw_dense(UniformRows& uniform, std::uint32_t rows, std::uint32_t size, std::vector<std::uint32_t>& subset) {
  std::vector<std::uint64_t> marks((std::size_t{rows} + 63) / 64);
  const bool outside = size > rows / 2;
  uniform.draw(outside ? rows - size : size, [&](std::uint32_t row) {
    std::uint64_t& word = marks[row / 64];
    const std::uint64_t bit = std::uint64_t{1} << row % 64;
    const bool fresh = (word & bit) == 0;
    word |= bit;
    return fresh;
  });
  if (outside) {
    for (std::uint64_t& word : marks) word = ~word;
    if (rows % 64 != 0) marks.back() &= (std::uint64_t{1} << rows % 64) - 1;
  }
  subset.clear();
  subset.reserve(size);
  for (std::size_t i = 0; i < marks.size(); ++i)
    for (std::uint64_t word = marks[i]; word != 0; word &= word - 1)
      subset.push_back(static_cast<std::uint32_t>(64 * i) + static_cast<std::uint32_t>(std::countr_zero(word)));
}

}  // namespace

void draw_subset(std::uint32_t rows, std::uint32_t size, BitStream& words, std::vector<std::uint32_t>& subset) {
  assert(rows >= 1 && size <= rows);
  UniformRows uniform(rows, words);
  if (size > rows / kSparse)
    draw_dense(uniform, rows, size, subset);
  else
    draw_sparse(uniform, rows, size, subset);
}

PoissonBatches::PoissonBatches(std::uint32_t rows, BinomialLaw sizes) : rows_(rows), sizes_(std::move(sizes)) {}

// Given their number K, the rows of a Poisson sample are a uniform subset; and K is binomial.
Result<PoissonBatches> PoissonBatches::create(std::size_t rows, double rate) {
  TAILCOAT_TRY(sizes, BinomialLaw::create(rows, rate));
  return PoissonBatches(static_cast<std::uint32_t>(rows), std::move(sizes));
}

void PoissonBatches::draw(BitStream& words, std::vector<std::uint32_t>& batch) const {
  draw_subset(rows_, sizes_(words), words, batch);
}

}  // namespace tailcoat
