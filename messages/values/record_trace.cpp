#include "messages/values/record_trace.hpp"

#include "messages/values/json_text.hpp"

#include <nlohmann/json.hpp>

namespace depositd {

std::string traceparent_of_record(std::string_view record) {
  constexpr const char* name = "traceparent";
  // Few have one: the others need not be taken apart.
  if (record.find(name) == record.npos)
    return {};
  const auto all = json_of(record);
  if (!all.is_object())
    return {};
  const auto at = all.find(name);
  return at != all.end() && at->is_string() ? at->get<std::string>()
                                            : std::string{};
}

} // namespace depositd
