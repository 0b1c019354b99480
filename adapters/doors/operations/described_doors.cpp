#include "adapters/doors/operations/described_doors.hpp"

#include <embedded/doors_description.hpp>

#include <nlohmann/json.hpp>
#include <yaml-cpp/yaml.h>

#include <cstdint>
#include <string>

namespace depositd {

namespace {

using document = nlohmann::ordered_json;

/// What YAML means by it: a text in quotes is one, whatever it says.
document scalar_of(const YAML::Node& x) {
  const auto text = x.Scalar();
  if (x.Tag() == "!")
    return text;
  if (text == "true" || text == "false")
    return text == "true";
  if (std::int64_t number = 0; YAML::convert<std::int64_t>::decode(x, number))
    return number;
  if (double number = 0; YAML::convert<double>::decode(x, number))
    return number;
  return text;
}

document json_of(const YAML::Node& x) {
  if (x.IsScalar())
    return scalar_of(x);
  if (x.IsSequence()) {
    auto out = document::array();
    for (const auto& one : x)
      out.push_back(json_of(one));
    return out;
  }
  if (!x.IsMap())
    return nullptr;
  auto out = document::object();
  for (const auto& one : x)
    out[one.first.as<std::string>()] = json_of(one.second);
  return out;
}

} // namespace

const document& described_doors() {
  static const auto out =
    json_of(YAML::Load(std::string{doors_description().front().bytes}));
  return out;
}

} // namespace depositd
