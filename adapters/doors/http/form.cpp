#include "adapters/doors/http/form.hpp"

#include "messages/values/blanks.hpp"

namespace depositd::http {

namespace {

constexpr std::size_t part_header_bytes_max = 16 * 1024;

caf::error malformed(std::string text) {
  return caf::make_error(ec::malformed, std::move(text));
}

// Takes one line with either line end from the front.
std::string_view take_line(std::string_view& text) {
  const auto end = text.find('\n');
  auto line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  if (!line.empty() && line.back() == '\r')
    line.remove_suffix(1);
  return line;
}

// A header of a part, with the lines below it that begin with a blank and so
// belong to it.
std::string take_header(std::string_view& text) {
  std::string out{take_line(text).substr(0, part_header_bytes_max)};
  while (!out.empty() && out.size() < part_header_bytes_max && !text.empty()
         && (text.front() == ' ' || text.front() == '\t'))
    out.append(take_line(text).substr(0, part_header_bytes_max));
  return out;
}

// UTF-8''na%C3%AFve of RFC 5987; other charsets keep their bytes.
std::string decode_extended(std::string_view text) {
  const auto first = text.find('\'');
  const auto second = first == std::string_view::npos
                        ? std::string_view::npos
                        : text.find('\'', first + 1);
  if (second == std::string_view::npos)
    return percent_decode(text);
  return percent_decode(text.substr(second + 1));
}

void read_disposition(std::string_view text, form_part& part) {
  const auto value = parse_header_value(text);
  if (const auto* name = find(value.fields, "name"))
    part.name = *name;
  if (const auto* file = find(value.fields, "filename")) {
    part.has_file_name = true;
    part.file_name = *file;
  }
  if (const auto* file = find(value.fields, "filename*")) {
    part.has_file_name = true;
    part.file_name = decode_extended(*file);
  }
}

// Where the line before `at` ends, its line end left out.
std::size_t without_line_end(std::string_view body, std::size_t from,
                             std::size_t at) {
  if (at > from && body[at - 1] == '\n')
    --at;
  if (at > from && body[at - 1] == '\r')
    --at;
  return at;
}

// Where the next delimiter begins, its line end before it included, and where
// what follows it begins. `last` if it closes the body or the body ends here;
// not `found` if the body just ends.
struct delimiter {
  std::size_t begin = 0;
  std::size_t end = 0;
  bool last = true;
  bool found = true;
};

delimiter find_delimiter(std::string_view body, std::size_t from,
                         std::string_view dashes) {
  for (auto at = body.find(dashes, from); at != std::string_view::npos;
       at = body.find(dashes, at + 1)) {
    if (at != 0 && body[at - 1] != '\n')
      continue;
    delimiter out;
    out.begin = without_line_end(body, from, at);
    auto rest = body.substr(at + dashes.size());
    if (rest.empty() || rest.substr(0, 2) == "--")
      return out;
    const auto line = take_line(rest);
    if (!trimmed(line).empty())
      continue; // a longer boundary of somebody else
    out.end = body.size() - rest.size();
    out.last = false;
    return out;
  }
  // Never closed. The line end would belong to the missing delimiter.
  return {without_line_end(body, from, body.size()), body.size(), true, false};
}

caf::error read_part(std::string_view text, form_part& part) {
  const auto size = text.size();
  for (;;) {
    if (text.empty())
      return malformed("a part without a blank line after its headers");
    const auto header = take_header(text);
    if (size - text.size() > part_header_bytes_max)
      return malformed("headers of a part are too long");
    if (header.empty())
      break;
    const auto colon = header.find(':');
    if (colon == std::string::npos)
      return malformed("a part header without a colon");
    const std::string_view line = header;
    const auto name = trimmed(line.substr(0, colon));
    const auto value = trimmed(line.substr(colon + 1));
    if (same_token(name, "content-disposition"))
      read_disposition(value, part);
    else if (same_token(name, "content-type"))
      part.content_type = value;
  }
  if (parse_header_value(part.content_type).token.rfind("multipart/", 0) == 0)
    return malformed("a multipart body inside a part");
  part.data = text;
  return {};
}

} // namespace

const form_part* form::field(std::string_view name) const {
  for (const auto& x : parts)
    if (!x.has_file_name && x.name == name)
      return &x;
  return nullptr;
}

caf::expected<form> read_multipart(std::string_view body,
                                   std::string_view boundary) {
  if (boundary.empty() || boundary.size() > boundary_bytes_max)
    return malformed("a boundary of 1 to 70 bytes is needed");
  const auto dashes = "--" + std::string{boundary};
  form out;
  out.multipart = true;
  auto at = body.find(dashes);
  while (at != std::string_view::npos && at != 0 && body[at - 1] != '\n')
    at = body.find(dashes, at + 1);
  if (at == std::string_view::npos)
    return malformed("the boundary does not occur in the body");
  auto here = find_delimiter(body, at, dashes);
  while (!here.last) {
    const auto next = find_delimiter(body, here.end, dashes);
    // An empty part at the end of what was received is only a cut.
    if (next.last && next.begin <= here.end)
      break;
    if (out.parts.size() == form_parts_max)
      return malformed("too many parts");
    form_part part;
    if (auto error =
          read_part(body.substr(here.end, next.begin - here.end), part))
      return error;
    part.closed = next.found;
    // Whoever was cut off in the middle of a file would never be told.
    if (part.has_file_name && !part.closed)
      return malformed("a file that no boundary ends");
    out.parts.push_back(std::move(part));
    here = next;
  }
  if (out.parts.empty())
    return malformed("a multipart body without a part");
  return out;
}

caf::expected<form> read_form(const request& from) {
  const auto* type = from.header("content-type");
  const auto value = type ? parse_header_value(*type) : header_value{};
  if (value.token == "multipart/form-data"
      || value.token == "multipart/mixed") {
    const auto* boundary = find(value.fields, "boundary");
    return read_multipart(from.body, boundary ? *boundary : std::string{});
  }
  if (value.token != "application/x-www-form-urlencoded")
    return malformed("the body is not a form");
  form out;
  auto pairs = parse_urlencoded(from.body, form_parts_max + 1);
  if (pairs.size() > form_parts_max)
    return malformed("too many parts");
  for (auto& [name, data] : pairs) {
    form_part part;
    part.name = std::move(name);
    part.data = out.storage.emplace_back(std::move(data));
    out.parts.push_back(std::move(part));
  }
  if (out.parts.empty())
    return malformed("an empty form");
  return out;
}

} // namespace depositd::http
