#include "adapters/processing/crossref/deposit_xml.hpp"

#include "adapters/processing/crossref/captured_text.hpp"
#include "adapters/processing/crossref/deposit_facts.hpp"
#include "adapters/processing/crossref/text.hpp"
#include "adapters/processing/crossref/xml_reader.hpp"
#include "messages/values/batch_ids.hpp"
#include "messages/values/lower_case.hpp"

#include <algorithm>
#include <unordered_set>

namespace depositd::crossref {

namespace {

using namespace std::string_view_literals;

constexpr auto schema_namespace = "http://www.crossref.org/schema/"sv;

/// The DOIs inside are somebody else's, whatever they contain.
bool is_foreign_matter(std::string_view name) {
  return name == "crossmark" || name == "archive_locations"
         || name == "doi_relations";
}

/// Whether this is 4.3 to 5.x, as x.y or x.y.z.
bool is_known_version(std::string_view version) {
  const auto is_part = [](char c) { return is_digit(c) || c == '.'; };
  if (version.size() < 3 || version.size() > 12 || version[1] != '.'
      || version.find("..") != version.npos || version.back() == '.'
      || !std::all_of(version.begin(), version.end(), is_part))
    return false;
  return version[0] == '5' || (version[0] == '4' && version[2] >= '3');
}

caf::error check_timestamp(const std::string& value) {
  constexpr std::size_t digits_max = 32;
  if (value.size() <= digits_max
      && std::all_of(value.begin(), value.end(), is_digit))
    return {};
  return caf::make_error(ec::malformed, "timestamp is not a number of at most "
                                        "32 digits");
}

class deposit_handler : public xml_handler {
public:
  explicit deposit_handler(deposit& out) : out_(out) {
    // nop
  }

  caf::error start_element(const xml_element& element) override {
    path_.emplace_back(element.name);
    if (path_.size() == 1)
      return root(element);
    if (captured_.depth() > 0 || ignored_from_ > 0)
      return {};
    if (element.namespace_uri != root_namespace_
        || is_foreign_matter(element.name))
      ignored_from_ = path_.size();
    else if (references_from_ > 0)
      open_in_references(element);
    else
      open(element);
    return {};
  }

  caf::error end_element(std::string_view, std::string_view) override {
    caf::error problem;
    if (captured_.depth() > 0) {
      if (captured_.depth() == path_.size())
        problem = take(captured_.take());
    } else if (ignored_from_ > 0) {
      if (ignored_from_ == path_.size())
        ignored_from_ = 0;
    } else {
      problem = close();
    }
    path_.pop_back();
    return problem;
  }

  caf::error text(std::string_view part) override {
    captured_.add(part);
    return {};
  }

private:
  caf::error root(const xml_element& element) {
    const auto uri = element.namespace_uri;
    const auto version = uri.starts_with(schema_namespace)
                           ? uri.substr(schema_namespace.size())
                           : std::string_view{};
    root_namespace_ = uri;
    out_.version = version;
    if (element.name == "doi_batch" && is_known_version(version))
      return {};
    return caf::make_error(ec::malformed, "the root has to be doi_batch of "
                                            + std::string{schema_namespace}
                                            + "4.3.0 to 5.x, not "
                                            + one_line(element.name) + " of \""
                                            + one_line(uri) + "\"");
  }

  std::string_view parent() const {
    return path_.size() > 1 ? std::string_view{path_[path_.size() - 2]} : ""sv;
  }

  void open(const xml_element& element) {
    const auto name = element.name;
    if (is_thing(name) || (path_.size() == 3 && parent() == "body")) {
      auto& thing = things_.emplace_back();
      thing.depth = path_.size();
      thing.name = name;
    }
    if (name == "citation_list")
      references_from_ = path_.size();
    if (name == "doi_data" || name == "pending_publication")
      pending_ = {};
    if (name == "person_name" || name == "organization")
      first_ = element.attribute("sequence") == "first";
    if (wants(name))
      captured_.begin(path_.size());
  }

