#include "actors/operators/change_kinds.hpp"

#include "messages/values/names.hpp"

namespace depositd::operators {

namespace {

using change = caf::expected<admin_change>;

/// Takes over what is given; the rest stays as it is in `spec`.
void read_spec(admin_arguments& in, processor_spec& spec) {
  if (in.has("types"))
    spec.types = in.texts("types");
  else if (spec.types.empty())
    spec.types = {"metadata"};
  spec.slots =
    static_cast<std::uint32_t>(in.number_or("slots", 1, 1'024, spec.slots));
  const auto preferred = in.texts("preferred_users");
  if (in.has("preferred_users"))
    spec.wants.preferred = preferred;
  // Accepted for the sake of Crossref's settings; means nothing.
  in.texts("low_priority_users");
  const auto size_max = in.limit("max_submission_size", false);
  if (size_max)
    spec.wants.size_max =
      size_max->value == no_cap ? no_size_limit : size_max->value;
  auto filter = in.texts("user_filter");
  bool excludes = in.flag("exclude_users");
  if (!in.has("user_filter"))
    filter =
      spec.wants.required.empty() ? spec.wants.excluded : spec.wants.required;
  if (!in.has("exclude_users") && !in.has("user_filter"))
    excludes = !spec.wants.excluded.empty();
  spec.wants.required = excludes ? std::vector<std::string>{} : filter;
  spec.wants.excluded = excludes ? filter : std::vector<std::string>{};
}

caf::error check_spec(const processor_spec& spec, const control_state& now) {
  if (!legal_processor_name(spec.name))
    return refuse(ec::invalid_argument,
                  "a processor needs a name of A-Z a-z 0-9 . _ -");
  if (spec.types.empty())
    return refuse(ec::invalid_argument, "types must name a queue");
  for (const auto& type : spec.types)
    if (!now.queues.count(type))
      return refuse(ec::not_found,
                    "types: there is no queue " + to_text(document(type)));
  for (const auto* users :
       {&spec.wants.required, &spec.wants.excluded, &spec.wants.preferred})
    for (const auto& user : *users)
      if (!legal_user_name(user))
        return refuse(ec::invalid_argument,
                      to_text(document(user.substr(0, 64)))
                        + " is no user name");
  if (spec.wants.size_max == 0)
    return refuse(ec::invalid_argument,
                  "a max_submission_size of 0 fits nothing");
  return caf::none;
}

} // namespace

change put_processor(admin_arguments& in, const control_state& now, bool add) {
  processor_spec spec;
  spec.name = in.text("name");
  const auto at = now.processors.find(spec.name);
  const bool known = at != now.processors.end();
  if (known)
    spec = at->second;
  read_spec(in, spec);
  if (auto problem = in.finish())
    return problem;
  if (auto problem = check_spec(spec, now))
    return problem;
  if (add && known)
    return refuse(ec::already_exists,
                  spec.name + " exists already; see sp set");
  if (!add && !known)
    return refuse(ec::not_found, "there is no processor " + spec.name);
  admin_change out;
  if (known)
    out.before = processor_document(at->second);
  out.after = processor_document(spec);
  if (!known || spec != at->second)
    out.events.push_back(processor_changed{spec, false});
  return out;
}

change stop_processor(admin_arguments& in, const control_state& now) {
  const auto name = in.text("name");
  if (auto problem = in.finish())
    return problem;
  const auto at = now.processors.find(name);
  if (at == now.processors.end())
    return refuse(ec::not_found, "there is no processor of this name");
  admin_change out;
  out.before = processor_document(at->second);
  out.after = {{"name", name}, {"stopped", true}};
  out.events.push_back(processor_changed{at->second, true});
  return out;
}

} // namespace depositd::operators
