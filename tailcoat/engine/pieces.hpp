// Pieces: the rows of a pass as its kernels take them, whether they are kept in memory or made on the way.
#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <variant>

#include "tailcoat/engine/exact_sum.hpp"
#include "tailcoat/engine/pass.hpp"
#include "tailcoat/engine/row_maker.hpp"

namespace tailcoat {

template <class T>
struct Piece {
  RowsOf<T> rows;
  const double* inverse_norms;
  const double* labels;   // null: none
  const double* weights;  // null: 1 each
};

// Opened data: only for the duration of a pass.
struct PieceSource {
  const RowMaker* maker = nullptr;  // if the rows are made, with labels and weights
  Rows kept{};
  const double* inverse_norms = nullptr;  // null: not kept, they are computed on the way
  const double* labels = nullptr;
  const double* weights = nullptr;
  std::size_t first = 0;  // row 0 of the pass

  [[nodiscard]] std::size_t row_bytes() const;
};

// Room for the pieces of one thread. They stay in the second-level cache from being made to being added up.
class MadePieces {
 public:
  // `inverse_norms` of all rows, or null.
  MadePieces(const RowMaker& maker, const double* inverse_norms);
  [[nodiscard]] std::size_t most_rows() const { return most_rows_; }
  Piece<float> operator()(std::size_t begin, std::size_t end);  // at most as many rows; valid until the next

 private:
  const RowMaker& maker_;
  const double* known_norms_;
  std::size_t most_rows_;
  std::vector<float, VectorAllocator<float>> rows_;
  std::vector<std::byte, VectorAllocator<std::byte>> scratch_;
  std::vector<double> labels_, weights_, inverse_norms_;
};

template <class T>
Piece<T> piece_of(const PieceSource& source, const RowsOf<T>& all, std::size_t begin, std::size_t end,
                  const double* inverse_norms) {
  return {part_of(all, source.first + begin, source.first + end), inverse_norms,
          source.labels == nullptr ? nullptr : source.labels + source.first + begin,
          source.weights == nullptr ? nullptr : source.weights + source.first + begin};
}

// Calls use(piece) for rows [begin, end) of the pass as one piece, which is valid as long as the data is: rows and
// norms must be kept.
template <class Use>
void use_whole_piece(const PieceSource& source, std::size_t begin, std::size_t end, const Use& use) {
  assert(source.maker == nullptr && source.inverse_norms != nullptr);
  const double* norms = source.inverse_norms + source.first + begin;
  std::visit([&](const auto& all) { use(piece_of(source, all, begin, end, norms)); }, source.kept);
}

// Calls use(piece, first) for pieces that make up rows [begin, end) of the pass; `first` is the first of a piece.
template <class Use>
void for_each_piece(const PieceSource& source, std::size_t begin, std::size_t end, const Use& use) {
  if (source.maker != nullptr) {
    MadePieces made(*source.maker, source.inverse_norms);
    for (std::size_t i = begin; i < end; i += made.most_rows())
      use(made(source.first + i, source.first + std::min(end, i + made.most_rows())), i);
    return;
  }
  if (source.inverse_norms != nullptr) {
    use_whole_piece(source, begin, end, [&](const auto& piece) { use(piece, begin); });
    return;
  }
  std::visit(
      [&]<class T>(const RowsOf<T>& all) {
        std::array<double, kMaxBlockRows> norms;
        for (std::size_t i = begin; i < end; i += kMaxBlockRows) {
          const Piece<T> piece = piece_of(source, all, i, std::min(end, i + kMaxBlockRows), norms.data());
          inverse_norms(piece.rows, norms.data());
          use(piece, i);
        }
      },
      source.kept);
}

}  // namespace tailcoat
