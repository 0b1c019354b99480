#include "benchmarks/depositbench/crossref.hpp"

#include "benchmarks/depositbench/feed.hpp"
#include "benchmarks/depositbench/made_deposits.hpp"
#include "messages/values/hex.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <utility>

namespace depositd::bench {

namespace {

constexpr const char* edge = "depositbench-8f2c61d0";

/// Ticks between two questions for a result that is not there: each makes the
/// engine look it up.
constexpr unsigned rest_ticks = 10;

std::string field(const char* name, const std::string& value) {
  return std::string{"--"} + edge
         + "\r\nContent-Disposition: form-data; name=\"" + name + "\"\r\n\r\n"
         + value + "\r\n";
}

std::string post_request(const sender& who, const std::string& name,
                         std::size_t bytes) {
  auto body = field("operation", "doMDUpload") + field("login_id", who.name)
              + field("login_passwd", who.secret);
  body += std::string{"--"} + edge
          + "\r\nContent-Disposition: form-data; name=\"fname\"; filename=\""
          + name + ".xml\"\r\nContent-Type: application/xml\r\n\r\n";
  body += deposit_xml(name, bytes);
  body += std::string{"\r\n--"} + edge + "--\r\n";
  const auto type =
    std::string{"Content-Type: multipart/form-data; boundary="} + edge + "\r\n";
  return request_head("POST", "/servlet/deposit", type, body.size()) + body;
}

std::string in_query(const std::string& text) {
  std::string out;
  for (const auto c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '-'
        || c == '_') {
      out += c;
    } else {
      append_hex(out += '%', c);
    }
  }
  return out;
}

std::string poll_request(const sender& who, const std::string& name) {
  return request_head("GET",
                      "/servlet/submissionDownload?usr=" + in_query(who.name)
                        + "&pwd=" + in_query(who.secret) + "&file_name=" + name
                        + ".xml&type=result",
                      "", 0);
}

// -- posting ------------------------------------------------------------------

/// What the connections of one producer share.
struct deposit_feed : producer_feed {
  deposit_feed(const producer_plan& x, const std::vector<sender>& logins,
               std::shared_ptr<deposit_board> open,
               std::shared_ptr<progress> reports)
    : producer_feed(x, std::move(reports),
                    {std::min<std::size_t>(std::max(x.users, 1u),
                                           logins.size())}),
      senders(logins), board(std::move(open)) {
    // nop
  }

  const std::vector<sender>& senders;
  std::shared_ptr<deposit_board> board;
};

class post_conversation : public reporting_conversation {
public:
  explicit post_conversation(std::shared_ptr<deposit_feed> from)
    : reporting_conversation(from->to), from_(std::move(from)) {
    // nop
  }

  bool ask(std::string& request) override {
    if (from_->ready(1) == 0)
      return false;
    asked_us_ = steady_us();
    who_ = from_->source.draw_user();
    deposit_ = {next_deposit_name(), from_->mark(asked_us_, from_->sent)};
    ++from_->sent;
    ++to_->sent;
    request = post_request(from_->senders[who_], deposit_.file_name,
                           from_->plan.body_bytes);
    return true;
  }

  void answered(int status, std::string_view body) override {
    if (!good("deposit", status, body))
      return;
    from_->latencies.push_back(
      static_cast<std::uint32_t>(steady_us() - asked_us_));
    from_->board->add(who_, std::move(deposit_));
    ++to_->enqueued;
  }

private:
  std::shared_ptr<deposit_feed> from_;
  std::size_t who_ = 0;
  deposit_board::deposit deposit_;
  std::uint64_t asked_us_ = 0;
};

/// Posts these in their order, each for its own user.
class listed_posts : public reporting_conversation {
public:
  struct one {
    std::size_t who = 0;
    deposit_board::deposit what;
  };

  listed_posts(std::shared_ptr<progress> to, std::vector<one> posts,
               std::size_t body_bytes, const std::vector<sender>& senders,
               std::shared_ptr<deposit_board> board)
    : reporting_conversation(std::move(to)), posts_(std::move(posts)),
      body_bytes_(body_bytes), senders_(senders), board_(std::move(board)) {
    // nop
  }

  bool ask(std::string& request) override {
    if (to_->failed || next_ == posts_.size())
      return false;
    const auto& post = posts_[next_];
    request =
      post_request(senders_[post.who], post.what.file_name, body_bytes_);
    return true;
  }

  void answered(int status, std::string_view body) override {
    if (!good("deposit", status, body))
      return;
    board_->add(posts_[next_].who, posts_[next_].what);
    ++next_;
    ++to_->settled;
  }

private:
  std::vector<one> posts_;
  std::size_t body_bytes_;
  const std::vector<sender>& senders_;
  std::shared_ptr<deposit_board> board_;
  std::size_t next_ = 0;
};

// -- polling ------------------------------------------------------------------

class poll_conversation : public reporting_conversation {
public:
  poll_conversation(std::shared_ptr<progress> to, const worker_plan& plan,
                    const std::vector<sender>& senders,
                    std::shared_ptr<deposit_board> board)
    : reporting_conversation(std::move(to)), plan_(plan), senders_(senders),
      board_(std::move(board)) {
    // nop
  }

