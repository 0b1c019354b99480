#pragma once

// Readers made out of the way to a field. Private to the tables of settings.

#include "config/setting_values.hpp"

namespace depositd::setting_fields {

/// The field that a chain of members leads to.
template <class T, class Member>
auto& walk(T& from, Member member) {
  return from.*member;
}

template <class T, class Member, class... Members>
auto& walk(T& from, Member first, Members... rest) {
  return walk(from.*first, rest...);
}

// Each of these makes a reader out of the way to a field.

template <class... Members>
auto number(std::uint32_t min, std::uint32_t max, Members... path) {
  return [=](auto& to, const given_setting& x) {
    return read_number(x, min, max, walk(to, path...));
  };
}

template <class T, class... Members>
auto field(caf::error (*read)(const given_setting&, T&), Members... path) {
  return [=](auto& to, const given_setting& x) {
    return read(x, walk(to, path...));
  };
}

template <class... Members>
auto text(Members... path) {
  return field(read_text, path...);
}

} // namespace depositd::setting_fields
