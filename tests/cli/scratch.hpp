// A directory of a test's own, with files in it, removed with it.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace tailcoat {

class Scratch {
 public:
  Scratch() : path_(testing::TempDir() + "tailcoat-scratch-XXXXXX") {
    if (mkdtemp(path_.data()) == nullptr) ADD_FAILURE() << "no scratch directory";
  }
  ~Scratch() { std::filesystem::remove_all(path_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  [[nodiscard]] std::string path(const std::string& name) const { return path_ + "/" + name; }
  std::string file(const std::string& name, const std::string& text) const {
    std::ofstream(path(name)) << text;
    return path(name);
  }
  // What is no regular file. Not a device of the system: a program that replaces it would break the machine, run as
  // root.
  [[nodiscard]] std::string pipe(const std::string& name) const {
    if (mkfifo(path(name).c_str(), 0600) != 0) ADD_FAILURE() << "no pipe";
    return path(name);
  }
  [[nodiscard]] std::string text(const std::string& name) const {
    std::ifstream in(path(name));
    return {std::istreambuf_iterator<char>(in), {}};
  }
  [[nodiscard]] bool has(const std::string& name) const { return std::filesystem::exists(path(name)); }
  [[nodiscard]] std::size_t files() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(path_), {}));
  }

 private:
  std::string path_;
};

// A model file: y = 1 + 2 rooms + 10 [city is Graz], rooms cut to [0, 9] and 3 where missing.
inline std::string model_text(const std::string& loss = "squared", const std::string& classes = "[]",
                              const std::string& exposure = "") {
  const auto estimate = [](const std::string& value) {
    return "{\"value\":" + value + ",\"standard_error\":0.5,\"low\":\"-inf\",\"high\":9}";
  };
  return R"({"schema":"tailcoat-model/1","loss":")" + loss + R"(","target":"y","classes":)" + classes +
         R"(,"exposure":")" + exposure + R"(","rows":100,"confidence":0.95,"features":[
    {"column":"rooms","kind":"number","centre":3,"scale":1,"low":0,"high":9},
    {"column":"city","kind":"level","level":"Graz","centre":0.5,"scale":1,"low":"-inf","high":"inf"}],
    "parts":[{"intercept":)" +
         estimate("1") + ",\"coefficients\":[" + estimate("2") + "," + estimate("10") + R"(]}],"notes":[],
    "receipt":{"schema":"tailcoat-receipt/1","neighbours":"replace-one","budget":{"epsilon":1,"delta":1e-6},
    "gaussian_budget":{"mu":0.2},"spent":{"mu":0.2},"secure":true,"releases":[]}})";
}

}  // namespace tailcoat
