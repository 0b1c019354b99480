// Forms, queries and packed bodies of requests.

#include "tests/fuzz/target.hpp"

#include "adapters/doors/http/form.hpp"
#include "adapters/doors/http/inflate.hpp"
#include "adapters/doors/http/text.hpp"

namespace depositd::fuzz {

namespace {

bool is_inside(std::string_view part, std::string_view whole) {
  return part.empty()
         || (part.data() >= whole.data()
             && part.data() + part.size() <= whole.data() + whole.size());
}

void read_multipart(std::string_view bytes) {
  const std::string body{bytes};
  const auto found = http::read_multipart(body, "b");
  if (!found)
    return;
  promise(!found->parts.empty(), "a form has a part");
  promise(found->parts.size() <= http::form_parts_max, "parts are bounded");
  for (const auto& x : found->parts) {
    promise(is_inside(x.data, body), "data is of the body");
    promise(x.closed || !x.has_file_name, "a file has an end");
  }
}

/// The first line is the type.
void read_form(std::string_view bytes) {
  http::request from;
  const auto end = std::min(bytes.find('\n'), bytes.size());
  from.headers.emplace_back("Content-Type", std::string{bytes.substr(0, end)});
  from.body = std::string{bytes.substr(std::min(end + 1, bytes.size()))};
  (void)http::read_form(from);
}

void read_texts(std::string_view bytes) {
  (void)http::percent_decode(bytes);
  (void)http::parse_header_value(bytes);
  const auto shown = http::printable(bytes);
  for (const unsigned char c : shown)
    promise(c >= 0x20 && c < 0x7f, "a log line is one line of ASCII");
  const auto page = http::escape_html(bytes);
  promise(page.find('<') == page.npos && page.find('"') == page.npos,
          "nothing of a stranger is markup");
}

void unpack(std::string_view bytes) {
  constexpr std::size_t most = 100'000;
  const auto found = http::inflate(bytes, most);
  promise(!found || found->size() <= most, "no more than may be");
}

const std::string a_multipart =
  "--b\r\nContent-Disposition: form-data; name=\"operation\"\r\n\r\n"
  "doMDUpload\r\n--b\r\nContent-Disposition: form-data; name=\"fname\"; "
  "filename=\"a \\\"b\\\".xml\"\r\nContent-Type: text/xml\r\n\r\n<a/>\r\n"
  "--b--\r\n";

} // namespace

std::vector<target> http_targets() {
  return {
    {"http_multipart", read_multipart, {a_multipart, "--b\n\nx\n--b--"}},
    {"http_form",
     read_form,
     {"multipart/form-data; boundary=b\n" + a_multipart,
      "application/x-www-form-urlencoded\nusr=a%2Fb&pwd=%zz+c&=&a=1;b",
      "multipart/form-data; boundary=\"b\"\n" + a_multipart}},
    {"http_texts",
     read_texts,
     {"a%20b%", "form-data; name=\"x\"; filename*=UTF-8''a", "<a b='c'>&"}},
    {"http_packed",
     unpack,
     {std::string{"\x1f\x8b\x08\0\0\0\0\0\0\x03\x4b\x04\0\x43\xbe\xb7\xe8\x01"
                  "\0\0\0",
                  21}}},
  };
}

} // namespace depositd::fuzz
