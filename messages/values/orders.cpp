#include "messages/values/orders.hpp"

#include "messages/values/hex.hpp"
#include "messages/values/time_text.hpp"
#include "messages/values/uuid.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <xxhash.h>

namespace depositd {

namespace {

using json = nlohmann::json;

struct text_field {
  const char* name;
  std::string preservation_order::*member;
};

constexpr std::array<text_field, 7> text_fields = {{
  {"object", &preservation_order::object},
  {"file", &preservation_order::file},
  {"asked_by", &preservation_order::asked_by},
  {"inst_approver", &preservation_order::inst_approver},
  {"aptrust_approver", &preservation_order::aptrust_approver},
  {"deletion", &preservation_order::deletion},
  {"follows", &preservation_order::follows},
}};

caf::error malformed(const std::string& what) {
  return caf::make_error(ec::malformed, "the order " + what);
}

caf::expected<preservation_order> read(const json& from) {
  if (!from.is_object())
    return malformed("is no object");
  preservation_order out;
  const auto kind = find_word<order_kind>(from.value("kind", ""));
  if (!kind)
    return malformed("is of no known kind");
  out.kind = *kind;
  for (const auto& field : text_fields)
    out.*field.member = from.value(field.name, "");
  out.anyway = from.value("anyway", false);
  if (const auto at = from.find("files"); at != from.end())
    for (const auto& one : *at)
      out.files.push_back(
        {one.at(0).get<std::string>(), one.at(1).get<std::string>()});
  return out;
}

/// "bid-" and a UUID of version 8, whose bits follow from the text.
std::string batch_uuid_of(const std::string& text) {
  const auto hash = XXH3_128bits(text.data(), text.size());
  std::string hex(32, '0');
  put_hex(hex.data(), hash.high64, 16);
  put_hex(hex.data() + 16, hash.low64, 16);
  return "bid-" + uuid_of_digest(hex);
}

} // namespace

std::string order_pipeline(order_kind x) {
  return "aptrust_" + word(x);
}

void put_order(json& more, const preservation_order& x) {
  json out = {{"kind", word(x.kind)}};
  for (const auto& field : text_fields)
    if (!(x.*field.member).empty())
      out[field.name] = x.*field.member;
  if (x.anyway)
    out["anyway"] = true;
  if (!x.files.empty()) {
    auto& files = out["files"] = json::array();
    for (const auto& file : x.files)
      files.push_back(json::array({file.object, file.path}));
  }
  more[order_member] = std::move(out);
}

caf::expected<std::optional<preservation_order>> order_in(const json& more) {
  const auto at = more.find(order_member);
  if (at == more.end())
    return std::optional<preservation_order>{};
  try {
    auto out = read(*at);
    if (!out)
      return std::move(out.error());
    return std::optional{std::move(*out)};
  } catch (const json::exception& why) {
    return malformed(std::string{"cannot be read: "} + why.what());
  }
}

new_order make_order(const preservation_order& x, const order_sender& from) {
  new_order out;
  auto& document = out.document;
  document.uuid = from.uuid;
  document.user = from.user;
  document.collection = from.collection;
  document.type = word(x.kind);
  document.what.identifier = x.object;
  document.submitted = format_utc(from.now_us);
  put_order(document.more, x);
  auto& info = out.info;
  info.uuid = from.uuid;
  info.collection = from.collection;
  info.pipeline = order_pipeline(x.kind);
  info.source = from.source;
  info.submitter = x.asked_by;
  info.type = word(x.kind);
  info.title = x.object;
  info.file_name = x.file;
  return out;
}

bool is_unfinished(const batch_status& status, const job_counts& jobs) {
  switch (status.state) {
    case batch_state::pending:
    case batch_state::held:
    case batch_state::processing:
      return true;
    default:
      return jobs.open > 0; // requeued ones
  }
}

bool orders_meet(const batch_info& is, const batch_info& wanted) {
  const auto kind = order_kind_of(is);
  const auto other = order_kind_of(wanted);
  if (!kind || !other)
    return false;
  const bool checks = *kind == order_kind::fixity_check;
  if (checks != (*other == order_kind::fixity_check))
    return false;
  if (is.title.empty() || wanted.title.empty())
    // What is due of a collection is in one run, however many batches it has.
    return is.title == wanted.title && is.collection == wanted.collection
           && is.file_name != wanted.file_name;
  return is.title == wanted.title
         && (is.file_name.empty() || wanted.file_name.empty()
             || is.file_name == wanted.file_name)
         && wanted.uuid != next_order_uuid(is.uuid);
}

std::optional<order_kind> order_kind_of(const batch_info& x) {
  const auto* kind = find_word<order_kind>(x.type);
  return kind != nullptr && x.pipeline == order_pipeline(*kind)
           ? std::optional{*kind}
           : std::nullopt;
}

std::string next_order_uuid(const std::string& uuid) {
  return batch_uuid_of("next\n" + uuid);
}

std::string due_order_uuid(std::string_view reconciler, std::string_view user,
                           std::string_view what, std::int64_t slot) {
  std::string text{"due\n"};
  for (const auto part : {reconciler, user, what})
    text += std::to_string(part.size()) + "\n" + std::string{part};
  return batch_uuid_of(text + std::to_string(slot));
}

std::string deletion_order_uuid(const std::string& reference,
                                std::size_t target) {
  return batch_uuid_of("deletion\n" + reference + "\n"
                       + std::to_string(target));
}

bool needs_administrator(const deletion_changed& x) {
  return x.targets.size() > 1;
}

bool is_approved(const deletion_changed& x) {
  return x.rejected_us == never && !x.inst_approver.empty()
         && (!needs_administrator(x) || !x.aptrust_approver.empty());
}

std::string deletion_objection(const control_state& state,
                               const std::string& user,
                               const preservation_order& x) {
  const auto at = state.deletions.find(x.deletion);
  if (at == state.deletions.end())
    return "there is no request for deletion \"" + x.deletion.substr(0, 64)
           + "\"";
  const auto& request = at->second;
  if (!is_approved(request))
    return "the request " + x.deletion + " is not approved";
  const bool of_it = std::any_of(
    request.targets.begin(), request.targets.end(), [&](const auto& target) {
      return target.object == x.object && x.file.empty();
    });
  if (request.user != user || !of_it)
    return "the request " + x.deletion + " is for something else";
  return {};
}

} // namespace depositd
