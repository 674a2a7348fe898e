#include "interrupt.hpp"

#include <ctime>
#include <utility>

namespace tailcoat::cli {
namespace {

std::atomic<bool> stop = false;
std::atomic<int> received = 0;
std::atomic<std::time_t> first_at = 0;
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free &&
              std::atomic<std::time_t>::is_always_lock_free);

std::time_t seconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec;
}

// Supervisors send a signal to the process and to its group: what comes at once is the same wish.
void note(int signal) {
  if (received == 0) first_at = seconds();
  if (seconds() - first_at > 1) std::signal(signal, SIG_DFL), std::raise(signal);  // takes effect on return
  received = signal;
  stop = true;
}

// What is ignored stays ignored: a job in the background.
struct sigaction replace(int signal) {
  struct sigaction ours {
  }, before{};
  ours.sa_handler = note;
  ours.sa_flags = SA_RESTART;
  sigaction(signal, nullptr, &before);
  if (before.sa_handler != SIG_IGN) sigaction(signal, &ours, nullptr);
  return before;
}

class RowsUntilInterrupted final : public RowSource {
 public:
  explicit RowsUntilInterrupted(std::unique_ptr<RowSource> rows) : rows_(std::move(rows)) {}
  [[nodiscard]] std::span<const Column> columns() const override { return rows_->columns(); }

 private:
  Result<std::size_t> read_rows(double* block, std::size_t rows) override {
    if (stop) return system_error("stopped");
    return rows_->read({block, rows * columns().size()});
  }
  Result<void> restart() override { return rows_->rewind(); }

  std::unique_ptr<RowSource> rows_;
};

}  // namespace

Interrupts::Interrupts() : interrupt_(replace(SIGINT)), terminate_(replace(SIGTERM)) {}

Interrupts::~Interrupts() {
  sigaction(SIGINT, &interrupt_, nullptr);
  sigaction(SIGTERM, &terminate_, nullptr);
}

const std::atomic<bool>* Interrupts::asked() { return &stop; }

std::unique_ptr<RowSource> until_interrupted(std::unique_ptr<RowSource> rows) {
  return std::make_unique<RowsUntilInterrupted>(std::move(rows));
}

void end_if_interrupted() {
  if (received == 0) return;
  std::signal(received, SIG_DFL);
  std::raise(received);
}

}  // namespace tailcoat::cli
