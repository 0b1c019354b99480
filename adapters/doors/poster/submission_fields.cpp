#include "adapters/doors/poster/submission_fields.hpp"

#include "adapters/doors/poster/submission.hpp"
#include "adapters/processing/merritt/metadata_files.hpp"
#include "messages/values/blanks.hpp"
#include "messages/values/utf8.hpp"

#include <algorithm>
#include <array>

namespace depositd::poster {

namespace {

constexpr std::array<std::string_view, 20> known = {"submitter",
                                                    "object",
                                                    "primaryIdentifier",
                                                    "profile",
                                                    "filename",
                                                    "type",
                                                    "size",
                                                    "digestType",
                                                    "digestValue",
                                                    "creator",
                                                    "title",
                                                    "date",
                                                    "localIdentifier",
                                                    "note",
                                                    "erc",
                                                    "notification",
                                                    "responseForm",
                                                    "notificationFormat",
                                                    "retainTargetURL",
                                                    "DataCite.resourceType"};
constexpr std::array<std::string_view, 4> logins = {"login_id", "login_passwd",
                                                    "usr", "pwd"};
constexpr std::string_view dublin_core_prefix = "DC.";

template <class List>
bool has(const List& list, std::string_view name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

/// Lines and tabs are text, too.
bool is_plain(std::string_view text) {
  return find_invalid_utf8(text) == text.npos
         && std::all_of(text.begin(), text.end(), [](unsigned char c) {
              return (c >= 0x20 && c != 0x7f) || c == '\n' || c == '\r'
                     || c == '\t';
            });
}

/// A field that is a file, though its sender gives it no name.
bool is_nameless_file(const http::form& from, const http::form_part& part) {
  return from.multipart && part.name == "file" && part.closed
         && !part.data.empty();
}

caf::error refuse(std::string_view name, const char* why) {
  return caf::make_error(
    ec::malformed, "The field " + std::string{name.substr(0, 100)} + " " + why);
}

class field_sorter {
public:
  explicit field_sorter(const http::form& from) : from_(from) {
    // nop
  }

  caf::expected<submission_fields> sort() {
    for (const auto& part : from_.parts)
      if (auto why = take(part))
        return why;
    return std::move(out_);
  }

private:
  caf::error take(const http::form_part& part) {
    bytes_ += part.name.size() + part.file_name.size();
    if (part.has_file_name || is_nameless_file(from_, part)) {
      // What a browser sends where no file was chosen.
      if (!part.file_name.empty() || !part.data.empty())
        out_.files.push_back(&part);
    } else if (!has(logins, part.name)) {
      bytes_ += part.data.size();
      if (!is_plain(part.name))
        return caf::make_error(ec::malformed,
                               "The name of a field is not text");
      if (!is_plain(part.data))
        return refuse(part.name, "is not UTF-8 or has a control character");
      keep(part.name, std::string{trimmed(part.data)});
    }
    return bytes_ > text_bytes_max
             ? refuse(part.name, "makes the form too long")
             : caf::error{};
  }

  void keep(const std::string& name, std::string text) {
    if (name == "url") {
      if (!text.empty())
        out_.urls.push_back(std::move(text));
    } else if (name.starts_with(dublin_core_prefix)
               && merritt::is_dublin_core(
                 name.substr(dublin_core_prefix.size()))) {
      if (!text.empty())
        out_.dublin_core.emplace_back(name.substr(dublin_core_prefix.size()),
                                      std::move(text));
    } else if (!has(known, name)) {
      warn("there is no field " + name.substr(0, 100) + ": it is ignored");
    } else if (!text.empty() && !out_.texts.try_emplace(name, text).second) {
      warn("a second " + name + " is ignored");
    }
  }

  void warn(std::string text) {
    if (!has(out_.warnings, text))
      out_.warnings.push_back(std::move(text));
  }

  const http::form& from_;
  submission_fields out_;
  std::size_t bytes_ = 0;
};

} // namespace

const std::string& submission_fields::text(std::string_view name) const {
  static const std::string none;
  const auto at = texts.find(name);
  return at == texts.end() ? none : at->second;
}

caf::expected<submission_fields> sort_fields(const http::form& from) {
  return field_sorter{from}.sort();
}

caf::expected<text_pairs> read_erc_pairs(const std::string& text) {
  text_pairs out;
  if (text.empty())
    return out;
  const auto erc = merritt::read_erc(text);
  if (!erc)
    return erc.error();
  const auto put = [&](const char* name, const std::string& value) {
    if (!value.empty())
      out.emplace_back(name, value);
  };
  put("who", erc->who);
  put("what", erc->what);
  put("when", erc->when);
  put("where", erc->primary_identifier);
  for (const auto& one : erc->local_ids)
    put("where", one);
  return out;
}

} // namespace depositd::poster
