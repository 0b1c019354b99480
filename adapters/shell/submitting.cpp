// Files on their way to the engine, and the bar that shows how far they are.

#include "adapters/shell/session.hpp"
#include "adapters/shell/table.hpp"

#include "messages/values/base64.hpp"
#include "messages/values/json_text.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>

namespace depositd::shell {

namespace {

using json = nlohmann::json;

constexpr std::size_t file_bytes_max = 10 * 1024 * 1024;
constexpr std::size_t bar_width = 30;

/// What became of one file, as the engine or this side says.
json entry_of(const std::string& file,
              const caf::expected<std::string>& answer) {
  json out{{"file", file}};
  if (!answer) {
    out["error"] = render(answer.error());
    return out;
  }
  const auto x = json_of(*answer);
  if (x.is_object())
    out["id"] = x.value("id", json{});
  return out;
}

/// The bytes of a regular file. `ec::not_found`, `ec::too_large`, or
/// `ec::malformed` for an empty one; the text names the file.
caf::expected<std::string> read_file(const std::string& path) {
  const auto refuse = [&](ec code, const char* why) {
    return caf::make_error(code, path + ": " + why);
  };
  std::error_code failure;
  if (!std::filesystem::is_regular_file(path, failure))
    return refuse(ec::not_found, "no such file");
  std::ifstream in{path, std::ios::binary};
  std::string out(file_bytes_max + 1, '\0');
  in.read(out.data(), static_cast<std::streamsize>(out.size()));
  if (in.bad() || !in.eof())
    return in.good() ? refuse(ec::too_large, "larger than 10 MiB")
                     : refuse(ec::not_found, "cannot be read");
  out.resize(static_cast<std::size_t>(in.gcount()));
  if (out.empty())
    return refuse(ec::malformed, "is empty");
  return out;
}

/// One line that is drawn again and again: "[####----] 4/10 a.xml".
void draw_bar(terminal& where, std::size_t done, std::size_t total,
              const std::string& what) {
  if (!where.draws)
    return;
  const auto filled = bar_width * done / total;
  where.err << "\r\x1b[K[" << std::string(filled, '#')
            << std::string(bar_width - filled, '-') << "] " << done << "/"
            << total << " " << escaped(what).substr(0, 40) << std::flush;
}

/// So that a line can be printed.
void clear_bar(terminal& where) {
  if (where.draws)
    where.err << "\r\x1b[K" << std::flush;
}

} // namespace

caf::error session::add_file(const invocation& call, json& to) {
  if (call.file.empty())
    return caf::none;
  const auto bytes = read_file(call.file);
  if (!bytes)
    return bytes.error();
  to[call.row.find(value_kind::file)->key] = encode_base64(*bytes);
  return caf::none;
}

int session::submit(const invocation& call) {
  json entries = json::array();
  int code = exit_done;
  for (std::size_t i = 0; i < call.files.size() && !where_.stopped(); ++i) {
    const auto& file = call.files[i];
    draw_bar(where_, i, call.files.size(), file);
    auto answer = read_file(file);
    if (answer) {
      auto arguments = call.arguments;
      arguments["file_name"] = std::filesystem::path{file}.filename().string();
      arguments[call.row.find(value_kind::files)->key] = encode_base64(*answer);
      answer = ask(call.row, arguments);
    }
    entries.push_back(entry_of(file, answer));
    clear_bar(where_);
    if (!answer) {
      code = std::max(code, fail(answer.error()));
      if (code == exit_no_engine)
        break;
    } else if (!call.json) {
      where_.out << "submitted " << json_text(entries.back()["id"]) << " "
                 << escaped(file) << std::endl;
    }
  }
  if (call.json)
    where_.out << json_text(json{{"submissions", entries}}) << std::endl;
  return code;
}

} // namespace depositd::shell
