#include "adapters/processing/crossref/citation_xml.hpp"

#include "adapters/processing/crossref/captured_text.hpp"
#include "adapters/processing/crossref/deposit_xml.hpp"
#include "adapters/processing/crossref/text.hpp"
#include "adapters/processing/crossref/xml_reader.hpp"
#include "messages/values/batch_ids.hpp"
#include "messages/values/json_text.hpp"
#include "messages/values/lower_case.hpp"

#include <nlohmann/json.hpp>

#include <unordered_set>
#include <utility>

namespace depositd::crossref {

namespace {

using namespace std::string_view_literals;

constexpr auto resources_namespace =
  "http://www.crossref.org/doi_resources_schema/"sv;

caf::error malformed(std::string text) {
  return caf::make_error(ec::malformed, std::move(text));
}

/// doi_batch / body / doi_citations / citation_list / citation / what it says
class citations_handler final : public xml_handler {
public:
  explicit citations_handler(citation_deposit& out) : out_(out) {
    // nop
  }

  caf::error start_element(const xml_element& element) override {
    path_.emplace_back(element.name);
    const auto depth = path_.size();
    if (depth == 1)
      return root(element);
    if (captured_.depth() > 0)
      return {};
    if (depth == 3 && path_[1] == "body")
      return begin_doi(element.name);
    if (depth == 5 && is_in_citations() && element.name == "citation")
      begin_citation(element);
    if (wants())
      captured_.begin(depth);
    return {};
  }

  caf::error end_element(std::string_view, std::string_view) override {
    caf::error problem;
    const auto depth = path_.size();
    if (captured_.depth() == depth)
      take(captured_.take());
    else if (depth == 5 && is_in_citations() && path_.back() == "citation")
      end_citation();
    else if (depth == 3 && path_[1] == "body")
      problem = end_doi();
    path_.pop_back();
    return problem;
  }

  caf::error text(std::string_view part) override {
    captured_.add(part);
    return {};
  }

private:
  static caf::error root(const xml_element& element) {
    if (element.name == "doi_batch"
        && element.namespace_uri.starts_with(resources_namespace))
      return {};
    return malformed("the root has to be doi_batch of "
                     + std::string{resources_namespace} + "4.3.6, not "
                     + one_line(element.name) + " of \""
                     + one_line(element.namespace_uri) + "\"");
  }

  caf::error begin_doi(std::string_view name) {
    current_ = {};
    kept_ = nlohmann::json::array();
    kept_bytes_ = 0;
    return name == "doi_citations"
             ? caf::error{}
             : malformed("only doi_citations are deposited like this, not "
                         + one_line(name));
  }

  bool is_in_citations() const {
    return path_[1] == "body" && path_[3] == "citation_list";
  }

  bool wants() const {
    const std::string_view name = path_.back();
    const auto depth = path_.size();
    if (path_[1] == "head")
      return (depth == 3 && name == "doi_batch_id")
             || (depth == 4 && path_[2] == "depositor"
                 && name == "email_address");
    return (depth == 4 && name == "doi")
           || (depth == 6 && is_in_citations() && path_[4] == "citation");
  }

  void begin_citation(const xml_element& element) {
    citation_ = {one_line(element.attribute("key")), "stored_query", {}};
    says_.clear();
  }

  void take(std::string value) {
    const std::string_view name = path_.back();
    if (path_[1] == "head") {
      if (name == "doi_batch_id")
        out_.batch_id = batch_id_of(value);
      else
        out_.email = one_line(value);
    } else if (path_.size() == 4) {
      current_.doi = std::move(value);
    } else if (name == "doi") {
      citation_.doi = std::move(value);
      citation_.status = "resolved_reference";
    } else if (!value.empty()) {
      says_ += (says_.empty() ? "" : "; ") + value;
    }
  }

  void end_citation() {
    const auto text = one_line(says_);
    kept_bytes_ += citation_.key.size() + citation_.doi.size() + text.size()
                   + 32; // what JSON puts around it
    if (kept_bytes_ > citations_bytes_max)
      current_.problem = "The citations of this DOI have more than "
                         + std::to_string(citations_bytes_max) + " bytes";
    else
      kept_.push_back(
        {{"key", citation_.key}, {"doi", citation_.doi}, {"text", text}});
    if (citations_ < citations_max) {
      ++citations_;
      current_.citations.push_back(std::move(citation_));
    }
  }

  caf::error end_doi() {
    if (!known_.insert(lower_case(current_.doi)).second)
      return {};
    if (out_.dois.size() == dois_max)
      return caf::make_error(ec::too_large, "more than "
                                              + std::to_string(dois_max)
                                              + " DOIs in one deposit");
    if (!kept_.empty())
      current_.kept = json_text(kept_);
    out_.dois.push_back(std::move(current_));
    return {};
  }

  citation_deposit& out_;
  std::vector<std::string> path_;
  captured_text captured_;
  citing_doi current_;
  nlohmann::json kept_;
  std::size_t kept_bytes_ = 0;
  citation_note citation_;
  std::string says_;
  std::size_t citations_ = 0; ///< answered so far
  std::unordered_set<std::string> known_;
};

} // namespace

caf::error parse_citations(const std::string& text, const xml_limits& limits,
                           citation_deposit& out) {
  citations_handler handler{out};
  return read_xml_text(text, limits, handler);
}

} // namespace depositd::crossref
