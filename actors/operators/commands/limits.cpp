// What holds for single users: their limits, and whether they are served.

#include "actors/operators/command.hpp"

namespace depositd::operators {

namespace about_limits {
namespace {

document limits_document(const user_limits_changed& x) {
  const auto side = [](bool own, std::uint32_t value) {
    if (!own)
      return document("default");
    return value == no_cap ? document("none") : document(value);
  };
  return {{"user", x.user},
          {"queue", x.queue},
          {"allocation", side(x.has_allocation, x.allocation)},
          {"concurrency", side(x.has_concurrency, x.concurrency)}};
}

document quota_document(const quota_changed& x) {
  const auto side = [](bool own, auto value, auto none) {
    if (!own)
      return document("default");
    return value == none ? document("none") : document(value);
  };
  return {{"bytes_max", side(x.has_bytes_max, x.bytes_max, no_size_limit)},
          {"requests_per_second",
           side(x.has_requests_per_second, x.requests_per_second, no_cap)}};
}

/// The queue that is named, or all deposit queues.
caf::expected<std::vector<std::string>> queues_meant(const control_state& now,
                                                     const std::string& queue) {
  if (!queue.empty() && !now.queues.count(queue))
    return refuse(ec::not_found, "there is no queue of this name");
  std::vector<std::string> out;
  for (const auto& [name, settings] : now.queues)
    if (queue.empty() ? settings.kind == queue_kind::deposit : name == queue)
      out.push_back(name);
  return out;
}

/// Many changes of one kind as one.
struct changes {
  std::vector<event> events;
  document before = document::array();
  document after = document::array();

  void add(admin_change x) {
    before.push_back(std::move(x.before));
    after.push_back(std::move(x.after));
    events.insert(events.end(), x.events.begin(), x.events.end());
  }

  admin_change as(const char* list) {
    return {std::move(events),
            {{list, std::move(before)}},
            {{list, std::move(after)}}};
  }
};

change set(const admin_arguments& in, const control_state& now) {
  const auto allocation = in.limit("allocation");
  const auto concurrency = in.limit("concurrency");
  if (!allocation && !concurrency && !in.has("bytes_max")
      && !in.has("requests_per_second"))
    return refuse(ec::invalid_argument,
                  "give an allocation or a concurrency, or a quota");
  if (allocation && !allocation->is_default && allocation->value == no_cap)
    return refuse(ec::invalid_argument,
                  "allocation must be a number or default");
  const auto queues = queues_meant(now, in.text("queue"));
  if (!queues)
    return queues.error();
  changes out;
  for (const auto& name : *queues)
    for (const auto& user : in.texts("names")) {
      const auto at = now.limits.find({name, user});
      const auto before =
        at != now.limits.end() ? at->second : user_limits_changed{name, user};
      auto after = before;
      if (allocation) {
        after.has_allocation = !allocation->is_default;
        after.allocation = allocation->value;
      }
      if (concurrency) {
        after.has_concurrency = !concurrency->is_default;
        after.concurrency = concurrency->value;
      }
      auto one = changed(before, after, limits_document);
      if (const auto quota = quota_change(in, now, name, user)) {
        one.before.update(quota->before);
        one.after.update(quota->after);
        one.events.insert(one.events.end(), quota->events.begin(),
                          quota->events.end());
      }
      out.add(std::move(one));
    }
  return out.as("limits");
}

/// Changes one side of the eligibility of users.
decide_function set_eligibility(bool user_eligibility_changed::*side, bool on) {
  return [=](const admin_arguments& in, const control_state& now) -> change {
    changes out;
    for (const auto& user : in.texts("names")) {
      user_eligibility_changed before{user};
      if (const auto at = now.eligibilities.find(user);
          at != now.eligibilities.end())
        before = {user, at->second.held, at->second.prohibited};
      auto after = before;
      after.*side = on;
      out.add(changed(before, after, [](const auto& x) {
        return document{
          {"user", x.user}, {"held", x.held}, {"prohibited", x.prohibited}};
      }));
    }
    return out.as("users");
  };
}

command for_users(command x) {
  return operating(concerning(concern::named, std::move(x)));
}

command standing_row(const char* words, const char* help,
                     bool user_eligibility_changed::*side, bool on) {
  return for_users(doing(words, help, {user_names_argument()},
                         set_eligibility(side, on),
                         {table_view("users", "USER={user}; HELD={held}; "
                                              "PROHIBITED={prohibited}")}));
}

} // namespace
} // namespace about_limits

std::vector<argument_spec> quota_arguments() {
  using namespace about_limits;
  return {{"--bytes-max", "bytes_max", value_kind::bytes, "N",
           "Bytes waiting, such as 500m; or none, default"},
          {"--requests-per-second", "requests_per_second",
           value_kind::limit_or_default, "N",
           "Requests of doors about the queue; or none, default"}};
}

std::optional<admin_change> quota_change(const admin_arguments& in,
                                         const control_state& now,
                                         const std::string& queue,
                                         const std::string& user) {
  using namespace about_limits;
  const auto bytes = in.bytes("bytes_max");
  const auto requests = in.limit("requests_per_second");
  if (!bytes && !requests)
    return std::nullopt;
  const auto at = now.quotas.find({queue, user});
  const auto before =
    at != now.quotas.end() ? at->second : quota_changed{queue, user};
  auto after = before;
  if (bytes) {
    after.has_bytes_max = !bytes->is_default;
    after.bytes_max = bytes->is_default ? 0 : bytes->value;
  }
  if (requests) {
    after.has_requests_per_second = !requests->is_default;
    after.requests_per_second = requests->value;
  }
  return changed(before, after, quota_document);
}

std::vector<command> limit_commands() {
  using namespace about_limits;
  const auto quotas = quota_arguments();
  const auto held = &user_eligibility_changed::held;
  const auto prohibited = &user_eligibility_changed::prohibited;
  const auto kind = value_kind::limit_or_default;
  return {
    for_users(doing(
      "user set", "Limits of users; of all deposit queues without --queue",
      {user_names_argument(),
       {"--allocation", "allocation", kind, "N",
        "Items per turn; 0: out of the rotation; or default"},
       {"--concurrency", "concurrency", kind, "N",
        "Items in process; 0: none; or none, default"},
       quotas[0],
       quotas[1],
       in_queue_argument()},
      set,
      {table_view("limits",
                  "USER={user}; QUEUE={queue}; >ALLOCATION={allocation}; "
                  ">CONCURRENCY={concurrency}||none; >BYTES={bytes_max}; "
                  ">REQUESTS/S={requests_per_second}")})),
    standing_row("user prohibit", "Only processors that require them",
                 prohibited, true),
    standing_row("user allow", "End of prohibit", prohibited, false),
    standing_row("user hold", "Hand out nothing of these users", held, true),
    standing_row("user release", "End of hold", held, false),
  };
}

} // namespace depositd::operators
