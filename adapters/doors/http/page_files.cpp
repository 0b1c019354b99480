#include "adapters/doors/http/page_files.hpp"

#include <algorithm>
#include <utility>

namespace depositd::http {

namespace {

constexpr const char* content_policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; "
  "img-src 'self' data:; connect-src 'self'; form-action 'self'; "
  "frame-ancestors 'none'; base-uri 'none'";

const embedded_file* find_file(const std::vector<embedded_file>& files,
                               std::string_view name) {
  const auto found = std::find_if(files.begin(), files.end(),
                                  [=](auto& x) { return x.path == name; });
  return found == files.end() ? nullptr : &*found;
}

} // namespace

bool takes_gzip(const request& from) {
  const auto* codings = from.header("accept-encoding");
  const auto at =
    codings == nullptr ? std::string::npos : codings->find("gzip");
  if (at == std::string::npos)
    return false;
  // "gzip;q=0" says that it must not be.
  const auto end = codings->find(',', at);
  const auto quality = codings->find("q=0", at);
  return quality == std::string::npos || quality >= end
         || codings->find_first_of("123456789", quality) < end;
}

response page_file_answer(const embedded_file& file, const request& from) {
  const auto* known = from.header("if-none-match");
  const bool same =
    known != nullptr && known->find(file.etag) != std::string::npos;
  const bool packed = !same && !file.gzip.empty() && takes_gzip(from);
  auto out = response::of(same ? 304 : 200, std::string{file.content_type},
                          std::string{same     ? std::string_view{}
                                      : packed ? file.gzip
                                               : file.bytes});
  if (packed)
    out.headers.emplace_back("Content-Encoding", "gzip");
  return std::move(out)
    .with("ETag", std::string{file.etag})
    .with("Vary", "Accept-Encoding")
    .with("Cache-Control", "no-cache")
    .with("Content-Security-Policy", content_policy)
    .with("X-Content-Type-Options", "nosniff")
    .with("Referrer-Policy", "no-referrer");
}

void add_page_files(router& routes, std::string_view index,
                    std::string_view folder,
                    const std::vector<embedded_file>& files, response absent) {
  const auto send = [&files, absent = std::move(absent)](
                      std::string_view name, const request& from,
                      responder answer) {
    const auto* found = find_file(files, name);
    answer.send(found == nullptr ? absent : page_file_answer(*found, from));
  };
  routes.add("GET", index, [=](request&& from, responder answer) {
    send("index.html", from, std::move(answer));
  });
  routes.add("GET", std::string{folder} + "/{file}",
             [=](request&& from, responder answer) {
               send(from.captured.front(), from, std::move(answer));
             });
}

} // namespace depositd::http
