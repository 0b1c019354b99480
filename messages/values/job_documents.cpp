#include "messages/values/job_documents.hpp"

#include "messages/values/json_text.hpp"

#include <exception>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace depositd {

namespace {

using json = nlohmann::json;
using pairs = std::vector<std::pair<std::string, std::string>>;

/// What the form said, which a batch hands on to each of its jobs.
template <class Document, class Member>
void each_given(Document& x, Member member) {
  member("identifier", x.what.identifier);
  member("local_id", x.what.local_ids);
  member("title", x.what.title);
  member("creator", x.what.creator);
  member("date", x.what.date);
  member("update", x.update);
  member("note", x.note);
  member("resource_type", x.resource_type);
  member("dublin_core", x.dublin_core);
  member("erc", x.erc);
  member("submitted", x.submitted);
}

// -- writing: what is empty is left out ---------------------------------------

void put(json& to, const char* name, const std::string& x) {
  if (!x.empty())
    to[name] = x;
}

void put(json& to, const char* name, bool x) {
  if (x)
    to[name] = true;
}

void put(json& to, const char* name, const std::vector<std::string>& x) {
  if (!x.empty())
    to[name] = x;
}

/// A list of lists: names may repeat, and their order counts.
void put(json& to, const char* name, const pairs& x) {
  for (const auto& [key, value] : x)
    to[name].push_back(json::array({key, value}));
}

json written(const payload& x) {
  json out = json::object();
  put(out, "file_name", x.file_name);
  put(out, "blob", x.blob);
  put(out, "url", x.url);
  if (x.bytes)
    out["bytes"] = *x.bytes;
  if (x.expected)
    out["digest"] = {{"algorithm", digest_name(x.expected->algorithm)},
                     {"value", x.expected->value}};
  return out;
}

template <class Document>
void put_given(json& to, const Document& x) {
  each_given(x, [&](const char* name, const auto& value) {
    put(to, name, value);
  });
}

json written(const batch_document& x) {
  json out = x.more;
  out["batch"] = x.uuid;
  out["user"] = x.user;
  out["collection"] = x.collection;
  put(out, "type", x.type);
  out["payloads"] = json::array();
  for (const auto& one : x.payloads)
    out["payloads"].push_back(written(one));
  put_given(out, x);
  put(out, "notification", x.notification);
  put(out, "response_form", x.response_form);
  if (x.split > 0)
    out["split"] = x.split;
  return out;
}

json written(const job_document& x) {
  json out = x.more;
  out["job"] = x.uuid;
  out["batch"] = x.batch_uuid;
  out["user"] = x.user;
  out["collection"] = x.collection;
  out["type"] = word(x.type);
  out["payload"] = written(x.payload);
  put_given(out, x);
  out["first_priority"] = x.first_priority;
  out["priority"] = x.priority;
  out["space_needed"] = x.space_needed;
  put(out, "fault", x.fault);
  return out;
}

std::string dumped(const json& x) {
  return json_text(x);
}

// -- reading: each member is taken out, so that the rest is `more` ------------

/// The library itself takes `true`, 1.7 and what does not fit for a number.
template <class T>
void read_number(const json& from, const char* name, T& to) {
  const bool fits = from.is_number_unsigned()
                      ? std::in_range<T>(from.get<std::uint64_t>())
                      : from.is_number_integer()
                          && std::in_range<T>(from.get<std::int64_t>());
  if (!fits)
    throw std::invalid_argument{std::string{name}
                                + " is no whole number, or out of range"};
  from.get_to(to);
}

template <class T>
void take(json& from, const char* name, T& to) {
  const auto at = from.find(name);
  if (at == from.end())
    return;
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>)
    read_number(*at, name, to);
  else
    at->get_to(to);
  from.erase(at);
}

void take(json& from, const char* name, pairs& to) {
  std::vector<std::vector<std::string>> lists;
  take(from, name, lists);
  for (auto& one : lists)
    to.emplace_back(std::move(one.at(0)), std::move(one.at(1)));
}

