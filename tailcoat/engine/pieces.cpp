#include "tailcoat/engine/pieces.hpp"

namespace tailcoat {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{1} << 16;

std::size_t rows_of_a_piece(std::size_t columns) {
  const std::size_t fitting = kPieceBytes / (padded(columns) * sizeof(float));
  return std::clamp(fitting / kTileRows * kTileRows, kTileRows, kMaxBlockRows);
}

}  // namespace

std::size_t PieceSource::row_bytes() const {
  if (maker != nullptr) return maker->columns() * sizeof(float);
  return std::visit([]<class T>(const RowsOf<T>& rows) { return rows.columns * sizeof(T); }, kept);
}

MadePieces::MadePieces(const RowMaker& maker)
    : maker_(maker),
      most_rows_(rows_of_a_piece(maker.columns())),
      rows_(most_rows_ * padded(maker.columns())),
      scratch_(maker.scratch_bytes()),
      labels_(most_rows_),
      weights_(most_rows_),
      inverse_norms_(most_rows_) {}

Piece<float> MadePieces::operator()(std::size_t begin, std::size_t end) {
  const RowsOf<float> rows = maker_.make(begin, end, {rows_.data(), labels_.data(), weights_.data(), scratch_.data()});
  inverse_norms(rows, inverse_norms_.data());
  return {rows, inverse_norms_.data(), labels_.data(), weights_.data()};
}

}  // namespace tailcoat
