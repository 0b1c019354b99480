// Requests, their forms, queries and packed bodies.

#include "tests/fuzz/target.hpp"

#include "adapters/doors/http/form.hpp"
#include "adapters/doors/http/inflate.hpp"
#include "adapters/doors/http/request_parser.hpp"
#include "adapters/doors/http/text.hpp"

namespace depositd::fuzz {

namespace {

bool is_inside(std::string_view part, std::string_view whole) {
  return part.empty()
         || (part.data() >= whole.data()
             && part.data() + part.size() <= whole.data() + whole.size());
}

constexpr http::request_parser::limits small_head{300, 10};

/// What a parser says of a connection.
class heard : public http::body_taker {
public:
  /// `step` bytes come at a time.
  std::string all(std::string_view bytes, std::size_t step) {
    for (; !bytes.empty() && !ended_; bytes.remove_prefix(step)) {
      step = std::min(step, bytes.size());
      auto piece = bytes.substr(0, step);
      while (!ended_ && hear(parser_.next(piece)))
        promise(is_inside(piece, bytes), "what is left was there");
    }
    return std::move(said_);
  }

private:
  bool take(std::string_view piece) override {
    said_ += piece;
    return true;
  }

  bool hear(http::request_parser::found what) {
    using found = http::request_parser::found;
    const auto& head = parser_.head();
    promise(head.target.size() <= small_head.head_bytes_max
              && head.headers.size() <= small_head.headers_max + 1,
            "heads are bounded");
    if (what == found::target)
      said_ += "target " + head.target;
    if (what == found::head) {
      said_ += "head " + head.method;
      for (const auto& [name, value] : head.headers)
        said_ += '|' + name + '=' + value;
    }
    if (what == found::end)
      said_ += parser_.stays() ? "end" : "last";
    ended_ = what == found::fault;
    if (ended_)
      said_ += "fault";
    return what != found::nothing;
  }

  http::request_parser parser_{small_head, *this};
  std::string said_;
  bool ended_ = false;
};

/// However its bytes come, a request is the same.
void read_requests(std::string_view bytes) {
  const auto whole = heard{}.all(bytes, bytes.size());
  for (const std::size_t step : {1, 2, 7})
    promise(heard{}.all(bytes, step) == whole,
            "a request is the same however it comes");
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
    {"http_requests",
     read_requests,
     {"GET /a?b=c HTTP/1.1\r\nHost: a\r\nX: y \r\n\r\nGET / HTTP/1.1\r\n"
      "\r\n",
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc"
      "PUT /b HTTP/1.0\r\nConnection: keep-alive\r\nContent-Length: 1\r\n\r\nx",
      "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n2;a=\"b\"\r\nhi"
      "\r\n1\r\n!\r\n0\r\nT: x\r\n\r\nHEAD / HTTP/1.1\r\nUpgrade: x\r\n"
      "Connection: upgrade\r\n\r\n",
      "CONNECT a:1 HTTP/1.1\r\nExpect: 100-continue\r\n\r\n"}},
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
