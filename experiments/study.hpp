// A study: an experiment anybody can repeat. It takes nothing but a seed and a size, and gives a table, one JSON object
// and charts. Everything in it is simulated, so nothing in it needs protection.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/chart.hpp"
#include "tailcoat/base/result.hpp"
#include "tailcoat/engine/engine.hpp"

namespace tailcoat::experiments {

using Json = nlohmann::ordered_json;
// `done` of `total` parts of the work; called from several threads, in any order.
using Progress = std::function<void(std::size_t done, std::size_t total)>;

struct StudyContext {
  Engine& engine;
  bool quick = false;  // a minute; `rates` takes two
  std::uint64_t seed = 1;
  Progress progress = [](std::size_t, std::size_t) {};
};

struct NamedChart {
  std::string name;  // of its file, without ".svg"
  Chart chart;
};

struct Report {
  std::string table;  // at most 100 columns
  Json json;
  std::vector<NamedChart> charts{};
};

struct Study {
  std::string_view name;
  std::string_view summary;
  Result<Report> (*run)(const StudyContext&);
};

std::span<const Study> studies();
// The error lists the names there are.
Result<Study> find_study(std::string_view name);

}  // namespace tailcoat::experiments