payload read_payload(json& from) {
  payload out;
  take(from, "file_name", out.file_name);
  take(from, "blob", out.blob);
  take(from, "url", out.url);
  if (const auto at = from.find("bytes"); at != from.end())
    read_number(*at, "bytes", out.bytes.emplace());
  if (const auto at = from.find("digest"); at != from.end()) {
    auto known = make_digest(at->at("algorithm").get<std::string>(),
                             at->at("value").get<std::string>());
    // Without it anything would pass for the payload.
    if (!known)
      throw std::invalid_argument{render(known.error())};
    out.expected = std::move(*known);
  }
  return out;
}

template <class Document>
void take_given(json& from, Document& to) {
  each_given(to, [&](const char* name, auto& value) {
    take(from, name, value);
  });
}

batch_document read_batch_document(json from) {
  batch_document out;
  take(from, "batch", out.uuid);
  take(from, "user", out.user);
  take(from, "collection", out.collection);
  take(from, "type", out.type);
  for (auto& one : from.at("payloads"))
    out.payloads.push_back(read_payload(one));
  from.erase("payloads");
  take_given(from, out);
  take(from, "notification", out.notification);
  take(from, "response_form", out.response_form);
  take(from, "split", out.split);
  out.more = std::move(from);
  return out;
}

job_document read_job(json from) {
  job_document out;
  take(from, "job", out.uuid);
  take(from, "batch", out.batch_uuid);
  take(from, "user", out.user);
  take(from, "collection", out.collection);
  std::string type;
  take(from, "type", type);
  if (const auto* known = find_word<job_type>(type))
    out.type = *known;
  if (const auto at = from.find("payload"); at != from.end()) {
    out.payload = read_payload(*at);
    from.erase(at);
  }
  take_given(from, out);
  take(from, "first_priority", out.first_priority);
  out.priority = out.first_priority;
  take(from, "priority", out.priority);
  take(from, "space_needed", out.space_needed);
  take(from, "fault", out.fault);
  out.more = std::move(from);
  return out;
}

template <class Read>
auto guarded(std::string_view bytes, Read read)
  -> caf::expected<decltype(read(json{}))> {
  try {
    return read(sound_json_of(bytes));
  } catch (const std::exception& why) {
    return caf::make_error(ec::malformed, std::string{why.what()});
  }
}

} // namespace

std::string encode(const batch_document& x) {
  return dumped(written(x));
}

std::string encode(const job_document& x) {
  return dumped(written(x));
}

caf::expected<batch_document> decode_batch_document(std::string_view bytes) {
  return guarded(bytes, read_batch_document);
}

caf::expected<job_document> decode_job_document(std::string_view bytes) {
  return guarded(bytes, read_job);
}

job_facts facts_of(const job_document& x) {
  job_facts out;
  out.identifier = x.what.identifier;
  for (const auto& one : x.what.local_ids)
    out.local_ids += (out.local_ids.empty() ? "" : ";") + one;
  out.title = x.what.title;
  out.creator = x.what.creator;
  out.date = x.what.date;
  out.space_needed = x.space_needed;
  return out;
}

std::string encode(const split_slice& x) {
  json out = {{"expected", x.expected}, {"last", x.last}};
  out["batch"] = written(x.batch);
  out["jobs"] = json::array();
  for (const auto& one : x.jobs)
    out["jobs"].push_back(written(one));
  return dumped(out);
}

caf::expected<split_bodies> decode_split_bodies(std::string_view bytes) {
  return guarded(bytes, [](json from) {
    split_bodies out;
    from.at("expected").get_to(out.expected);
    from.at("last").get_to(out.last);
    out.batch = dumped(from.at("batch"));
    for (auto& one : from.at("jobs")) {
      auto body = dumped(one);
      const auto x = read_job(std::move(one));
      split_bodies::one job;
      job.priority = x.first_priority;
      job.info.uuid = x.uuid;
      job.info.collection = x.collection;
      job.info.type = x.type;
      job.info.file_name = x.payload.file_name;
      job.facts = facts_of(x);
      job.body = std::move(body);
      out.jobs.push_back(std::move(job));
    }
    return out;
  });
}

} // namespace depositd
