// A link that cannot be closed without waiting stays open until the program
// ends (adapters/shell/connection.hpp): its threads would look at what is no
// more if the program ended as others do.

#include "tests/adapters/shell/other_process.hpp"

#include <gtest/gtest.h>

#include <cstdio>

#include <unistd.h>

int main(int count, char** words) {
  depositd::shell::other_process::serve_if_told(count, words);
  testing::InitGoogleTest(&count, words);
  const auto result = RUN_ALL_TESTS();
  std::fflush(nullptr);
  _exit(result);
}