  /// Of a reference only its key and DOI matter: all else describes the work
  /// that it refers to.
  void open_in_references(const xml_element& element) {
    if (element.name == "citation") {
      noted_ = !things_.empty() && citations_ < citations_max;
      if (!noted_)
        return;
      ++citations_;
      things_.back().citations.push_back(
        {one_line(element.attribute("key")), "stored_query", {}});
    } else if (element.name == "doi" && parent() == "citation" && noted_) {
      captured_.begin(path_.size());
    }
  }

  bool wants(std::string_view name) const {
    const auto above = parent();
    if (above == "head")
      return name == "doi_batch_id" || name == "timestamp";
    if (above == "depositor")
      return name == "email_address" && path_.size() == 4 && path_[1] == "head";
    if (above == "doi_data")
      return name == "doi" || name == "timestamp" || name == "resource";
    if (name == "doi")
      return above == "pending_publication";
    if (name == "surname" || name == "organization")
      return first_ && !things_.empty() && is_fact(name, above);
    return !things_.empty() && is_fact(name, above);
  }

  caf::error take(std::string value) {
    const std::string_view name = path_.back();
    const auto above = parent();
    if (above == "head")
      return head(name, std::move(value));
    if (above == "depositor") {
      out_.email = std::move(value);
      return {};
    }
    if (above == "doi_data" || above == "pending_publication")
      return registration(name, std::move(value));
    if (references_from_ > 0) {
      auto& note = things_.back().citations.back();
      note.doi = std::move(value);
      note.status = "resolved_reference";
      return {};
    }
    add_fact(name, std::move(value), things_.back().facts);
    return {};
  }

  caf::error head(std::string_view name, std::string value) {
    if (name == "doi_batch_id") {
      out_.batch_id = batch_id_of(value);
      return {};
    }
    out_.timestamp = value;
    return check_timestamp(value);
  }

  caf::error registration(std::string_view name, std::string value) {
    if (name == "timestamp") {
      pending_.timestamp = value;
      return check_timestamp(value);
    }
    if (name == "doi")
      pending_.doi = std::move(value);
    else if (name == "resource")
      pending_.resource = std::move(value);
    else
      add_fact(name, std::move(value), things_.back().facts);
    return {};
  }

  caf::error close() {
    const std::string_view name = path_.back();
    if (references_from_ > 0) {
      if (references_from_ == path_.size())
        references_from_ = 0;
      return {};
    }
    if (name == "doi_data"
        || (name == "pending_publication" && !pending_.doi.empty()))
      if (auto problem = enroll())
        return problem;
    if (!things_.empty() && things_.back().depth == path_.size())
      leave_thing();
    return {};
  }

  /// The innermost thing registers its DOI, unless the file did so before:
  /// clients choke on two answers for one DOI.
  caf::error enroll() {
    auto record = std::move(pending_);
    pending_ = {};
    if (things_.empty() || !known_.insert(lower_case(record.doi)).second)
      return {};
    if (out_.dois.size() == dois_max)
      return caf::make_error(ec::too_large, "more than "
                                              + std::to_string(dois_max)
                                              + " DOIs in one deposit");
    things_.back().registered.push_back(out_.dois.size());
    out_.dois.push_back({std::move(record), {}});
    return {};
  }

  void leave_thing() {
    auto left = std::move(things_.back());
    things_.pop_back();
    for (const auto index : left.registered)
      describe(left, things_, out_.dois[index].record);
    if (!left.registered.empty())
      out_.dois[left.registered.front()].citations = std::move(left.citations);
    if (!things_.empty())
      hand_up(left, things_.back());
  }

  deposit& out_;
  std::string root_namespace_;
  std::vector<std::string> path_;
  std::vector<deposited_thing> things_;
  // Depths of the element from which on something holds; 0: it does not.
  std::size_t ignored_from_ = 0;
  std::size_t references_from_ = 0;
  captured_text captured_;
  doi_record pending_; ///< of the open doi_data
  bool first_ = false; ///< inside the first contributor
  bool noted_ = false; ///< the open citation is one that is answered
  std::size_t citations_ = 0;
  std::unordered_set<std::string> known_;
};

} // namespace

caf::error parse_deposit(const std::string& text, const xml_limits& limits,
                         deposit& out) {
  deposit_handler handler{out};
  return read_xml_text(text, limits, handler);
}

} // namespace depositd::crossref
