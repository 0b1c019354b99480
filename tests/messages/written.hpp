#pragma once

// Messages as bytes, in a form that people can read.

#include "messages/values/types.hpp"

#include <caf/binary_deserializer.hpp>
#include <caf/binary_serializer.hpp>

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace depositd::testing {

/// Hexadecimal; printable characters stand for themselves after a quote.
template <class T>
std::string written(T x) {
  std::vector<char> bytes;
  caf::binary_serializer sink{nullptr, bytes};
  EXPECT_FALSE(sink(x));
  std::string out;
  for (const char c : bytes) {
    constexpr std::string_view digits = "0123456789abcdef";
    const auto byte = static_cast<unsigned char>(c);
    if (byte > ' ' && byte < 0x7f && byte != '\'') {
      out += '\'';
      out += c;
    } else {
      out += digits[byte >> 4];
      out += digits[byte & 15];
    }
  }
  return out;
}

/// What a reader makes of it, written again.
template <class T>
std::string passed_on(T x) {
  std::vector<char> bytes;
  caf::binary_serializer sink{nullptr, bytes};
  EXPECT_FALSE(sink(x));
  T read{};
  caf::binary_deserializer source{nullptr, bytes};
  EXPECT_FALSE(source(read));
  EXPECT_EQ(source.remaining(), 0u);
  return written(std::move(read));
}

#define EXPECT_WIRE(value, literal)                                            \
  EXPECT_EQ(written(value), literal);                                          \
  EXPECT_EQ(passed_on(value), literal)

/// A deposit's metadata, no two fields alike.
inline const submission submission{.file_name = "f",
                                   .operation = "o",
                                   .login = "l",
                                   .source = "s",
                                   .blob = "b",
                                   .size = 1,
                                   .trace = "t"};

inline const criteria wants{
  .size_max = 2, .required = {"r"}, .preferred = {"p"}, .excluded = {"e"}};

} // namespace depositd::testing
