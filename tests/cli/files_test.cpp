// What becomes of several outputs of one run when one of them cannot be put into place.
#include "files.hpp"

#include <gtest/gtest.h>

#include "scratch.hpp"

namespace tailcoat::cli {
namespace {

// Somebody makes a folder where the file should go, after it was last looked at.
NewFile disturbed(const std::string& path) {
  return {path, [path](const Append& append) { return append("text") && std::filesystem::create_directory(path); }};
}

TEST(Files, ThatWereMovedBeforeAFailureAreNamed) {
  const Scratch scratch;
  const std::string first = scratch.path("first"), second = scratch.path("second");
  const auto written = write_files({text_file(first, "one"), disturbed(second)});
  ASSERT_FALSE(written.ok());
  EXPECT_NE(written.error().message.find("cannot write " + second), std::string::npos) << written.error().message;
  EXPECT_NE(written.error().message.find("written before that: " + first), std::string::npos)
      << written.error().message;
  EXPECT_EQ(scratch.text("first"), "one");
  EXPECT_EQ(scratch.files(), 2u) << "a partial file is left";
}

TEST(Files, OfWhichNoneWasMovedAreNotNamed) {
  const Scratch scratch;
  const auto written = write_files({disturbed(scratch.path("first")), text_file(scratch.path("second"), "two")});
  ASSERT_FALSE(written.ok());
  EXPECT_EQ(written.error().message.find("written before that"), std::string::npos) << written.error().message;
  EXPECT_FALSE(scratch.has("second"));
}

}  // namespace
}  // namespace tailcoat::cli
