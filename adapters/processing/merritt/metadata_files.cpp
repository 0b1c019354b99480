#include "adapters/processing/merritt/metadata_files.hpp"

#include "adapters/processing/merritt/manifest.hpp"
#include "adapters/processing/merritt/manifest_lines.hpp"
#include "messages/values/lower_case.hpp"
#include "messages/values/payload_paths.hpp"
#include "messages/values/utf8.hpp"

#include <algorithm>
#include <set>

namespace depositd::merritt {

namespace {

struct anvl_value {
  std::string name; ///< lower case
  std::string value;
};

caf::error refused(std::uint64_t line, const std::string& reason) {
  return caf::make_error(ec::malformed, render(manifest_fault{line, reason}));
}

/// Leaves out the byte order mark that some editors write before a text: no
/// line may begin with it.
caf::error begin_text(std::string_view& text) {
  constexpr std::string_view mark = "\xef\xbb\xbf";
  if (text.starts_with(mark))
    text.remove_prefix(mark.size());
  if (text.size() > metadata_bytes_max)
    return caf::make_error(ec::too_large, "the file has more than "
                                            + std::to_string(metadata_bytes_max)
                                            + " bytes");
  if (find_invalid_utf8(text) != text.npos)
    return refused(0, "the file is not UTF-8");
  return {};
}

caf::expected<std::vector<anvl_value>> read_anvl(std::string_view text) {
  if (auto failure = begin_text(text))
    return failure;
  std::vector<anvl_value> out;
  for (std::uint64_t number = 1; !text.empty(); ++number) {
    const auto line = take_line(text);
    const auto plain = trimmed(line);
    if (plain.empty() || plain.starts_with('#'))
      continue;
    if (has_control_character(line))
      return refused(number, "a control character");
    if (line.front() == ' ' || line.front() == '\t') {
      if (out.empty())
        return refused(number, "nothing is there to be continued");
      auto& value = out.back().value;
      value += (value.empty() ? "" : " ") + std::string{plain};
      continue;
    }
    const auto colon = plain.find(':');
    if (colon == plain.npos)
      return refused(number, "neither a name with a colon nor a comment");
    out.push_back({lower_case(trimmed(plain.substr(0, colon))),
                   std::string{trimmed(plain.substr(colon + 1))}});
  }
  return out;
}

void join(std::string& to, const std::string& value) {
  if (value.empty() || value.starts_with("(:"))
    return;
  to += (to.empty() ? "" : "; ") + value;
}

/// An ARK is no local identifier, wherever it stands. What is wrong with them.
std::string add_identifiers(kernel_metadata& to, const std::string& value) {
  const auto all = legal_ark(value) ? std::vector{value}
                                    : split_local_ids(value);
  if (all.size() > local_ids_max)
    return local_ids_fault(all);
  for (const auto& x : all) {
    if (x.starts_with("(:"))
      continue;
    if (!legal_ark(x))
      to.local_ids = merge_local_ids(std::move(to.local_ids), {x});
    else if (to.primary_identifier.empty())
      to.primary_identifier = x;
  }
  return to.local_ids.size() > local_ids_max ? local_ids_fault(to.local_ids)
                                             : std::string{};
}

/// A value may have no line of its own.
void write_value(std::string& to, const char* name, std::string value) {
  std::replace_if(
    value.begin(), value.end(), [](unsigned char c) { return c < 0x20; }, ' ');
  to += std::string{name} + ": " + (value.empty() ? "(:unas)" : value) + "\n";
}

} // namespace

caf::expected<kernel_metadata> read_erc(std::string_view text) {
  auto values = read_anvl(text);
  if (!values)
    return std::move(values.error());
  kernel_metadata out;
  for (const auto& [name, value] : *values) {
    if (name == "who")
      join(out.who, value);
    else if (name == "what")
      join(out.what, value);
    else if (name == "when")
      join(out.when, value);
    else if (name == "where")
      if (auto fault = add_identifiers(out, value); !fault.empty())
        return refused(0, fault);
  }
  return out;
}

std::string write_erc(const kernel_metadata& x) {
  std::string out = "erc:\n";
  write_value(out, "who", x.who);
  write_value(out, "what", x.what);
  write_value(out, "when", x.when);
  write_value(out, "where", x.primary_identifier);
  for (const auto& id : x.local_ids)
    write_value(out, "where", id);
  return out;
}

caf::expected<embargo> read_embargo(std::string_view text) {
  auto values = read_anvl(text);
  if (!values)
    return std::move(values.error());
  for (const auto& [name, value] : *values) {
    if (name != "embargoenddate")
      continue;
    if (lower_case(value) == "none")
      return embargo{};
    const auto until = read_manifest_date(value);
    if (!until)
      return refused(0, "embargoEndDate: \"" + value.substr(0, 100)
                          + "\" is neither NONE nor a date");
    return embargo{false, *until};
  }
  return refused(0, "there is no embargoEndDate");
}

caf::expected<std::vector<std::string>>
read_delete_list(std::string_view text) {
  if (auto failure = begin_text(text))
    return failure;
  std::vector<std::string> out;
  std::set<std::string_view> known;
  for (std::uint64_t number = 1; !text.empty(); ++number) {
    const auto path = trimmed(take_line(text));
    if (path.empty())
      continue;
    if (const auto fault = payload_path_fault(path); !fault.empty())
      return refused(number, "the path " + fault);
    if (known.insert(path).second)
      out.push_back("producer/" + std::string{path});
  }
  return out;
}

} // namespace depositd::merritt
