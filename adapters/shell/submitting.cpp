#include "adapters/shell/submitting.hpp"

#include "adapters/shell/session.hpp"
#include "adapters/shell/table.hpp"

#include "messages/values/base64.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>

namespace depositd::shell {

namespace {

using json = nlohmann::json;

constexpr std::size_t bar_width = 30;

/// What became of one file, as the engine or this side says.
json entry_of(const std::string& file,
              const caf::expected<std::string>& answer) {
  json out{{"file", file}};
  if (!answer) {
    out["error"] = render(answer.error());
    return out;
  }
  const auto x = json::parse(*answer, nullptr, false);
  if (x.is_object())
    out["id"] = x.value("id", json{});
  return out;
}

} // namespace

caf::expected<std::string> read_file(const std::string& path) {
  const auto refuse = [&](ec code, const char* why) {
    return caf::make_error(code, path + ": " + why);
  };
  std::error_code failure;
  if (!std::filesystem::is_regular_file(path, failure))
    return refuse(ec::not_found, "no such file");
  std::ifstream in{path, std::ios::binary};
  std::string out(submit_bytes_max + 1, '\0');
  in.read(out.data(), static_cast<std::streamsize>(out.size()));
  if (in.bad() || !in.eof())
    return in.good() ? refuse(ec::too_large, "larger than 10 MiB")
                     : refuse(ec::not_found, "cannot be read");
  out.resize(static_cast<std::size_t>(in.gcount()));
  if (out.empty())
    return refuse(ec::malformed, "is empty");
  return out;
}

progress_bar::progress_bar(std::ostream& to, std::size_t total, bool draws)
  : to_(to), total_(total), draws_(draws) {
  // nop
}

progress_bar::~progress_bar() {
  clear();
}

void progress_bar::show(std::size_t done, const std::string& what) {
  if (!draws_)
    return;
  const auto filled = total_ == 0 ? 0 : bar_width * done / total_;
  to_ << "\r\x1b[K[" << std::string(filled, '#')
      << std::string(bar_width - filled, '-') << "] " << done << "/" << total_
      << " " << escaped(what).substr(0, 40) << std::flush;
}

void progress_bar::clear() {
  if (draws_)
    to_ << "\r\x1b[K" << std::flush;
}

int session::submit(const invocation& call) {
  json entries = json::array();
  int code = exit_done;
  progress_bar bar{where_.err, call.files.size(), where_.draws};
  for (std::size_t i = 0; i < call.files.size() && !where_.stopped(); ++i) {
    const auto& file = call.files[i];
    bar.show(i, file);
    auto answer = read_file(file);
    if (answer) {
      auto arguments = call.arguments;
      arguments["file_name"] = std::filesystem::path{file}.filename().string();
      arguments["content_base64"] = encode_base64(*answer);
      answer = ask(call.row, arguments);
    }
    entries.push_back(entry_of(file, answer));
    bar.clear();
    if (!answer) {
      code = std::max(code, fail(answer.error()));
      if (code == exit_no_engine)
        break;
    } else if (!call.json) {
      where_.out << "submitted " << entries.back()["id"].dump() << " "
                 << escaped(file) << std::endl;
    }
  }
  if (call.json)
    where_.out << json{{"submissions", entries}}.dump(
      -1, ' ', false, json::error_handler_t::replace)
               << std::endl;
  return code;
}

} // namespace depositd::shell
