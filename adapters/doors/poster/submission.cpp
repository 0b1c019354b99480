#include "adapters/doors/poster/submission.hpp"

#include "adapters/doors/poster/submission_fields.hpp"
#include "adapters/fetching/url.hpp"
#include "adapters/processing/merritt/manifest.hpp"
#include "messages/values/names.hpp"
#include "messages/values/payload_paths.hpp"
#include "messages/values/uuid.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

namespace depositd::poster {

namespace {

/// Reads step after step; the first thing that is wrong ends it.
class submission_reader {
public:
  submission_reader(const submission_fields& from,
                    const submission_target& target)
    : from_(from), target_(target) {
    // nop
  }

  caf::expected<submission> read() {
    out_.warnings = from_.warnings;
    for (const auto step :
         {&submission_reader::read_collection, &submission_reader::read_object,
          &submission_reader::read_description, &submission_reader::read_report,
          &submission_reader::read_files, &submission_reader::read_urls,
          &submission_reader::read_one_payload,
          &submission_reader::check_names})
      if (auto fault = (this->*step)(); !fault.empty())
        return caf::make_error(ec::malformed, std::move(fault));
    return std::move(out_);
  }

private:
  /// What is wrong, empty if nothing is.
  using fault = std::string;

  batch_document& document() {
    return out_.document;
  }

  const std::string& text(const char* name) const {
    return from_.text(name);
  }

  static fault wrong(const char* field, const std::string& why) {
    return "The field " + std::string{field} + ": " + why;
  }

  static std::string quoted(std::string_view x) {
    std::string out{'"'};
    out.append(x.substr(0, 100)).push_back('"');
    return out;
  }

  fault read_collection() {
    document().collection = text("profile");
    if (document().collection.empty())
      return "The field profile, which names the collection, is missing.";
    document().type = text("type");
    if (!document().type.empty()
        && !merritt::find_submission_type(document().type))
      return wrong("type", "there is no type " + quoted(document().type));
    out_.submitter = text("submitter");
    if (!out_.submitter.empty())
      document().more[merritt::submitter_member] = out_.submitter;
    return {};
  }

  fault read_object() {
    document().update = target_.update;
    auto& ark = document().what.identifier;
    ark = merritt::kept_identifier(target_.ark);
    for (const auto* name : {"object", "primaryIdentifier"}) {
      const auto given = merritt::kept_identifier(text(name));
      if (!ark.empty() && !given.empty() && given != ark)
        return wrong(name, "the request names another object, too");
      if (ark.empty())
        ark = given;
    }
    if (!ark.empty() && !merritt::legal_ark(ark))
      return quoted(ark) + " is no ARK.";
    document().what.local_ids =
      merritt::split_local_ids(text("localIdentifier"));
    if (const auto fault = merritt::local_ids_fault(document().what.local_ids);
        !fault.empty())
      return wrong("localIdentifier", fault);
    return {};
  }

  fault read_description() {
    auto& to = document();
    to.what.title = text("title");
    to.what.creator = text("creator");
    to.what.date = text("date");
    to.note = text("note");
    to.resource_type = text("DataCite.resourceType");
    to.dublin_core = from_.dublin_core;
    auto erc = read_erc_pairs(text("erc"));
    if (!erc)
      return wrong("erc", render(erc.error()));
    to.erc = std::move(*erc);
    return {};
  }

  fault read_report() {
    auto& to = document();
    to.notification = text("notification");
    if (!to.notification.empty() && !legal_mail_address(to.notification))
      return wrong("notification", "that is no mail address");
    to.response_form = text("responseForm");
    if (const auto& format = text("notificationFormat"); !format.empty())
      to.more["notification_format"] = format;
    if (const auto& url = text("retainTargetURL"); !url.empty())
      to.more["retain_target_url"] = url;
    return {};
  }

  fault read_files() {
    for (const auto* part : from_.files) {
      payload one;
      one.file_name = part->file_name;
      one.bytes = part->data.size();
      document().payloads.push_back(std::move(one));
      out_.files.push_back(part->data);
    }
    return {};
  }

  fault read_urls() {
    for (const auto& text : from_.urls) {
      const auto url = parse_url(text);
      if (!url)
        return wrong("url", render(url.error()));
      payload one;
      one.url = text;
      one.file_name = file_name_of(*url);
      document().payloads.push_back(std::move(one));
    }
    return document().payloads.empty() ? "There is no payload in the request."
                                       : fault{};
  }

  /// Fields that say something of the payload, where it is one.
  fault read_one_payload() {
    const bool alone = document().payloads.size() == 1;
    auto& one = document().payloads.front();
    if (const auto& name = text("filename"); !name.empty()) {
      if (alone)
        one.file_name = name;
      else
        ignore("filename");
    }
    if (const auto& size = text("size"); !size.empty()) {
      std::uint64_t bytes = 0;
      const auto* end = size.data() + size.size();
      const auto [stop, code] = std::from_chars(size.data(), end, bytes);
      if (stop != end || code != std::errc{})
        return wrong("size", quoted(size) + " is no whole number");
      if (alone)
        one.bytes = bytes;
      else
        ignore("size");
    }
    return read_digest(alone);
  }

  fault read_digest(bool alone) {
    const auto& type = text("digestType");
    const auto& value = text("digestValue");
    if (!type.empty() && !find_digest_algorithm(type))
      return wrong("digestType", "there is no algorithm " + quoted(type));
    if (value.empty()) {
      // Forms for people have a type selected whether it is used or not.
      if (!type.empty())
        out_.warnings.push_back("digestType without digestValue is ignored");
      return {};
    }
    if (type.empty())
      return wrong("digestValue", "the field digestType is missing");
    if (!alone)
      return wrong("digestValue", "there are several payloads");
    auto made = make_digest(type, value);
    if (!made)
      return wrong("digestValue", render(made.error()));
    document().payloads.front().expected = std::move(*made);
    return {};
  }

  fault check_names() {
    std::vector<std::string> taken;
    for (auto& one : document().payloads) {
      if (std::find(taken.begin(), taken.end(), one.file_name) != taken.end())
        one.file_name.insert(0, random_uuid() + "-");
      if (const auto why = payload_path_fault(one.file_name); !why.empty())
        return "The file name " + quoted(one.file_name) + " " + why + ".";
      taken.push_back(one.file_name);
    }
    return {};
  }

  void ignore(const char* field) {
    out_.warnings.push_back(std::string{field}
                            + " is ignored: there are several payloads");
  }

  const submission_fields& from_;
  const submission_target& target_;
  submission out_;
};

} // namespace

batch_info info_of(const batch_document& x, const std::string& submitter,
                   const char* source) {
  batch_info out;
  out.uuid = x.uuid;
  out.collection = x.collection;
  out.source = source;
  out.submitter = submitter;
  out.type = x.type;
  out.file_name = x.payloads.front().file_name;
  out.title = x.what.title;
  return out;
}

caf::expected<submission> read_submission(const http::form& from,
                                          const submission_target& target) {
  const auto fields = sort_fields(from);
  if (!fields)
    return fields.error();
  return submission_reader{*fields, target}.read();
}

} // namespace depositd::poster