  ~poll_conversation() override {
    to_->add_latencies(to_->handed_us, latencies_);
  }

  bool ask(std::string& request) override {
    if (to_->failed || (rests_ > 0 && rests_-- > 0))
      return false;
    if (!has_ && !board_->borrow(who_))
      return false;
    has_ = true;
    request = poll_request(senders_[who_], board_->oldest(who_).file_name);
    return true;
  }

  void answered(int status, std::string_view body) override {
    if (!good("poll", status, body))
      return;
    if (body.find("status=\"completed\"") == body.npos) {
      let_go(rest_ticks);
      return;
    }
    if (body.find("<failure_count>0<") == body.npos)
      to_->fail("a deposit failed: " + std::string{body.substr(0, 500)});
    note(board_->oldest(who_).mark);
    if (!board_->take_oldest(who_))
      let_go(0);
  }

private:
  void note(std::uint64_t mark) {
    ++to_->deliver;
    ++to_->settled;
    if (plan_.note_latency)
      latencies_.push_back(static_cast<std::uint32_t>(steady_us() - mark));
    if (plan_.note_order) {
      std::lock_guard guard{to_->mutex};
      to_->order.push_back(mark);
    }
  }

  void let_go(unsigned rests) {
    board_->give_back(who_);
    has_ = false;
    rests_ = rests;
  }

  worker_plan plan_;
  const std::vector<sender>& senders_;
  std::shared_ptr<deposit_board> board_;
  std::size_t who_ = 0;
  bool has_ = false;
  unsigned rests_ = 0;
  std::vector<std::uint32_t> latencies_;
};

} // namespace

// -- board --------------------------------------------------------------------

deposit_board::deposit_board(std::size_t senders) : places_(senders) {
  // nop
}

void deposit_board::add(std::size_t sender, deposit x) {
  places_[sender].open.push_back(std::move(x));
  ++open_;
}

bool deposit_board::borrow(std::size_t& sender) {
  for (std::size_t i = 0; i < places_.size(); ++i) {
    next_ = next_ + 1 < places_.size() ? next_ + 1 : 0;
    auto& place = places_[next_];
    if (place.lent || place.open.empty())
      continue;
    place.lent = true;
    sender = next_;
    return true;
  }
  return false;
}

const deposit_board::deposit& deposit_board::oldest(std::size_t sender) const {
  return places_[sender].open.front();
}

bool deposit_board::take_oldest(std::size_t sender) {
  places_[sender].open.pop_front();
  --open_;
  return !places_[sender].open.empty();
}

void deposit_board::give_back(std::size_t sender) {
  places_[sender].lent = false;
}

// -- client -------------------------------------------------------------------

crossref_client::crossref_client(const std::string& address,
                                 std::vector<sender> logins)
  : http_client(address, std::move(logins)),
    board_(std::make_shared<deposit_board>(senders().size())) {
  // The first check of a password is slow by design; not what is measured.
  std::vector<std::string> polls;
  for (const auto& login : senders())
    polls.push_back(poll_request(login, "none"));
  send_all("login", std::move(polls));
  finish();
}

void crossref_client::produce(const producer_plan& plan,
                              std::shared_ptr<progress> to) {
  const auto from =
    std::make_shared<deposit_feed>(plan, senders(), board_, std::move(to));
  const auto connections = plan.rate > 0 ? 16 : plan.window;
  for (std::size_t i = 0; i < connections; ++i)
    loop().add(std::make_unique<post_conversation>(from));
}

void crossref_client::work_on(const std::string&, const worker_plan& plan,
                              std::shared_ptr<progress> to) {
  loop().add(std::make_unique<poll_conversation>(std::move(to), plan, senders(),
                                                 board_));
}

void crossref_client::enqueue_now(const std::string&,
                                  std::vector<new_item> items) {
  if (items.empty())
    return;
  const auto to = std::make_shared<progress>();
  // One user's deposits stay in order on their one connection.
  std::map<std::size_t, std::vector<listed_posts::one>> by_connection;
  for (const auto& item : items) {
    const auto who = index_of(item.user);
    by_connection[who % 16].push_back(
      {who, {next_deposit_name(), mark_of(item.body)}});
  }
  for (auto& [ignored, posts] : by_connection)
    loop().add(std::make_unique<listed_posts>(
      to, std::move(posts), items.front().body.size(), senders(), board_));
  await(*to, to->settled, items.size());
}

void crossref_client::purge(const std::string&) {
  const auto to = std::make_shared<progress>();
  const auto count = board_->open();
  for (int i = 0; i < 8; ++i)
    work_on("", {}, to);
  await(*to, to->settled, count);
}

} // namespace depositd::bench
