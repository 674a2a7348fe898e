// Interrupts: while one lives, Ctrl-C (SIGINT) and SIGTERM ask the run to stop instead of ending the program, which can
// then say what has been spent. Another one, two seconds later or more, ends the program.
#pragma once

#include <atomic>
#include <csignal>
#include <memory>

#include "tailcoat/data/row_source.hpp"

namespace tailcoat::cli {

class Interrupts {
 public:
  Interrupts();
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  // Set when the run should stop.
  [[nodiscard]] static const std::atomic<bool>* asked();

 private:
  struct sigaction interrupt_ {
  }, terminate_{};  // what was done before
};

// The rows of a source until an interrupt asks to stop: then reading ends with an error.
std::unique_ptr<RowSource> until_interrupted(std::unique_ptr<RowSource> rows);

// Ends the program as the signal would have that asked to stop, if there was one: whoever started it can tell.
void end_if_interrupted();

}  // namespace tailcoat::cli
