// Collections: whose objects belong together, and how they are taken in.

#include "actors/operators/work.hpp"

#include "actors/rules/control/pipelines.hpp"
#include "messages/projection.hpp"
#include "messages/shard.hpp"
#include "messages/values/names.hpp"
#include "messages/values/orders.hpp"
#include "messages/values/words.hpp"

#include <algorithm>
#include <strings.h>

namespace depositd::operators {

namespace about_collections {
namespace {

/// All settings; of the key for callbacks only whether there is one.
document collection_document(const collection_settings& x) {
  return {
    {"name", x.name},
    {"owner", x.owner},
    {"submitters", x.submitters},
    {"pipeline", x.pipeline},
    {"storage", x.storage},
    {"notify", x.notify},
    {"mails", word(x.mails)},
    {"callback", text_or_null(without_query(x.callback))},
    {"callback_key", !x.callback_key.empty()},
    {"callback_may_fail", x.callback_may_fail},
    {"priority", x.has_priority ? document(x.priority) : document(nullptr)},
    {"held", x.held}};
}

document shown_document(const collection_changed& x) {
  return collection_document(x.settings);
}

bool is_seen(const caller& by, const collection_settings& x) {
  const auto& own = by.collections;
  return own.empty() ? by.sees(x.owner)
                     : std::find(own.begin(), own.end(), x.name) != own.end();
}

caf::error unknown(const std::string& name) {
  return refuse(ec::not_found, "there is no collection " + shown(name)
                                 + "; see collection list");
}

// -- reading ------------------------------------------------------------------

void list(admin_pointer self, const admin_call_ptr& call) {
  with_control(self, call, [=](const control_snapshot& control) {
    std::map<std::string, const collection_settings*> seen;
    for (const auto& [name, one] : control->collections)
      if (is_seen(call->by, one))
        seen[name] = &one;
    document out;
    add_page(out, "collections", seen, call->arguments,
             [](const auto& x) { return collection_document(*x.second); });
    deliver(call, out);
  });
}

void show(admin_pointer self, const admin_call_ptr& call) {
  with_control(self, call, [=](const control_snapshot& control) {
    const auto name = call->arguments.text("name");
    const auto& all = control->collections;
    const auto at = all.find(name);
    if (at == all.end() || !is_seen(call->by, at->second))
      refuse(call, unknown(name));
    else
      deliver(call, collection_document(at->second));
  });
}

// -- settings -----------------------------------------------------------------

caf::error check_addresses(const collection_settings& x) {
  for (const auto& address : x.notify)
    if (!legal_mail_address(address))
      return refuse(ec::invalid_argument,
                    "notify must be mail addresses, not " + shown(address));
  if (!x.callback.empty() && !legal_web_address(x.callback))
    return refuse(ec::invalid_argument,
                  "callback must be an http or https address, not "
                    + shown(x.callback));
  return caf::none;
}

/// "a, b".
std::string listed(const std::vector<std::string>& names) {
  std::string out;
  for (const auto& x : names)
    out += (out.empty() ? "" : ", ") + x;
  return out;
}

/// Where its objects are to go is set up.
caf::error check_storage(const admin_options& options,
                         const admin_arguments& in) {
  for (const auto& name : in.texts("storage"))
    if (std::find(options.storage.begin(), options.storage.end(), name)
        == options.storage.end())
      return refuse(ec::not_found, "no such storage: " + shown(name)
                                     + "; known: " + listed(options.storage));
  return caf::none;
}

/// Those of orders are about objects that are there, and take no submissions.
caf::error check_pipeline_of(const collection_settings& x,
                             const control_state& now) {
  const auto is_of_orders = [](const std::string& pipeline) {
    const auto kinds = all_words<order_kind>();
    return std::any_of(kinds.begin(), kinds.end(), [&](const auto& kind) {
      return pipeline == order_pipeline(*find_word<order_kind>(kind));
    });
  };
  if (!is_of_orders(x.pipeline))
    return caf::none;
  std::vector<std::string> others;
  for (const auto& [name, what] : now.pipelines)
    if (!is_of_orders(name))
      others.push_back(name);
  return refuse(ec::invalid_argument,
                "the pipeline " + x.pipeline
                  + " is for orders alone; known: " + listed(others));
}

/// Takes over what is given; the rest stays as it is.
caf::error take(const admin_arguments& in, const control_state& now,
                collection_settings& to) {
  for (const auto& [key, member] :
       {std::pair{"owner", &collection_settings::owner},
        std::pair{"pipeline", &collection_settings::pipeline},
        std::pair{"callback", &collection_settings::callback},
        std::pair{"callback_key", &collection_settings::callback_key}})
    if (in.has(key))
      to.*member = in.text(key);
  for (const auto& [key, member] :
       {std::pair{"submitters", &collection_settings::submitters},
        std::pair{"storage", &collection_settings::storage},
        std::pair{"notify", &collection_settings::notify}})
    if (in.has(key))
      to.*member = in.texts(key);
  if (to.callback.empty() && !in.has("callback_key"))
    to.callback_key.clear();
  if (in.has("callback_may_fail"))
    to.callback_may_fail = in.flag("callback_may_fail");
  if (const auto mails = find_word<notices>(in.text("mails")))
    to.mails = *mails;
  if (const auto priority = in.limit("priority")) {
    to.has_priority = priority->value != no_cap;
    if (priority->value > 99 && to.has_priority)
      return refuse(ec::invalid_argument, "priority is 0 to 99, or none");
    to.priority = to.has_priority ? static_cast<std::uint8_t>(priority->value)
                                  : std::uint8_t{0};
  }
  if (auto problem = check_addresses(to))
    return problem;
  if (in.has("pipeline"))
    if (auto problem = check_pipeline_of(to, now))
      return problem;
  return rules::check_collection(now, {to, false});
}

change add(const admin_arguments& in, const control_state& now) {
  collection_changed after;
  after.settings.name = in.text("name");
  // Names are compared with case, but people do not tell such two apart.
  for (const auto& [name, known] : now.collections)
    if (strcasecmp(name.c_str(), after.settings.name.c_str()) == 0)
      return refuse(ec::already_exists, "there is a collection " + name
                                          + " already; see collection set");
  if (auto problem = take(in, now, after.settings))
    return problem;
  return admin_change{{after}, nullptr, shown_document(after)};
}

/// Proposes what `how` makes of the collection that is named.
change edit(const admin_arguments& in, const control_state& now,
            const std::function<caf::error(collection_settings&)>& how) {
  const auto at = now.collections.find(in.text("name"));
  if (at == now.collections.end())
    return unknown(in.text("name"));
  const collection_changed before{at->second, false};
  auto after = before;
  if (auto problem = how(after.settings))
    return problem;
  return changed(before, after, shown_document);
}

change set(const admin_arguments& in, const control_state& now) {
  return edit(in, now,
              [&](collection_settings& x) { return take(in, now, x); });
}

change remove(const admin_arguments& in, const control_state& now) {
  const auto at = now.collections.find(in.text("name"));
  if (at == now.collections.end())
    return unknown(in.text("name"));
  collection_changed after;
  after.settings.name = at->first;
  after.removed = true;
  return admin_change{{after},
                      collection_document(at->second),
                      {{"name", at->first}, {"removed", true}}};
}

/// What a batch has yet to do it does by the settings of its collection, and
/// who is to be told of it stands there alone.
void find_unfinished(admin_pointer self, const admin_call_ptr& call,
                     const std::function<void(const caf::error&)>& then) {
  const auto name = call->arguments.text("name");
  batch_query open;
  open.collections = {name};
  open.states = {batch_state::pending,    batch_state::held,
                 batch_state::processing, batch_state::reporting,
                 batch_state::failed,     batch_state::update_reporting};
  open.count_max = 1;
  const auto& options = self->state.options;
  self->request(options.projector, options.timeout, std::move(open))
    .then(
      [=](const batches_found& x) {
        then(x.rows.empty()
               ? caf::error{}
               : refuse(ec::invalid_argument,
                        "the batch " + std::to_string(x.rows.front().id)
                          + " of " + name
                          + " has not ended: complete or delete it first"));
      },
      [=](const caf::error& x) { then(x); });
}

decide_function hold(bool held) {
  return [=](const admin_arguments& in, const control_state& now) {
    return edit(in, now, [=](collection_settings& x) {
      x.held = held;
      return caf::none;
    });
  };
}

// -- jobs that were held ------------------------------------------------------

/// A hold that ends releases no job, unless that is wanted too.
void after_release(admin_pointer self, const admin_call_ptr& call,
                   const document& released) {
  const bool jobs_too = call->arguments.flag("jobs");
  order_jobs what;
  what.which.collections = {call->arguments.text("name")};
  what.which.users = call->by.users;
  what.which.states = {job_state::held};
  what.action = work_action::release;
  what.note = "release by " + call->by.who;
  what.count_only = !jobs_too;
  const auto& options = self->state.options;
  self->request(options.shard, options.timeout_long, std::move(what))
    .then(
      [=](const jobs_ordered& x) {
        auto out = released;
        out["held_jobs"] = x.matched - (jobs_too ? x.moved : 0);
        if (jobs_too)
          out["released_jobs"] = x.moved;
        if (jobs_too)
          audit(call, {{"held_jobs", x.matched}},
                {{"released_jobs", x.moved}}, "done");
        deliver(call, out);
      },
      [=](const caf::error& why) {
        if (!jobs_too) { // which were only counted
          auto out = released;
          out["held_jobs"] = nullptr;
          return deliver(call, out);
        }
        const std::string text = "it is released, but not all of its jobs: ";
        audit(call, nullptr, nullptr, text + render(why));
        refuse(call, ec::overloaded, text + render(why));
      });
}

// -- rows ---------------------------------------------------------------------

using kind = value_kind;

std::vector<argument_spec> settings_arguments(bool owner_required) {
  const auto mails = all_words<notices>();
  return {{"--owner", "owner", kind::user, "USER", "Whose collection it is",
           owner_required, "user list"},
          {"--submitters", "submitters", kind::names, "USER[,USER...]",
           "Who else may submit to it; '' for nobody"},
          {"--pipeline", "pipeline", kind::text, "NAME",
           "What its jobs go through (merritt)", false, "pipeline list"},
          {"--storage", "storage", kind::names, "NAME[,NAME...]",
           "Where its objects are kept (local)"},
          {"--notify", "notify", kind::names, "ADDRESS[,ADDRESS...]",
           "Who gets the reports; '' for nobody"},
          {"--mails", "mails", kind::word, "WHICH",
           "Which mails depositors get: " + any_of(mails), false, "", mails},
          {"--callback", "callback", kind::text, "URL",
           "What is told of every job that is complete; '' for nothing"},
          {"--callback-key-stdin", "callback_key", kind::text, "KEY",
           "Read the key that signs callbacks from the first line of standard "
           "input"},
          {"--callback-may-fail", "callback_may_fail", kind::flag, "",
           "A job is complete though nobody took its callback"},
          {"--priority", "priority", kind::limit, "N",
           "Of its jobs, 0 (first) to 99; none: by the size of the batch"}};
}

command with_settings(const char* words, const char* help, bool is_new,
                      decide_function decide) {
  auto arguments = settings_arguments(is_new);
  arguments.insert(arguments.begin(),
                   name_argument("Name of the collection", "NAME",
                                 is_new ? "" : "collection list",
                                 is_new ? kind::user : kind::text));
  auto out = doing(words, help, std::move(arguments), std::move(decide));
  out.check = check_storage;
  return out;
}

command steering(command x) {
  return concerning(concern::steered, std::move(x));
}

} // namespace
} // namespace about_collections

std::vector<command> collection_commands() {
  using namespace about_collections;
  const auto name =
    name_argument("Name of the collection", "NAME", "collection list");
  auto release = doing(
    "collection release", "End of hold; tells how many jobs are held",
    {name, {"--jobs", "jobs", kind::flag, "", "Release its held jobs, too"}},
    hold(false));
  release.then = after_release;
  release.row.patience_s = 3'700;
  auto removal = steering(
    asking("Remove this collection? What is stored of it stays.",
           doing("collection remove",
                 "Remove a collection whose batches have ended", {name},
                 remove)));
  removal.ask_first = find_unfinished;
  return {
    of_work(reading(
      "collection list", "All collections",
      {limit_argument(10'000),
       after_argument("NAME", "Go on after this name", "collection list")},
      {table_view("collections",
                  "COLLECTION={name}; OWNER={owner}; PIPELINE={pipeline}; "
                  "STORAGE={storage}; STATE={held?}||open; "
                  ">PRIORITY={priority}||by size; SUBMITTERS={submitters}"),
       next_page_line("collections")},
      list)),
    of_work(reading("collection show", "One collection", {name}, {}, show)),
    steering(with_settings("collection add", "Make a collection", true, add)),
    steering(with_settings("collection set",
                           "Change a collection; what is not given stays",
                           false, set)),
    removal,
    steering(
      operating(doing("collection hold",
                      "What is pending of it becomes held, and what comes, too",
                      {name}, hold(true)))),
    steering(operating(std::move(release))),
  };
}

} // namespace depositd::operators
