#include "actors/operators/order_desk.hpp"

#include "actors/operators/object_names.hpp"
#include "actors/rules/orders/deletions.hpp"
#include "messages/catalogue.hpp"
#include "messages/shard.hpp"
#include "messages/values/payload_paths.hpp"
#include "messages/work.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace depositd::operators {

namespace {

using self_pointer = actor_with<order_desk_state>*;

bool contains(const std::vector<std::string>& names, const std::string& x) {
  return std::find(names.begin(), names.end(), x) != names.end();
}

bool may_touch(const order_limits& x, const inventory_object& object) {
  return (x.users.empty() || contains(x.users, object.owner))
         && (x.collections.empty()
             || contains(x.collections, object.collection));
}

bool is_cold_only(self_pointer self, const inventory_object& x) {
  const auto& cold = self->state.options.cold_storage;
  return !x.storage.empty()
         && std::all_of(
           x.storage.begin(), x.storage.end(),
           [&](const std::string& name) { return contains(cold, name); });
}

caf::error no_object(const std::string& name) {
  return caf::make_error(ec::not_found,
                         "there is no object \"" + name.substr(0, 200) + "\"");
}

caf::error check_name(const std::string& name, const char* what,
                      std::size_t bytes_max = order_name_bytes_max) {
  return name.empty() || name.size() > bytes_max
           ? caf::make_error(ec::invalid_argument,
                             std::string{what} + " must have 1 to "
                               + std::to_string(bytes_max) + " bytes")
           : caf::error{};
}

/// As long as an ingest takes them.
caf::error check_path(const std::string& path) {
  return check_name(path, "the path of the file", payload_path_bytes_max);
}

/// Answers with an error.
template <class Pending>
void fail(const std::shared_ptr<Pending>& x, caf::error why) {
  x->answer.deliver(std::move(why));
}

// -- orders -------------------------------------------------------------------

struct placing {
  place_order ask;
  inventory_object object;
  caf::typed_response_promise<order_placed> answer;
};
using placing_ptr = std::shared_ptr<placing>;

/// What cannot be read at once is brought back first, whoever asks for it; what
/// can be read need not be.
caf::error direct(self_pointer self, placing& x) {
  auto& kind = x.ask.what.kind;
  const bool cold = is_cold_only(self, x.object);
  const bool restores =
    kind == order_kind::restore_object || kind == order_kind::restore_file;
  if (restores && cold)
    kind = order_kind::restore_glacier;
  if (kind == order_kind::restore_glacier && !cold)
    return caf::make_error(ec::invalid_argument,
                           x.object.identifier
                             + " is in storage that can be read at once");
  if (kind == order_kind::fixity_check && cold)
    return caf::make_error(ec::invalid_argument,
                           x.object.identifier + " is in cold storage only");
  return {};
}

void submit(self_pointer self, const placing_ptr& x) {
  if (auto wrong = direct(self, *x))
    return fail(x, std::move(wrong));
  const auto& options = self->state.options;
  const auto made =
    make_order(x->ask.what, {.uuid = "bid-" + options.new_uuid(),
                             .user = x->object.owner,
                             .collection = x->object.collection,
                             .source = x->ask.source,
                             .now_us = options.clock.at(self->clock().now())});
  submit_batch what{.user = x->object.owner,
                    .info = made.info,
                    .document = encode(made.document)};
  self->request(options.shard, options.patience, std::move(what))
    .then(
      [=, info = made.info](const batch_accepted& said) {
        x->answer.deliver(order_placed{said.id, info, x->object.owner});
      },
      [=](const caf::error& why) { fail(x, why); });
}

/// A file must be one of the last version's.
void find_file(self_pointer self, const placing_ptr& x) {
  if (x->ask.what.file.empty())
    return submit(self, x);
  const auto& options = self->state.options;
  self
    ->request(options.catalogue, options.patience,
              find_object_files{x->object.identifier, 0})
    .then(
      [=](const object_files_found& found) {
        for (const auto& file : found.files)
          if (file.path == x->ask.what.file)
            return submit(self, x);
        fail(x, caf::make_error(ec::not_found,
                                x->object.identifier + " has no file \""
                                  + x->ask.what.file.substr(0, 200) + "\""));
      },
      [=](const caf::error& why) { fail(x, why); });
}

caf::result<order_placed> place(self_pointer self, const place_order& ask) {
  const auto& what = ask.what;
  if (auto wrong = check_name(what.object, "the identifier"))
    return wrong;
  if (what.kind == order_kind::delete_item)
    return caf::make_error(ec::not_allowed,
                           std::string{"a deletion has to be asked for"});
  if (what.kind == order_kind::restore_file)
    if (auto wrong = check_path(what.file))
      return wrong;
  if (!what.file.empty())
    if (auto wrong = check_path(what.file))
      return wrong;
  const auto x = std::make_shared<placing>();
  x->ask = ask;
  x->answer = self->make_response_promise<order_placed>();
  const auto& options = self->state.options;
  self
    ->request(options.catalogue, options.patience,
              search_objects{as_kept(what.object), 1})
    .then(
      [=](const objects_found& found) {
        if (found.objects.empty()
            || !may_touch(x->ask.limits, found.objects.front()))
          return fail(x, no_object(x->ask.what.object));
        x->object = found.objects.front();
        x->ask.what.object = x->object.identifier;
        find_file(self, x);
      },
      [=](const caf::error& why) { fail(x, why); });
  return x->answer;
}

// -- deletions ----------------------------------------------------------------

struct asking {
  ask_deletion ask;
  deletion_changed request;
  caf::typed_response_promise<deletion_asked> answer;
};
using asking_ptr = std::shared_ptr<asking>;

void propose_request(self_pointer self, const asking_ptr& x) {
  const auto& options = self->state.options;
  self->request(options.shard, options.patience, propose{{event{x->request}}})
    .then([=](const done&) { x->answer.deliver(deletion_asked{x->request}); },
          [=](const caf::error& why) { fail(x, why); });
}

caf::error add_target(asking& x, const inventory_object& object) {
  if (!x.request.user.empty() && x.request.user != object.owner)
    return caf::make_error(ec::invalid_argument,
                           object.identifier + " is not of " + x.request.user
                             + ": a request is for objects of one owner");
  x.request.user = object.owner;
  // Its name may have been written in two ways.
  for (const auto& target : x.request.targets)
    if (target.object == object.identifier)
      return {};
  x.request.targets.push_back({object.identifier, object.collection});
  return {};
}

/// One after the other: there are not many.
void find_target(self_pointer self, const asking_ptr& x, std::size_t next) {
  if (next == x->ask.objects.size())
    return propose_request(self, x);
  const auto& name = x->ask.objects[next];
  const auto& options = self->state.options;
  self
    ->request(options.catalogue, options.patience,
              search_objects{as_kept(name), 1})
    .then(
      [=](const objects_found& found) {
        if (found.objects.empty()
            || !may_touch(x->ask.limits, found.objects.front()))
          return fail(x, no_object(x->ask.objects[next]));
        if (auto wrong = add_target(*x, found.objects.front()))
          return fail(x, std::move(wrong));
        find_target(self, x, next + 1);
      },
      [=](const caf::error& why) { fail(x, why); });
}

caf::result<deletion_asked> ask_for(self_pointer self,
                                    const ask_deletion& given) {
  const auto x = std::make_shared<asking>();
  x->ask = given;
  auto& names = x->ask.objects;
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  if (names.empty() || names.size() > rules::deletions::targets_max)
    return caf::make_error(ec::invalid_argument,
                           "1 to "
                             + std::to_string(rules::deletions::targets_max)
                             + " objects can be asked for at once");
  for (const auto& name : names)
    if (auto wrong = check_name(name, "an identifier"))
      return wrong;
  const auto& options = self->state.options;
  x->request.reference = "del-" + options.new_uuid();
  x->request.asked_by = given.asked_by;
  x->request.asked_us = options.clock.at(self->clock().now());
  x->request.reason = given.reason;
  x->answer = self->make_response_promise<deletion_asked>();
  find_target(self, x, 0);
  return x->answer;
}

} // namespace

order_desk_actor::behavior_type order_desk(self_pointer self,
                                           order_desk_options options) {
  self->state.options = std::move(options);
  return {
    [=](const place_order& x) { return place(self, x); },
    [=](const ask_deletion& x) { return ask_for(self, x); },
  };
}

} // namespace depositd::operators
