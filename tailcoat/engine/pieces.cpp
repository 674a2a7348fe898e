#include "tailcoat/engine/pieces.hpp"

namespace tailcoat {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{1} << 16;
constexpr std::size_t kKeptRows = std::size_t{1} << 12;  // some blocks: a block is added up while the next is read

std::size_t rows_of_a_piece(std::size_t columns) {
  const std::size_t fitting = kPieceBytes / (padded(columns) * sizeof(float));
  return std::clamp(fitting / kTileRows * kTileRows, kTileRows, kMaxBlockRows);
}

}  // namespace

std::size_t PieceSource::row_bytes() const {
  if (maker != nullptr) return maker->columns() * sizeof(float);
  return std::visit([]<class T>(const RowsOf<T>& rows) { return rows.columns * sizeof(T); }, kept);
}

MadePieces::MadePieces(const RowMaker& maker, const double* inverse_norms)
    : maker_(maker),
      known_norms_(inverse_norms),
      most_rows_(inverse_norms == nullptr ? rows_of_a_piece(maker.columns()) : kKeptRows),
      rows_(inverse_norms == nullptr ? most_rows_ * padded(maker.columns()) : 0),
      scratch_(maker.scratch_bytes()),
      labels_(most_rows_),
      weights_(most_rows_),
      inverse_norms_(inverse_norms == nullptr ? most_rows_ : 0) {}

Piece<float> MadePieces::operator()(std::size_t begin, std::size_t end) {
  const RowsOf<float> rows = maker_.make(begin, end, {rows_.data(), labels_.data(), weights_.data(), scratch_.data()});
  if (known_norms_ != nullptr) return {rows, known_norms_ + begin, labels_.data(), weights_.data()};
  inverse_norms(rows, inverse_norms_.data());
  return {rows, inverse_norms_.data(), labels_.data(), weights_.data()};
}

}  // namespace tailcoat
