#include "adapters/processing/merritt/contents.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <fstream>

namespace depositd::merritt {

namespace {

namespace fs = std::filesystem;

class container_contents : public ::testing::Test {
protected:
  container_contents() {
    fs::create_directory(home.path() / "sub");
    write("a", "abc");
    write("sub/b", "");
    write("mrt-manifest.txt", "the list itself");
  }

  void write(const std::string& name, const std::string& bytes) const {
    std::ofstream{home.path() / name} << bytes;
  }

  /// Why the folder is not what these rows say; empty if it is.
  std::string fault_of(const std::string& rows) const {
    const auto listed =
      read_manifest("#%profile | http://uc3.cdlib.org/registry/store/manifest/"
                    "mrt-object-manifest\n"
                      + rows + "#%eof\n",
                    manifest_kind::contents);
    EXPECT_FALSE(listed.corrupt()) << render(*listed.fault);
    const auto failure = check_contents(listed.found, home.path());
    return failure ? depositd::render(failure) : "";
  }

  temporary_folder home;
};

const std::string good_a = "a | md5 | 900150983cd24fb0d6963f7d28e17f72 | 3\n";

} // namespace

TEST_F(container_contents, M41_equal_the_list) {
  EXPECT_EQ(fault_of(good_a + "sub/b | | | 0 | | text/plain\n"), "");
  EXPECT_EQ(fault_of("a | MD5 | 900150983CD24FB0D6963F7D28E17F72\nsub/b\n"),
            "");
}

TEST_F(container_contents, M41_lack_a_listed_file) {
  EXPECT_EQ(fault_of(good_a + "sub/b\nc\n"), "\"c\" is listed, not there");
}

TEST_F(container_contents, M41_have_a_file_that_is_not_listed) {
  EXPECT_EQ(fault_of(good_a), "\"sub/b\" is not listed");
}

TEST_F(container_contents, M41_have_a_file_of_another_size) {
  EXPECT_EQ(fault_of("a | | | 4\nsub/b\n"), "\"a\" has 3 bytes, not 4");
}

TEST_F(container_contents, M41_have_a_file_of_another_digest) {
  EXPECT_EQ(fault_of("a | md5 | 00000000000000000000000000000000\nsub/b\n"),
            "\"a\" has the md5 900150983cd24fb0d6963f7d28e17f72, not "
            "00000000000000000000000000000000");
}

TEST_F(container_contents, are_never_links) {
  fs::create_symlink("a", home.path() / "sub" / "c");
  EXPECT_EQ(fault_of(good_a + "sub/b\nsub/c\n"), "\"sub/c\" is not listed");
}

} // namespace depositd::merritt
