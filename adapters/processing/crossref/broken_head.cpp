#include "adapters/processing/crossref/broken_head.hpp"

#include "adapters/processing/crossref/captured_text.hpp"
#include "adapters/processing/crossref/xml_reader.hpp"
#include "messages/values/batch_ids.hpp"
#include "messages/values/utf8.hpp"

#include <vector>

namespace depositd::crossref {

namespace {

constexpr std::size_t looked_at_max = 64 * 1024;
constexpr std::size_t name_max = 64; // with its prefix

/// What stands at found / head / doi_batch_id, and at the places of addresses.
struct head_says {
  std::string batch_id;
  std::string depositor; ///< of a deposit
  std::string asker;     ///< of queries
};

class head_handler final : public xml_handler {
public:
  explicit head_handler(head_says& out) : out_(out) {
    // nop
  }

  caf::error start_element(const xml_element& element) override {
    path_.emplace_back(element.name);
    if (captured_.depth() == 0 && place())
      captured_.begin(path_.size());
    return {};
  }

  caf::error end_element(std::string_view, std::string_view) override {
    if (captured_.depth() == path_.size())
      *place() = captured_.take();
    path_.pop_back();
    return path_.size() == 1 ? caf::make_error(ec::malformed, "all is known")
                             : caf::error{};
  }

  caf::error text(std::string_view part) override {
    captured_.add(part);
    return {};
  }

private:
  /// Where the text of the innermost element goes; null: nowhere.
  std::string* place() {
    const auto depth = path_.size();
    const auto& name = path_.back();
    if (depth == 3 && name == "doi_batch_id")
      return &out_.batch_id;
    if (depth == 3 && name == "email_address")
      return &out_.asker;
    if (depth == 4 && path_[2] == "depositor" && name == "email_address")
      return &out_.depositor;
    return nullptr;
  }

  head_says& out_;
  std::vector<std::string> path_;
  captured_text captured_;
};

/// From the head on, below an element that knows its prefix; empty: none.
std::string from_head_on(std::string_view text) {
  for (auto at = text.find('<'); at != text.npos; at = text.find('<', at + 1)) {
    const auto rest = text.substr(at);
    if (rest.starts_with("<!--")) {
      at = text.find("-->", at + 4);
      if (at == text.npos)
        return {};
      continue;
    }
    auto name = rest.substr(1, name_max);
    name = name.substr(0, name.find_first_of(" \t\r\n/>"));
    const auto colon = name.find(':');
    if (name.substr(colon == name.npos ? 0 : colon + 1) != "head")
      continue;
    std::string out = "<found";
    if (colon != name.npos)
      out.append(" xmlns:").append(name.substr(0, colon)).append("=\"urn:x\"");
    return out.append(">").append(rest);
  }
  return {};
}

} // namespace

void find_head(std::string_view document, std::string& batch_id,
               std::string& email) {
  document = document.substr(0, looked_at_max);
  document = document.substr(0, document.find('\0'));
  document = document.substr(0, find_invalid_utf8(document));
  const auto text = from_head_on(document);
  if (text.empty())
    return;
  head_says said;
  head_handler handler{said};
  // It ends with an error, of which one says that all is known.
  static_cast<void>(read_xml_text(text, {}, handler));
  if (batch_id.empty())
    batch_id = batch_id_of(said.batch_id);
  if (email.empty())
    email = one_line(said.depositor.empty() ? said.asker : said.depositor);
}

} // namespace depositd::crossref
