// Writes the example reports into the folder that is given, for the eyes and for render_test.py.
#include <fstream>
#include <iostream>

#include "examples.hpp"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: report_examples FOLDER\n";
    return 2;
  }
  for (const auto& [name, fit, input] : tailcoat::report_examples::all()) {
    std::ofstream file(std::string(argv[1]) + "/" + name + ".html");
    file << tailcoat::report_html(fit, input);
    if (!file.flush()) {
      std::cerr << "cannot write " << name << ".html into " << argv[1] << "\n";
      return 1;
    }
  }
}
