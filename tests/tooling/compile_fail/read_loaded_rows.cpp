// fails with: is private within this context
#include "tailcoat/engine/engine.hpp"

std::size_t size(const tailcoat::RowData& data) {
#ifdef LEAK
  (void)data.contents_;
#endif
  return data.rows();
}

int main() {}
