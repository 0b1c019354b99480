#include "adapters/bagit/checking.hpp"

#include "messages/values/json_text.hpp"

#include <nlohmann/json.hpp>

namespace depositd::bagit {

namespace {

using json = nlohmann::ordered_json;

json list_of(const finding_list& from) {
  auto out = json::array();
  for (const auto& x : from.kept())
    out.push_back(
      {{"code", to_string(x.code)}, {"file", x.file}, {"text", x.text}});
  return out;
}

json names_of(const std::vector<digest_algorithm>& from) {
  auto out = json::array();
  for (const auto x : from)
    out.push_back(digest_name(x));
  return out;
}

} // namespace

std::string report_json(const bag_report& x) {
  auto tags = json::object();
  for (const auto& file : x.tag_files) {
    auto list = json::array();
    for (const auto& y : file.tags)
      list.push_back({{"label", y.label}, {"value", y.value}});
    tags[file.path] = std::move(list);
  }
  const json out = {{"name", x.name},
                    {"valid", x.valid()},
                    {"serialized", x.serialized},
                    {"version", x.version},
                    {"encoding", x.encoding},
                    {"profile", x.profile},
                    {"folder", x.totals.folder},
                    {"payload_files", x.totals.payload_files},
                    {"payload_bytes", x.totals.payload_bytes},
                    {"tag_files", x.totals.tag_files},
                    {"manifests", names_of(x.manifests)},
                    {"tag_manifests", names_of(x.tag_manifests)},
                    {"fault_count", x.faults.count()},
                    {"faults", list_of(x.faults)},
                    {"warning_count", x.warnings.count()},
                    {"warnings", list_of(x.warnings)},
                    {"tags", std::move(tags)}};
  // Names of damaged archives need not be UTF-8.
  return json_text(out);
}

} // namespace depositd::bagit
