#pragma once

#include "config/settings.hpp"

#include <gtest/gtest.h>

#include <string>

namespace depositd::testing {

/// Settings of a YAML text, which must be right.
inline depositd_settings settings_of(const std::string& yaml) {
  const auto given = read_yaml(yaml, "test.yaml");
  EXPECT_TRUE(given) << render(given.error());
  const auto out = make_settings(*given);
  EXPECT_TRUE(out) << render(out.error());
  return out ? *out : depositd_settings{};
}

/// Why a YAML text is refused, which must be so.
inline std::string refusal_of(const std::string& yaml) {
  const auto given = read_yaml(yaml, "test.yaml");
  if (!given) {
    EXPECT_EQ(given.error(), ec::bad_setting);
    return render(given.error());
  }
  const auto out = make_settings(*given);
  EXPECT_FALSE(out) << yaml;
  return out ? "accepted" : render(out.error());
}

} // namespace depositd::testing
