#pragma once

// Messages as bytes, in a form that people can read.

#include "messages/message.hpp"
#include "messages/values/types.hpp"

#include <caf/binary_deserializer.hpp>
#include <caf/binary_serializer.hpp>

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace depositd::testing {

/// As nodes send it: what the program itself makes of a message is asked, which
/// also need not be compiled again here.
template <class T>
std::vector<char> bytes_of(T x) {
  std::vector<char> bytes;
  caf::binary_serializer sink{nullptr, bytes};
  if constexpr (compiled_once<T>)
    EXPECT_FALSE(as_message(std::move(x)).content().save(0, sink));
  else
    EXPECT_FALSE(sink(x));
  return bytes;
}

/// Hexadecimal; printable characters stand for themselves after a quote.
inline std::string written(const std::vector<char>& bytes) {
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

template <class T>
std::string written(T x) {
  return written(bytes_of(std::move(x)));
}

/// What a reader makes of it, written again.
template <class T>
std::string passed_on(T x) {
  const auto bytes = bytes_of(std::move(x));
  caf::binary_deserializer source{nullptr, bytes};
  std::vector<char> again;
  if constexpr (compiled_once<T>) {
    auto read = as_message(T{});
    EXPECT_FALSE(read.content().load(0, source));
    caf::binary_serializer sink{nullptr, again};
    EXPECT_FALSE(read.content().save(0, sink));
  } else {
    T read{};
    EXPECT_FALSE(source(read));
    again = bytes_of(std::move(read));
  }
  EXPECT_EQ(source.remaining(), 0u);
  return written(again);
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
