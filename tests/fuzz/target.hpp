#pragma once

// What is fed with bytes that nobody means well with.

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace depositd::fuzz {

/// A reader of foreign bytes. It may refuse what it gets; it may not crash,
/// hang, or break what it promises of texts that it takes.
struct target {
  const char* name;
  void (*run)(std::string_view bytes);
  /// Texts that it takes, from which others are made.
  std::vector<std::string> seeds;
};

/// A promise does not hold; the bytes at hand show it.
struct broken : std::logic_error {
  using std::logic_error::logic_error;
};

inline void promise(bool holds, const char* what) {
  if (!holds)
    throw broken{what};
}

std::vector<target> http_targets();
std::vector<target> json_targets();
std::vector<target> xml_targets();
std::vector<target> line_targets();
std::vector<target> record_targets();
std::vector<target> node_targets();
std::vector<target> bag_targets();
std::vector<target> answer_targets();

/// Has a mistake on purpose, and is fed only when it is named.
target planted_target();

inline std::vector<target> all_targets() {
  std::vector<target> out;
  for (const auto part : {http_targets, json_targets, xml_targets, line_targets,
                          record_targets, node_targets, bag_targets,
                          answer_targets})
    for (auto& x : part())
      out.push_back(std::move(x));
  return out;
}

/// Those that may be asked for by name.
inline std::vector<target> named_targets() {
  auto out = all_targets();
  out.push_back(planted_target());
  return out;
}

} // namespace depositd::fuzz
