#pragma once

// A storage root in a folder, and a disk that fails as a test says.

#include "adapters/stores/objects/folder_objects.hpp"
#include "adapters/stores/objects/inventory.hpp"
#include "tests/support/faulty_disk.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>

namespace depositd::folder_world {

namespace fs = std::filesystem;

inline std::unique_ptr<storage_target> open_at(const fs::path& folder,
                                               disk* io = nullptr) {
  auto out = open_folder_objects({.folder = folder, .io = io});
  EXPECT_TRUE(out) << render(out.error());
  return out ? std::move(*out) : nullptr;
}

inline const std::string id = "ark:/99999/fk4abc";

class folder_objects : public ::testing::Test {
protected:
  fs::path root() const {
    return home.path() / "objects";
  }

  fs::path object() const {
    return root() / ocfl::object_folder(id);
  }

  new_version version(const std::string& bytes) {
    const auto source = home.path() / ("source-" + bytes);
    std::ofstream{source} << bytes;
    return {.object = id,
            .files = {{"dir/a", source}, {"dir/same", source}},
            .created_us = 1'700'000'000'000'000,
            .message = "m",
            .user = "ada"};
  }

  static std::string text_of(const fs::path& path) {
    std::ifstream in{path, std::ios::binary};
    return {std::istreambuf_iterator<char>{in}, {}};
  }

  static void write(const fs::path& path, const std::string& text) {
    std::ofstream{path, std::ios::binary | std::ios::trunc} << text;
  }

  temporary_folder home{temporary_folder::fast_base()};
  faulty_disk io;
};

} // namespace depositd::folder_world
