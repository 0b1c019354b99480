#pragma once

// Deposits for tests: only what matters to the test is said, the rest is that
// of a plain journal article.

#include <string>

namespace depositd::testing {

class deposit_builder {
public:
  deposit_builder with_version(std::string x) const {
    auto out = *this;
    out.version_ = std::move(x);
    return out;
  }

  deposit_builder with_batch_id(std::string x) const {
    auto out = *this;
    out.batch_id_ = std::move(x);
    return out;
  }

  /// Empty: no timestamp element.
  deposit_builder with_timestamp(std::string x) const {
    auto out = *this;
    out.timestamp_ = std::move(x);
    return out;
  }

  /// Empty: no depositor element.
  deposit_builder with_email(std::string x) const {
    auto out = *this;
    out.email_ = std::move(x);
    return out;
  }

  /// An article with this DOI; more than one makes more than one article.
  deposit_builder with_article(std::string doi,
                               std::string own_timestamp = {}) const {
    auto out = *this;
    if (!own_timestamp.empty())
      own_timestamp = "<timestamp>" + own_timestamp + "</timestamp>";
    out.articles_ += "<journal_article><titles><title>On testing</title>"
                     "</titles><doi_data><doi>"
                     + doi + "</doi>" + own_timestamp
                     + "<resource>https://example.org/" + doi
                     + "</resource></doi_data></journal_article>";
    return out;
  }

  /// Anything, inside `body`.
  deposit_builder with_body(std::string x) const {
    auto out = *this;
    out.body_ += x;
    return out;
  }

  std::string text() const {
    std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                      "<doi_batch xmlns=\"http://www.crossref.org/schema/"
                      + version_ + "\" version=\"" + version_ + "\"><head>";
    out += "<doi_batch_id>" + batch_id_ + "</doi_batch_id>";
    if (!timestamp_.empty())
      out += "<timestamp>" + timestamp_ + "</timestamp>";
    if (!email_.empty())
      out += "<depositor><depositor_name>A</depositor_name><email_address>"
             + email_ + "</email_address></depositor>";
    out += "</head>\n<body>" + body_;
    if (!articles_.empty())
      out += "<journal><journal_metadata><full_title>Journal of Tests"
             "</full_title><issn>1234-5678</issn></journal_metadata>"
             + articles_ + "</journal>";
    return out + "</body></doi_batch>";
  }

private:
  std::string version_ = "5.3.1";
  std::string batch_id_ = "batch-1";
  std::string timestamp_ = "20240101000000";
  std::string email_;
  std::string articles_;
  std::string body_;
};

inline deposit_builder a_deposit() {
  return {};
}

} // namespace depositd::testing
