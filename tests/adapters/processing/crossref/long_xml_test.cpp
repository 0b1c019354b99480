#include "adapters/processing/crossref/xml_reader.hpp"

#include "adapters/processing/crossref/xml_text.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

// Documents up to the limit, and names.

namespace {

using namespace depositd;
using namespace depositd::crossref;

/// Takes whatever it is shown.
class taker : public xml_handler {
public:
  caf::error start_element(const xml_element&) override {
    return {};
  }

  caf::error end_element(std::string_view, std::string_view) override {
    return {};
  }

  caf::error text(std::string_view) override {
    return {};
  }
};

std::string said_of(const std::string& document) {
  taker all;
  const auto text = decode_xml_text(document, {});
  const auto problem = text ? read_xml_text(*text, {}, all) : text.error();
  return problem ? render(problem) : "fine";
}

struct long_kind {
  std::string begin;
  std::string piece;
  std::string end;
};

/// As long as a document may be, to the last byte.
std::string as_long_as_possible(const long_kind& x) {
  auto out = x.begin;
  const auto most = xml_limits{}.bytes_max - x.end.size();
  while (out.size() + x.piece.size() <= most)
    out += x.piece;
  return out + x.end + std::string(most - out.size(), '\n');
}

TEST(long_xml, takes_what_is_as_long_as_a_document_may_be) {
  for (const auto& x : std::vector<long_kind>{{"<r/>", " ", ""},
                                              {"<r/>", "\n", ""},
                                              {"<r/>", "<!-- c -->", ""},
                                              {"<r/><!--", "c", "-->"},
                                              {"<r", " ", "/>"},
                                              {"<r></r", "\t", ">"},
                                              {"<r a='", "x", "'/>"},
                                              {"<r a='", "&lt;", "'/>"},
                                              {"<r>", "x", "</r>"},
                                              {"<r>", "&amp;", "</r>"},
                                              {"<r>", "<e/>", "</r>"},
                                              {"<r>", "<!-- c -->", "</r>"},
                                              {"<r>", "<?p x?>", "</r>"},
                                              {"<r><?p ", "x", "?></r>"},
                                              {"<r><![CDATA[", "x", "]]></r>"},
                                              {"<?xml version='1.0'?>", " ",
                                               "<r/>"}}) {
    const auto document = as_long_as_possible(x);
    ASSERT_EQ(document.size(), xml_limits{}.bytes_max);
    EXPECT_EQ(said_of(document), "fine") << x.begin << x.piece;
  }
}

TEST(long_xml, says_of_names_that_are_too_long_that_they_are) {
  const std::string name(200'000, 'n');
  for (const auto& document :
       {"<" + name + "/>", "<r " + name + "=''/>", "<r xmlns='" + name + "'/>",
        "<r xmlns:" + name + "='u'/>", "<" + name + ":r/>",
        "<r><?" + name + " ?></r>"}) {
    const auto said = said_of(document);
    EXPECT_NE(said.find("a name that is too long"), std::string::npos)
      << document.substr(0, 20) << ' ' << said;
  }
}

} // namespace
