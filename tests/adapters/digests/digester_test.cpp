// Values are those of RFC 1319, 1321, 1950 and FIPS 180, or were computed by
// other programs.

#include "adapters/digests/digester.hpp"

#include <gtest/gtest.h>

#include <map>

namespace depositd {

namespace {

std::string of(digest_algorithm algorithm, std::string_view bytes) {
  digester x{algorithm};
  x.add(bytes);
  return x.finish().value;
}

const std::map<digest_algorithm, std::string> of_abc = {
  {digest_algorithm::adler32, "024d0127"},
  {digest_algorithm::crc32, "352441c2"},
  {digest_algorithm::md2, "da853b0d3f88d99b30283a69e6ded6bb"},
  {digest_algorithm::md5, "900150983cd24fb0d6963f7d28e17f72"},
  {digest_algorithm::sha1, "a9993e364706816aba3e25717850c26c9cd0d89d"},
  {digest_algorithm::sha256,
   "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
  {digest_algorithm::sha384,
   "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed"
   "8086072ba1e7cc2358baeca134c825a7"},
  {digest_algorithm::sha512,
   "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
   "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"},
};

} // namespace

TEST(digests, of_all_kinds_are_those_of_their_standards) {
  ASSERT_EQ(of_abc.size(), 8u);
  for (const auto& [algorithm, value] : of_abc)
    EXPECT_EQ(of(algorithm, "abc"), value) << digest_name(algorithm);
}

TEST(digests, do_not_depend_on_the_pieces) {
  for (const auto& [algorithm, value] : of_abc) {
    digester x{algorithm};
    for (const auto* piece : {"a", "", "bc"})
      x.add(piece);
    EXPECT_EQ(x.finish(), (digest{algorithm, value}));
  }
}

TEST(digests, of_bags_have_sha224_and_forms_have_not) {
  EXPECT_EQ(of(digest_algorithm::sha224, "abc"),
            "23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7");
  EXPECT_FALSE(find_digest_algorithm("sha224"));
}

TEST(digests, begin_anew_with_nothing_left_of_what_was_before) {
  for (const auto& [algorithm, value] : of_abc) {
    digester x{algorithm};
    x.add("something else");
    x.finish();
    x.restart();
    x.add("abc");
    EXPECT_EQ(x.finish(), (digest{algorithm, value}));
  }
}

TEST(digests, of_nothing_are_known_too) {
  EXPECT_EQ(of(digest_algorithm::md5, ""), "d41d8cd98f00b204e9800998ecf8427e");
  EXPECT_EQ(of(digest_algorithm::adler32, ""), "00000001");
  EXPECT_EQ(of(digest_algorithm::crc32, ""), "00000000");
}

TEST(digest_names, M11_M12_are_read_in_capitals_and_without_hyphens) {
  for (const auto* name : {"SHA256", "sha-256", "SHA-256", "sha256"})
    EXPECT_EQ(find_digest_algorithm(name), digest_algorithm::sha256) << name;
  for (const auto& [algorithm, value] : of_abc)
    EXPECT_EQ(find_digest_algorithm(digest_name(algorithm)), algorithm);
  EXPECT_FALSE(find_digest_algorithm("sha3"));
  EXPECT_FALSE(find_digest_algorithm(""));
}

TEST(digest_values, M31_have_the_length_of_their_algorithm) {
  EXPECT_EQ(make_digest("MD5", "900150983CD24FB0D6963F7D28E17F72")->value,
            of_abc.at(digest_algorithm::md5));
  const auto wrong = make_digest("md5", "90015098");
  EXPECT_EQ(wrong.error(), ec::malformed);
  EXPECT_EQ(render(wrong.error()),
            "a md5 has 32 hexadecimal digits, not \"90015098\"");
  EXPECT_EQ(make_digest("sha1", std::string(40, 'g')).error(), ec::malformed);
  EXPECT_EQ(make_digest("foo", "00").error(), ec::malformed);
}

TEST(digest_values, of_short_checksums_may_lack_zeros) {
  EXPECT_EQ(make_digest("Adler-32", "24D0127")->value, "024d0127");
  EXPECT_EQ(make_digest("crc32", "").error(), ec::malformed);
  EXPECT_EQ(make_digest("crc32", "123456789").error(), ec::malformed);
}

} // namespace depositd
