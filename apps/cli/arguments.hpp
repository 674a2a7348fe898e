// Arguments of fit, predict and evaluate that are more than a number: columns, levels, bounds, budgets, model files.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tailcoat/base/result.hpp"
#include "tailcoat/estimators/fit.hpp"
#include "tailcoat/estimators/model.hpp"
#include "tailcoat/noise/bit_source.hpp"
#include "tailcoat/privacy/guarantees.hpp"

namespace tailcoat::cli {

// An option that takes a list a,b and may be given several times.
CLI::Option* add_list(CLI::App&, const std::string& name, std::vector<std::string>& values, const std::string& meaning);
// An option that takes one text and may be given several times.
CLI::Option* add_repeated(CLI::App&, const std::string& name, std::vector<std::string>& values,
                          const std::string& meaning);

// An option that takes a file, whose name is not empty: an unset variable in a script is not taken for no file.
CLI::Option* add_file(CLI::App&, const std::string& name, std::string& path, const std::string& meaning);

// "city=A,B,C": a text column and its levels; "city,state": text columns whose levels are to be found.
Result<std::map<std::string, std::vector<std::string>>> parse_categorical(const std::vector<std::string>& texts);
// "rooms=1:20", and "rooms=5:2" for centre and spread.
Result<std::map<std::string, Range>> parse_bounds(const std::vector<std::string>& texts);
Result<std::map<std::string, Scale>> parse_scales(const std::vector<std::string>& texts);

// --epsilon, --delta, --seed and --threads, which every command with noise has.
struct NoiseArguments {
  std::optional<double> epsilon, delta, seed, threads;
};
void add_noise_arguments(CLI::App&, NoiseArguments&);

// Refuses a delta above 0.1, and of 0; 1e-6 if none is given.
Result<ApproxDp> budget_of(const NoiseArguments&);
// The same, where a delta of 0 stands for pure epsilon-DP.
Result<ApproxDp> theorem_budget_of(const NoiseArguments&);
// Says on stderr what a delta above 1/rows means.
void warn_of_delta(ApproxDp, std::size_t rows);
// From the kernel, or from the seed, with a warning on stderr.
Result<BitSource> noise_of(const NoiseArguments&);
Result<std::size_t> threads_of(const NoiseArguments&);

// DATA and --model, of commands that use a model.
struct ModelArguments {
  std::string data, model;
};
void add_model_arguments(CLI::App&, ModelArguments&, const std::string& rows);  // rows: what the file holds
// Reads the model, which must have been given.
Result<Model> model_of(const ModelArguments&);

}  // namespace tailcoat::cli
