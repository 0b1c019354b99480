#include "benchmarks/depositbench/http_client.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <stdexcept>

namespace depositd::bench {

namespace {

/// The head of an answer as far as it matters.
struct answer_head {
  int status = 0;
  std::size_t head_bytes = 0;
  std::size_t body_bytes = 0;
};

bool is_content_length(std::string_view line) {
  constexpr std::string_view name = "content-length:";
  return line.size() > name.size()
         && std::equal(name.begin(), name.end(), line.begin(),
                       [](char a, char b) { return a == (b | 0x20); });
}

/// Nothing if it is no answer that this client understands.
std::optional<answer_head> read_head(std::string_view head) {
  answer_head out;
  out.head_bytes = head.size();
  if (head.size() < 12 || !head.starts_with("HTTP/1.1 "))
    return std::nullopt;
  std::from_chars(head.data() + 9, head.data() + 12, out.status);
  for (auto at = head.find("\r\n"); at + 2 < head.size();) {
    const auto begin = at + 2;
    at = head.find("\r\n", begin);
    const auto line = head.substr(begin, at - begin);
    if (!is_content_length(line))
      continue;
    const auto digits = line.find_first_not_of(' ', 15);
    if (digits == line.npos)
      return std::nullopt;
    std::from_chars(line.data() + digits, line.data() + line.size(),
                    out.body_bytes);
    return out;
  }
  return std::nullopt;
}

} // namespace

std::string request_head(const std::string& method, const std::string& target,
                         const std::string& headers, std::size_t body_bytes) {
  auto out = method + " " + target + " HTTP/1.1\r\nHost: depositd\r\n";
  out += headers;
  if (method == "POST")
    out += "Content-Length: " + std::to_string(body_bytes) + "\r\n";
  return out + "\r\n";
}

// -- conversations ------------------------------------------------------------

reporting_conversation::reporting_conversation(std::shared_ptr<progress> to)
  : to_(std::move(to)) {
  // nop
}

asked reporting_conversation::next(std::string& request) {
  asked_ = ask(request);
  return asked_ ? asked::question : asked::nothing;
}

taken reporting_conversation::take(std::string_view received) {
  const auto end = received.find("\r\n\r\n");
  if (end == received.npos)
    return {};
  const auto head = read_head(received.substr(0, end + 4));
  if (!head || !asked_)
    return {.wrong = "not an answer: " + std::string{received.substr(0, 200)}};
  const auto all = head->head_bytes + head->body_bytes;
  if (received.size() < all)
    return {};
  asked_ = false;
  answered(head->status, received.substr(head->head_bytes, head->body_bytes));
  return {.bytes = all, .answered = true};
}

bool reporting_conversation::may_close() const {
  return true;
}

void reporting_conversation::broke(const std::string& why) {
  to_->fail(why);
}

bool reporting_conversation::good(const char* what, int status,
                                  std::string_view body) {
  if (status == 200)
    return true;
  to_->fail(std::string{what} + ": " + std::to_string(status) + " "
            + std::string{body.substr(0, 500)});
  return false;
}

namespace {

class fixed_requests : public reporting_conversation {
public:
  fixed_requests(std::shared_ptr<progress> to, const char* what,
                 std::vector<std::string> requests, std::string wanted)
    : reporting_conversation(std::move(to)),
      what_(what),
      requests_(std::move(requests)),
      wanted_(std::move(wanted)) {
    // nop
  }

  bool ask(std::string& request) override {
    if (next_ == requests_.size() || to_->failed)
      return false;
    request = std::move(requests_[next_++]);
    return true;
  }

  void answered(int status, std::string_view body) override {
    if (!good(what_, status, body))
      return;
    if (body.find(wanted_) == body.npos)
      to_->fail(std::string{what_} + ": " + std::string{body.substr(0, 500)});
    else
      ++to_->settled;
  }

private:
  const char* what_;
  std::vector<std::string> requests_;
  std::string wanted_;
  std::size_t next_ = 0;
};

} // namespace

// -- client -------------------------------------------------------------------

http_client::http_client(const std::string& address,
                         std::vector<sender> senders)
  : senders_(std::move(senders)), loop_(address) {
  // nop
}

void http_client::finish() {
  loop_.finish();
}

void http_client::send_all(const char* what, std::vector<std::string> requests,
                           const std::string& wanted) {
  const auto to = std::make_shared<progress>();
  const auto count = requests.size();
  loop_.add(std::make_unique<fixed_requests>(to, what, std::move(requests),
                                             wanted));
  await(*to, to->settled, count);
}

std::size_t http_client::index_of(const std::string& user) const {
  const auto number = std::stoul(user.substr(user.rfind('-') + 1));
  if (number >= senders_.size())
    throw std::runtime_error("this phase needs --keys with at least "
                             + std::to_string(number + 1) + " senders");
  return number;
}

} // namespace depositd::bench
