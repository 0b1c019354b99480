#include "config/settings.hpp"

#include "config/aptrust_settings.hpp"
#include "config/kafka_checks.hpp"
#include "config/nsq_keys.hpp"
#include "config/order_settings.hpp"
#include "config/secrets.hpp"
#include "config/setting_origins.hpp"
#include "config/setting_remarks.hpp"
#include "config/setting_table.hpp"
#include "config/source_settings.hpp"
#include "config/work_settings.hpp"

#include "messages/values/names.hpp"
#include "messages/values/operations.hpp"

#include <algorithm>
#include <filesystem>

namespace depositd {

namespace {

constexpr std::string_view queues_prefix = "queues.";
constexpr std::string_view storage_prefix = "storage.";

caf::error about(const given_setting& x, const caf::error& reason) {
  auto text = x.key;
  text += ": ";
  text += render(reason);
  if (!x.empty && !x.list) {
    text += ", not \"";
    text += x.values.front().substr(0, 100);
    text += '"';
  }
  return bad_setting(text + " (" + x.origin + ")");
}

/// What else the section of an unknown key has to offer.
std::string known_near(const std::string& key) {
  const auto section = key.substr(0, key.find('.')) + ".";
  std::string out;
  for (const auto& known : setting_keys())
    if (known.compare(0, section.size(), section) == 0)
      out += (out.empty() ? "; known: " : ", ") + known;
  return out;
}

caf::error unknown(const given_setting& x) {
  return bad_setting("unknown key " + x.key + " (" + x.origin + ")"
                     + known_near(x.key));
}

caf::error read_plain(depositd_settings& out, const given_setting& x) {
  for (const auto& key : setting_table()) {
    if (key.name != x.key)
      continue;
    if (auto failure = key.read(out, x))
      return about(x, failure);
    return caf::none;
  }
  // A section in which everything is commented out.
  return x.empty && !known_near(x.key + ".").empty() ? caf::error{}
                                                     : unknown(x);
}

bool is_storage_key(const given_setting& x) {
  return x.key.starts_with(storage_prefix);
}

bool is_queue_key(const given_setting& x) {
  return x.key.compare(0, queues_prefix.size(), queues_prefix) == 0;
}

/// "queues.NAME.FIELD", or "queues.NAME" alone: all defaults. Names may contain
/// dots, fields do not.
caf::error read_queue(depositd_settings& out, const given_setting& x,
                      bool kinds) {
  const auto rest = x.key.substr(queues_prefix.size());
  const auto dot = rest.rfind('.');
  const auto field = dot == std::string::npos ? "" : rest.substr(dot + 1);
  const auto& table = queue_setting_table();
  const auto key = std::find_if(table.begin(), table.end(), [&](auto& known) {
    return field == known.name;
  });
  const bool fair = field == fairness_field;
  const bool whole = key == table.end() && !fair;
  const auto name = whole ? rest : rest.substr(0, dot);
  if (whole && !x.empty)
    return unknown(x);
  if (!legal_queue_name(name))
    return about(x, bad_setting("the queue needs a name of a-z 0-9 . _ : @ -"));
  if ((field == "kind") != kinds)
    return caf::none;
  auto& queue =
    out.queues
      .try_emplace(name, name == notify_queue ? outbox_queue_defaults()
                                              : queue_settings{})
      .first->second;
  if (whole)
    return caf::none;
  if (auto failure = fair ? read_fairness(out, name, x) : key->read(queue, x))
    return about(x, failure);
  return caf::none;
}

caf::error check_tls(const depositd_settings& x, const origins& from) {
  if (auto failure =
        check_files(from, {{"http.tls.certificate", x.http.tls.certificate},
                           {"http.tls.key", x.http.tls.key}}))
    return failure;
  if (auto failure =
        check_files(from, {{"node.tls.certificate", x.node.tls.certificate},
                           {"node.tls.key", x.node.tls.key},
                           {"node.tls.ca", x.node.tls.ca}}))
    return failure;
  if (auto failure =
        check_files(from, {{"admin.tls.certificate", x.admin.tls.certificate},
                           {"admin.tls.key", x.admin.tls.key}}))
    return failure;
  if (!is_loopback(x.admin.listen) && !x.admin.tls.configured())
    return from.refuse("admin.listen",
                       to_string(x.admin.listen)
                         + " can be reached from other machines: set "
                           "admin.tls.certificate and admin.tls.key, or "
                           "listen on 127.0.0.1");
  if (!is_loopback(x.node.listen) && !x.node.tls.configured())
    return from.refuse("node.listen",
                       to_string(x.node.listen)
                         + " can be reached from other machines: set "
                           "node.tls.certificate, node.tls.key and "
                           "node.tls.ca, or listen on 127.0.0.1");
  return caf::none;
}

caf::error check_shards(const depositd_settings& x, const origins& from) {
  if (!x.node.advertise.empty()) {
    const auto at = parse_endpoint(x.node.advertise);
    if (!at || at->port == 0)
      return from.refuse("node.advertise",
                         "\"" + x.node.advertise + "\" is not HOST:PORT");
  }
  if (x.shards.count > 1 && x.store.kind == store_kind::memory)
    return from.refuse("shards.count", "store.kind memory has one shard");
  if (x.shards.count > 1 && x.store.kind == store_kind::embedded
      && x.threads.one_loop)
    return from.refuse("threads.one_loop",
                       "is for one shard: several have a thread each");
  return caf::none;
}

caf::error check(const depositd_settings& x, const origins& from) {
  if (auto failure = check_tls(x, from))
    return failure;
  if (auto failure = check_shards(x, from))
    return failure;
  if (auto failure = check_kafka(x.kafka, from))
    return failure;
  if (!x.node.name.empty() && !legal_processor_name(x.node.name))
    return from.refuse("node.name", "must be 1 to 64 of A-Z a-z 0-9 . _ -");
  if (const auto wrong = check_work(x); !wrong.key.empty())
    return from.refuse(wrong.key, wrong.reason);
  if (const auto wrong = check_nsq(x); !wrong.key.empty())
    return from.refuse(wrong.key, wrong.reason);
  if (const auto wrong = check_orders(x); !wrong.key.empty())
    return from.refuse(wrong.key, wrong.reason);
  if (const auto wrong = check_aptrust(x); !wrong.key.empty())
    return from.refuse(wrong.key, wrong.reason);
  if (x.store.kind == store_kind::postgres && x.store.url.empty())
    return from.refuse("store.url", "is needed when store.kind is postgres");
  for (const auto& [key, file] : {std::pair{"mail.ca", x.mail.ca},
                                  std::pair{"trace.ca", x.trace.ca}})
    if (auto failure = check_files(from, {{key, file}}))
      return failure;
  const auto& schemas = x.crossref.schema_folder;
  std::error_code ignored;
  if (!schemas.empty() && !std::filesystem::is_directory(schemas, ignored))
    return from.refuse("crossref.schema_folder",
                       "there is no folder \"" + schemas + "\"");
  for (const auto& user : x.prohibited_users)
    if (!legal_user_name(user))
      return from.refuse("prohibited_users",
                         "\"" + user.substr(0, 100) + "\" is no user name");
  const auto& address = x.crossref.public_url;
  if (!address.empty()
      && (!legal_web_address(address) || address.ends_with('/')))
    return from.refuse("crossref.public_url",
                       "must be like https://deposit.example.org");
  for (const auto& [name, queue] : x.queues) {
    if ((queue.kind == queue_kind::outbox) != (name == notify_queue))
      return from.refuse("queues." + name + ".kind",
                         std::string{"outbox is the kind of "} + notify_queue
                           + " and of no other queue");
    if (operation_of_queue(name).queue == name
        && queue.kind != queue_kind::deposit)
      return from.refuse("queues." + name + ".kind",
                         "deposits come to it: its kind is deposit");
    if (queue.retry_delay_ms > queue.retry_delay_ms_max)
      return from.refuse("queues." + name + ".retry_delay_ms",
                         "is more than retry_delay_ms_max, "
                           + std::to_string(queue.retry_delay_ms_max));
  }
  return caf::none;
}

} // namespace

caf::expected<depositd_settings>
make_settings(const std::vector<given_setting>& given) {
  depositd_settings out;
  // What a queue's other settings start from depends on its kind.
  for (const bool kinds : {true, false})
    for (const auto& x : given)
      if (is_queue_key(x))
        if (auto failure = read_queue(out, x, kinds))
          return failure;
  for (const auto& x : given)
    if (is_storage_key(x)) {
      if (auto failure = read_storage(out, x))
        return about(x, failure);
    } else if (is_order_key(x)) {
      if (auto failure = read_order_key(out, x))
        return about(x, failure);
    } else if (is_receiving_key(x)) {
      if (auto failure = read_receiving(out, x))
        return about(x, failure);
    } else if (is_source_key(x)) {
      if (auto failure = read_source_key(out, x))
        return failure;
    } else if (!is_queue_key(x)) {
      if (auto failure = read_plain(out, x))
        return failure;
    }
  if (auto failure = read_secrets(out))
    return failure;
  const origins from{given};
  if (auto failure = check(out, from))
    return failure;
  if (const auto wrong = check_sources(out, given); !wrong.key.empty())
    return from.refuse(wrong.key, wrong.reason);
  for (auto& remark : remarks_on(out))
    out.remarks.push_back(std::move(remark));
  out.given.all = given;
  return out;
}

std::vector<std::string> setting_keys() {
  std::vector<std::string> out;
  for (const auto& key : setting_table())
    out.push_back(key.name);
  for (const auto& key : queue_setting_table())
    out.push_back(std::string{"queues.NAME."} + key.name);
  out.push_back("queues.NAME." + std::string{fairness_field});
  for (const auto& key : storage_setting_table())
    out.push_back(std::string{"storage.NAME."} + key.name);
  for (auto& name : order_setting_names())
    out.push_back(std::move(name));
  return out;
}

} // namespace depositd
