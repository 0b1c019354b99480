#include "actors/rules/sources/setting_table.hpp"
#include "actors/rules/sources/settings.hpp"
#include "actors/rules/sources/strategy.hpp"
#include "messages/values/names.hpp"
#include "messages/values/split_words.hpp"
#include "messages/values/sql_pieces.hpp"

#include <utility>

namespace depositd::rules {

namespace {

/// One group of settings; `refuse` says which is at fault.
class setting_check {
public:
  explicit setting_check(std::string prefix) : prefix_(std::move(prefix)) {}

  void refuse(std::string_view setting, const std::string& reason) {
    if (!error_)
      error_ = caf::make_error(ec::bad_setting,
                               prefix_ + std::string{setting} + ": " + reason);
  }

  void need(bool fits, std::string_view setting, const std::string& reason) {
    if (!fits)
      refuse(setting, reason);
  }

  caf::error result() const {
    return error_;
  }

private:
  std::string prefix_;
  caf::error error_;
};

caf::error refused_name(const std::string& what, const std::string& name) {
  return caf::make_error(
    ec::bad_setting, what + "." + name.substr(0, 64)
                       + ": a name has 1 to 64 letters, digits, _ and -, and "
                         "is no word of the strategies");
}

bool starts_with_any(std::string_view text,
                     std::initializer_list<std::string_view> beginnings) {
  for (const auto x : beginnings)
    if (text.starts_with(x) && text.size() > x.size())
      return true;
  return false;
}

void check_numbers(setting_check& it, const source_settings& x) {
  it.need(x.capacity > x.threshold(), "capacity",
          std::to_string(x.capacity) + " is not more than replenish_threshold "
            + std::to_string(x.threshold()));
  it.need(x.retry_delay_ms_max >= x.retry_delay_ms, "retry_delay_ms_max",
          std::to_string(x.retry_delay_ms_max) + " is less than retry_delay_ms "
            + std::to_string(x.retry_delay_ms));
}

/// What is required is there, and what only other kinds have is not.
void check_kind(setting_check& it, const source_settings& x) {
  const source_settings untouched;
  const std::string kind = to_string(x.kind);
  for (const auto& line : source_lines) {
    if (!line.text && !line.number)
      continue;
    const auto text = setting_text(x, line.name);
    if ((line.kinds & bit_of(x.kind)) == 0)
      it.need(text == setting_text(untouched, line.name), line.name,
              "is no setting of the kind " + kind);
    else
      it.need(!line.required || !text.empty(), line.name,
              "is required for the kind " + kind);
  }
  if (x.kind == source_kind::sql || x.kind == source_kind::exec)
    it.need(!x.key.empty(), "key", "is required for the kind " + kind);
}

void check_sql(setting_check& it, const source_settings& x) {
  const auto& url = x.from.url;
  it.need(starts_with_any(url, {"postgresql://", "postgres://", "odbc:"})
            || (url.starts_with("sqlite:/") && url.size() > 8),
          "url",
          "expected postgresql://..., sqlite:/ABSOLUTE/FILE or "
          "odbc:CONNECTION STRING");
  if (!names_place(x.from.query, sql_piece::what::cursor))
    return;
  it.need(!x.from.cursor.empty(), "cursor",
          "is required, as the query has :cursor");
  it.need(x.from.has_cursor_start, "cursor_start",
          "is required, as the query has :cursor");
}

void check_origin(setting_check& it, const source_settings& x) {
  const auto& from = x.from;
  const auto web = [&](std::string_view setting, const std::string& url) {
    it.need(legal_web_address(url), setting, "expected http:// or https://");
  };
  switch (x.kind) {
    case source_kind::sql:
      return check_sql(it, x);
    case source_kind::sqs:
      return web("url", from.url);
    case source_kind::queue:
      web("url", from.url);
      return it.need(from.url.find("/queue/1/") != std::string::npos
                       || from.url.find("/dedupq/1/") != std::string::npos,
                     "url", "expected http://HOST:PORT/queue/1/NAME");
    case source_kind::s3:
      if (!from.endpoint.empty())
        web("endpoint", from.endpoint);
      return;
    case source_kind::exec: {
      const auto words = split_words(from.command);
      if (!words)
        return it.refuse("command", render(words.error()));
      return it.need(!words->empty() && !words->front().empty(), "command",
                     "names no program");
    }
    case source_kind::kafka:
    case source_kind::folder:
      return;
  }
}

} // namespace

caf::error check(const std::string& source, const source_settings& x) {
  if (!legal_source_name(source))
    return refused_name("sources", source);
  setting_check it{"sources." + source + "."};
  check_kind(it, x);
  check_numbers(it, x);
  check_origin(it, x);
  for (const auto& [setting, text] :
       {std::pair{"key", &x.key}, {"user_field", &x.user_field}})
    it.need(text->size() <= 255, setting, "has more than 255 bytes");
  return it.result();
}

bool asks_database(const scheduler_settings& x) {
  return starts_with_any(x.downstream, {"postgresql://", "postgres://"});
}

caf::error check(const std::string& scheduler, const scheduler_settings& x) {
  if (!legal_source_name(scheduler))
    return refused_name("schedulers", scheduler);
  setting_check it{"schedulers." + scheduler + "."};
  it.need(!x.queue.empty(), "queue", "is required");
  it.need(legal_queue_name(x.queue), "queue", "is no name of a queue");
  it.need(x.high > x.low_mark(), "high",
          std::to_string(x.high) + " is not more than low "
            + std::to_string(x.low_mark()));
  const bool database = asks_database(x);
  it.need(x.downstream.empty() || database || legal_web_address(x.downstream),
          "downstream", "expected http://... or postgresql://...");
  it.need(!database || !x.downstream_query.empty(), "downstream_query",
          "is required, as downstream is a database");
  it.need(database || x.downstream_query.empty(), "downstream_query",
          "is for a database in downstream");
  return it.result();
}

caf::error check_strategy(const std::string& scheduler,
                          std::string_view strategy,
                          const source_table& sources) {
  const auto read = parse_strategy(strategy, [&](std::string_view name) {
    const auto at = sources.find(std::string{name});
    return at != sources.end() && at->second.scheduler == scheduler;
  });
  const auto* why = std::get_if<strategy_error>(&read);
  if (!why)
    return {};
  return caf::make_error(ec::bad_setting, "schedulers." + scheduler
                                            + ".strategy: " + why->text());
}

caf::error check(const source_table& sources,
                 const scheduler_table& schedulers) {
  for (const auto& [name, x] : sources) {
    if (auto why = check(name, x))
      return why;
    if (!schedulers.contains(x.scheduler))
      return caf::make_error(ec::bad_setting,
                             "sources." + name + ".scheduler: there is no "
                               + "scheduler " + x.scheduler.substr(0, 64));
  }
  for (const auto& [name, x] : schedulers) {
    if (auto why = check(name, x))
      return why;
    if (auto why = check_strategy(name, x.strategy, sources))
      return why;
  }
  return {};
}

caf::error check_removal(const std::string& source, const source_table& sources,
                         const scheduler_table& schedulers) {
  const auto at = sources.find(source);
  if (at == sources.end())
    return caf::make_error(ec::not_found, "there is no source " + source);
  const auto of = schedulers.find(at->second.scheduler);
  if (of == schedulers.end())
    return {};
  const auto read =
    parse_strategy(of->second.strategy, [](std::string_view) { return true; });
  const auto* tree = std::get_if<strategy_tree>(&read);
  if (!tree || !names_source(*tree, source))
    return {};
  return caf::make_error(ec::bad_setting, "schedulers." + of->first
                                            + ".strategy: names the source "
                                            + source);
}

caf::error check_scheduler_removal(const std::string& scheduler,
                                   const source_table& sources) {
  for (const auto& [name, x] : sources)
    if (x.scheduler == scheduler)
      return caf::make_error(ec::bad_setting, "sources." + name
                                                + ".scheduler: belongs to "
                                                + scheduler);
  return {};
}

} // namespace depositd::rules
