#include "config/demo.hpp"

#include "config/scratch_folder.hpp"

#include "adapters/doors/kit/passwords.hpp"
#include "adapters/stores/files/file.hpp"
#include "messages/operators.hpp"
#include "messages/values/base64.hpp"
#include "messages/values/json_text.hpp"
#include "messages/values/uuid.hpp"

#include <caf/scoped_actor.hpp>

#include <nlohmann/json.hpp>
#include <spdlog/spdlog.h>

#include <array>
#include <cerrno>
#include <chrono>

#include <stdlib.h>

namespace depositd {

namespace {

using json = nlohmann::json;

constexpr const char* operator_name = "demo";
constexpr std::chrono::seconds patience{30};

// A heap at first, so that there is something to see; then a trickle.
constexpr std::uint64_t heap_size = 200;
constexpr std::chrono::milliseconds heap_pause{5};
constexpr std::chrono::milliseconds trickle_pause{400};
constexpr std::uint64_t failing_every = 9;

constexpr std::array big_users{"northern-press", "city-archive"};
constexpr std::array small_users{"amelie", "boris", "chidi", "dalia",
                                 "emil",   "fay",   "grace", "hana",
                                 "ivo",    "jun",   "kofi",  "lena"};

/// Says one thing to the admin actor as the engine itself.
caf::error give(caf::scoped_actor& self, const admin_actor& admin,
                const char* command, const json& arguments) {
  caf::error out;
  self->request(admin, patience, admin_request{command, json_text(arguments)})
    .receive([](const admin_reply&) {},
             [&](caf::error& why) { out = std::move(why); });
  return out;
}

/// A new one, or a new password for one that a folder has already.
caf::error make(caf::scoped_actor& self, const admin_actor& admin,
                const std::string& what, const json& arguments) {
  auto wrong = give(self, admin, (what + " add").c_str(), arguments);
  if (wrong != ec::already_exists)
    return wrong;
  return give(self, admin, (what + " password").c_str(),
              {{"name", arguments["name"]},
               {"password_hash", arguments["password_hash"]}});
}

struct demo_state {
  using interface = demo_actor;

  std::uint64_t next = 0; // first: CAF would give an actor the state's pointer
  admin_actor admin;

  static inline const char* name = "demo";
};

using demo_pointer = actor_with<demo_state>*;

void deposit_next(demo_pointer self) {
  const auto number = self->state.next++;
  const json what{{"user", demo_user(number)},
                  {"file_name", "demo-" + std::to_string(number) + ".xml"},
                  {"content_base64", encode_base64(demo_deposit(number))}};
  // The next comes when this one is in: a demo does not flood anybody.
  const auto go_on = [=] {
    self->delayed_send(self, number < heap_size ? heap_pause : trickle_pause,
                       demo_tick{});
  };
  self
    ->request(self->state.admin, patience,
              admin_request{"submit", json_text(what)})
    .then([=](const admin_reply&) { go_on(); },
          [=](const caf::error& why) {
            spdlog::info("demo_deposit_refused reason=\"{}\"", render(why));
            go_on();
          });
}

demo_actor::behavior_type demo(demo_pointer self, const admin_actor& admin) {
  self->state.admin = admin;
  self->send(self, demo_tick{});
  return {
    [=](demo_tick) { deposit_next(self); },
  };
}

/// "http=HOST:PORT" of the ready line.
std::string value_in(const std::string& ready, const std::string& key) {
  const auto at = ready.find(" " + key + "=");
  if (at == std::string::npos)
    return {};
  const auto from = at + key.size() + 2;
  return ready.substr(from, ready.find(' ', from) - from);
}

std::string url_of(const std::string& ready, const std::string& key, bool tls) {
  return (tls ? "https://" : "http://") + value_in(ready, key) + "/";
}

} // namespace

std::string demo_user(std::uint64_t number) {
  // Seven of ten are of the big ones, four of these of the first.
  const auto of_ten = number % 10;
  if (of_ten < 7)
    return big_users[of_ten < 4 ? 0 : 1];
  return small_users[(number / 10 * 3 + of_ten - 7) % small_users.size()];
}

std::string demo_deposit(std::uint64_t number) {
  const auto name = std::to_string(number);
  auto out = std::string{"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                         "<doi_batch xmlns=\"http://www.crossref.org/schema/"
                         "5.3.1\" version=\"5.3.1\"><head><doi_batch_id>"}
             + "demo-" + name
             + "</doi_batch_id><timestamp>20240101000000</timestamp>"
               "<depositor><depositor_name>A depositor</depositor_name>"
               "<email_address>depositor@example.org</email_address>"
               "</depositor><registrant>A registrant</registrant></head>"
               "<body><journal><journal_metadata><full_title>Journal of "
               "Made-up Results</full_title><issn media_type=\"electronic\">"
               "2577-3569</issn></journal_metadata><journal_article "
               "publication_type=\"full_text\"><titles><title>Result "
             + name
             + "</title></titles><publication_date><year>2024</year>"
               "</publication_date><doi_data><doi>10.5555/demo."
             + name + "</doi><resource>https://example.org/demo/" + name
             + "</resource></doi_data></journal_article></journal></body>"
               "</doi_batch>\n";
  if (number % failing_every == failing_every - 1)
    out.resize(out.size() / 2);
  return out;
}

caf::expected<demo_begun> begin_demo(caf::actor_system& system,
                                     const admin_actor& admin) {
  demo_begun out;
  out.password = random_uuid();
  const auto hash = kit::hash_of_password(out.password);
  if (hash.empty())
    return caf::make_error(ec::overloaded,
                           std::string{"not enough memory for the password"});
  caf::scoped_actor self{system};
  if (auto wrong = make(self, admin, "operator",
                        {{"name", operator_name},
                         {"role", "administer"},
                         {"password_hash", hash}}))
    return wrong;
  const auto make_user = [&](const char* name) {
    return make(self, admin, "user", {{"name", name}, {"password_hash", hash}});
  };
  for (const auto* name : big_users)
    if (auto wrong = make_user(name))
      return wrong;
  for (const auto* name : small_users)
    if (auto wrong = make_user(name))
      return wrong;
  out.actor = system.spawn(demo, admin);
  return out;
}

std::string welcome(const std::string& ready, const std::string& password,
                    const demo_doors& doors) {
  return "\nPage:   " + url_of(ready, "admin", doors.admin_tls) + "\nLogin:  "
         + operator_name + " " + password + "\nShell:  depositctl --connect "
         + value_in(ready, "node") + " status\nUsers:  " + big_users[0] + ", "
         + small_users[0] + " and others have the same password ("
         + url_of(ready, "http", doors.http_tls)
         + "deposits).\n\nDeposits come in by themselves. Ctrl-C ends it.\n";
}

caf::expected<std::filesystem::path> demo_folder() {
  auto name = (temporary_place() / "depositd-demo-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr)
    return file_failed("make", name, errno);
  return std::filesystem::path{name};
}

} // namespace depositd
