#include "interrupt.hpp"

namespace tailcoat::cli {
namespace {

std::atomic<bool> stop = false;
std::atomic<int> received = 0;
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free);

void note(int signal) {
  received = signal;
  stop = true;
}

// What is ignored stays ignored: a job in the background.
struct sigaction replace(int signal) {
  struct sigaction ours {
  }, before{};
  ours.sa_handler = note;
  ours.sa_flags = SA_RESTART | static_cast<int>(SA_RESETHAND);
  sigaction(signal, nullptr, &before);
  if (before.sa_handler != SIG_IGN) sigaction(signal, &ours, nullptr);
  return before;
}

}  // namespace

Interrupts::Interrupts() : interrupt_(replace(SIGINT)), terminate_(replace(SIGTERM)) {}

Interrupts::~Interrupts() {
  sigaction(SIGINT, &interrupt_, nullptr);
  sigaction(SIGTERM, &terminate_, nullptr);
}

const std::atomic<bool>* Interrupts::asked() { return &stop; }

void end_if_interrupted() {
  if (received != 0) std::raise(received);
}

}  // namespace tailcoat::cli
