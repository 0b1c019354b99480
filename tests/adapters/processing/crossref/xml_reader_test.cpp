#include "adapters/processing/crossref/xml_reader.hpp"

#include "adapters/processing/crossref/xml_text.hpp"

#include <gtest/gtest.h>

#include <ctime>
#include <filesystem>
#include <fstream>
#include <string>

namespace {

using namespace depositd;
using namespace depositd::crossref;
using namespace std::string_literals;

/// Writes down what it is shown.
class recorder : public xml_handler {
public:
  caf::error start_element(const xml_element& element) override {
    ++elements;
    attributes += element.attributes.size();
    last_attribute = element.attribute("a");
    return {};
  }

  caf::error end_element(std::string_view, std::string_view) override {
    return {};
  }

  caf::error text(std::string_view part) override {
    content += part;
    return {};
  }

  std::size_t elements = 0;
  std::size_t attributes = 0;
  std::string last_attribute;
  std::string content;
};

struct result {
  caf::error problem;
  recorder seen;

  std::string said() const {
    return problem ? render(problem) : "fine";
  }
};

result read(std::string_view bytes, const xml_limits& limits = {}) {
  result out;
  const auto text = decode_xml_text(bytes, limits);
  out.problem = text ? read_xml_text(*text, limits, out.seen) : text.error();
  return out;
}

std::string repeat(std::string_view what, std::size_t times) {
  std::string out;
  out.reserve(what.size() * times);
  for (std::size_t i = 0; i < times; ++i)
    out += what;
  return out;
}

double cpu_seconds() {
  timespec out{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &out);
  return static_cast<double>(out.tv_sec)
         + static_cast<double>(out.tv_nsec) * 1e-9;
}

/// Of this thread, whatever else the machine does meanwhile.
double seconds(const std::function<void()>& work) {
  const auto begin = cpu_seconds();
  work();
  return cpu_seconds() - begin;
}

TEST(xml_reader, shows_elements_attributes_and_text) {
  const auto x = read("<r xmlns:p='urn:p'><e a='1 &lt; 2' p:a='no'>A &amp; "
                      "<![CDATA[<B>]]></e></r>");
  EXPECT_EQ(x.said(), "fine");
  EXPECT_EQ(x.seen.elements, 2u);
  EXPECT_EQ(x.seen.last_attribute, "1 < 2");
  EXPECT_EQ(x.seen.content, "A & <B>");
}

TEST(xml_reader, tells_line_and_column_of_what_is_wrong) {
  const auto x = read("<r>\n  <a></b>\n</r>");
  EXPECT_EQ(x.problem, ec::malformed);
  EXPECT_EQ(x.said().find("line 2, column "), 0u) << x.said();
  EXPECT_EQ(x.said().find('\n'), std::string::npos);
}

TEST(xml_reader, refuses_every_doctype) {
  for (const auto* doctype :
       {"<!DOCTYPE r>", "<!DOCTYPE r []>", "<!DOCTYPE r SYSTEM 'x.dtd'>",
        "<!DOCTYPE r PUBLIC 'p' 'http://127.0.0.1:9/x.dtd'>",
        "<!DOCTYPE r [<!ENTITY a 'b'>]>", "<!DOCTYPE"}) {
    const auto x =
      read(std::string{"<?xml version='1.0'?>\n"} + doctype + "<r>&a;</r>");
    EXPECT_EQ(x.problem, ec::malformed) << doctype;
    EXPECT_EQ(x.seen.elements, 0u) << doctype;
  }
  EXPECT_EQ(read("<!DOCTYPE r><r/>").said(),
            "line 1, column 12: DOCTYPE not allowed");
}

TEST(xml_reader, stops_entity_bombs_at_once) {
  auto laughs = "<!DOCTYPE r [<!ENTITY l0 'lol'>"s;
  for (int i = 1; i < 12; ++i)
    laughs += "<!ENTITY l" + std::to_string(i) + " '"
              + repeat("&l" + std::to_string(i - 1) + ";", 10) + "'>";
  laughs += "]><r>&l11;</r>";
  const auto quadratic = "<!DOCTYPE r [<!ENTITY a '" + std::string(50'000, 'a')
                         + "'>]><r>" + repeat("&a;", 50'000) + "</r>";
  for (const auto& bomb : {laughs, quadratic}) {
    result x;
    EXPECT_LT(seconds([&] { x = read(bomb); }), 0.5);
    EXPECT_EQ(x.problem, ec::malformed);
    EXPECT_EQ(x.seen.content, "");
  }
}

TEST(xml_reader, never_opens_what_a_document_names) {
  const auto folder = std::filesystem::temp_directory_path()
                      / ("xml_reader_test." + std::to_string(::getpid()));
  std::filesystem::create_directory(folder);
  const auto secret = folder / "secret.txt";
  std::ofstream{secret} << "planted-secret";
  const auto address = "file://" + secret.string();
  for (const auto& document :
       {"<!DOCTYPE r [<!ENTITY x SYSTEM '" + address + "'>]><r>&x;</r>",
        "<!DOCTYPE r [<!ENTITY % x SYSTEM '" + address + "'> %x;]><r/>",
        "<!DOCTYPE r SYSTEM '" + address + "'><r/>",
        "<r><i:include xmlns:i='http://www.w3.org/2001/XInclude' "
        "parse='text' href='"
          + address + "'/></r>",
        "<r xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance' "
        "xsi:noNamespaceSchemaLocation='"
          + address + "'/>",
        "<?xml-stylesheet href='" + address + "'?><r/>"}) {
    const auto x = read(document);
    EXPECT_EQ(x.seen.content.find("planted"), std::string::npos) << document;
    EXPECT_EQ(x.said().find("planted"), std::string::npos) << document;
  }
  std::filesystem::remove_all(folder);
}

TEST(xml_reader, ignores_inclusions_schema_locations_and_stylesheets) {
  const auto x =
    read("<?xml-stylesheet href='http://127.0.0.1:9/x.xsl'?>"
         "<r xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance' "
         "xsi:schemaLocation='urn:r http://127.0.0.1:9/r.xsd'>"
         "<i:include xmlns:i='http://www.w3.org/2001/XInclude' href='x'/></r>");
  EXPECT_EQ(x.said(), "fine");
  EXPECT_EQ(x.seen.elements, 2u);
}

TEST(xml_reader, refuses_what_is_nested_too_deep) {
  const auto nested = [](std::size_t depth) {
    return repeat("<a>", depth) + repeat("</a>", depth);
  };
  EXPECT_EQ(read(nested(256)).said(), "fine");
  EXPECT_EQ(read(nested(257)).problem, ec::too_large);
  EXPECT_EQ(read(nested(100'000)).problem, ec::too_large);
  EXPECT_EQ(read(repeat("<a>", 100'000)).problem, ec::too_large);
}

TEST(xml_reader, refuses_too_many_attributes_before_they_cost_time) {
  const auto with = [](std::size_t count) {
    std::string out = "<r";
    for (std::size_t i = 0; i < count; ++i)
      out += " a" + std::to_string(i) + "=''";
    return out + "/>";
  };
  EXPECT_EQ(read(with(1000)).seen.attributes, 1000u);
  EXPECT_EQ(read(with(1001)).problem, ec::too_large);
  xml_limits wide;
  wide.bytes_max = 100'000'000;
  result x;
  const auto bomb = with(1'000'000);
  EXPECT_LT(seconds([&] { x = read(bomb, wide); }), 0.5);
  EXPECT_EQ(x.problem, ec::too_large);
}

TEST(xml_reader, refuses_too_many_namespaces_in_scope) {
  std::string out = "<r>";
  std::string end;
  for (int i = 0; i < 200; ++i) {
    out += "<e";
    for (int k = 0; k < 100; ++k)
      out += " xmlns:n" + std::to_string(i * 100 + k) + "='urn:x'";
    out += ">";
    end += "</e>";
  }
  result x;
  const auto bomb = out + repeat("<n1:q/>", 800'000) + end + "</r>";
  EXPECT_LT(seconds([&] { x = read(bomb); }), 0.5);
  EXPECT_EQ(x.problem, ec::too_large);
  const auto in_turn = "<r>" + repeat("<p:e xmlns:p='urn:p'/>", 1000) + "</r>";
  EXPECT_EQ(read(in_turn).said(), "fine");
}

TEST(xml_reader, refuses_too_many_different_names_before_they_cost_time) {
  const auto of = [](std::string_view before, std::string_view behind,
                     int count) {
    std::string out = "<r>";
    for (int i = 0; i < count; ++i)
      out.append(before).append(std::to_string(i)).append(behind);
    return out + "</r>";
  };
  const std::vector<std::pair<std::string, std::string>> kinds = {
    {"<e", "/>"},
    {"<e a", "=''/>"},
    {"<?p", " ?>"},
    {"<e xmlns='u", "'/>"},
    {"<e xmlns:p", "='u'/>"}};
  for (const auto& [before, behind] : kinds) {
    EXPECT_EQ(read(of(before, behind, 5'000)).said(), "fine") << before;
    result x;
    const auto bomb = of(before, behind, 400'000);
    EXPECT_LT(seconds([&] { x = read(bomb); }), 2) << before;
    EXPECT_EQ(x.problem, ec::too_large) << before << ' ' << x.said();
    EXPECT_NE(x.said().find("too many different names"), std::string::npos)
      << before << ' ' << x.said();
  }
}

TEST(xml_reader, takes_bounded_time_for_ten_megabytes_of_anything) {
  const auto budget = [](std::string_view piece) {
    std::string out = "<r>";
    while (out.size() + piece.size() < 10'000'000)
      out += piece;
    return out + "</r>";
  };
  std::string wide = "<e";
  for (int i = 0; i < 1000; ++i)
    wide += " a" + std::to_string(i) + "=''";
  for (const auto& document :
       {budget("<e/>"), budget("&#65;"), budget("text"), budget(wide + "/>"),
        budget("<e a='&lt;&lt;&lt;&lt;'/>"), budget("<!-- - -->"),
        budget("<!---"), budget("]]&gt;"), budget("<e a='")}) {
    const auto begin = document.substr(0, 40);
    EXPECT_LT(seconds([&] { read(document); }), 20.0) << begin;
  }
}

TEST(xml_reader, refuses_a_text_longer_than_the_limit) {
  xml_limits small;
  small.text_max = 100;
  EXPECT_EQ(read("<r>" + std::string(100, 'x') + "</r>", small).said(), "fine");
  EXPECT_EQ(read("<r>" + std::string(101, 'x') + "</r>", small).problem,
            ec::too_large);
}

TEST(xml_reader, refuses_a_document_above_the_limit) {
  xml_limits small;
  small.bytes_max = 10;
  EXPECT_EQ(read("<r>12345</r>", small).problem, ec::too_large);
}

TEST(xml_reader, refuses_what_is_not_well_formed) {
  for (const auto* text :
       {"", " \n", "hello", "%PDF-1.7\n", "<r>", "<r/><r/>", "<r>&nbsp;</r>",
        "<r>&#0;</r>", "<r>\x01</r>", "<p:r/>", "<r a='1' a='2'/>", "<r a=1/>",
        "<r>]]></r>", "<r/>x", "{\"a\":1}", "<r><!-- -- --></r>"}) {
    const auto x = read(text);
    EXPECT_EQ(x.problem, ec::malformed) << text;
    EXPECT_EQ(x.said().find("line "), 0u) << text << ": " << x.said();
  }
  EXPECT_EQ(read("<r>a\0b</r>"s).problem, ec::malformed);
  EXPECT_EQ(read("<r/>\0"s).problem, ec::malformed);
}

struct encoding_case {
  const char* what;
  std::string bytes;
  std::string content; ///< "-": refused
};

std::string utf16(std::string_view ascii, bool big) {
  std::string out = big ? "\xFE\xFF" : "\xFF\xFE";
  for (const auto c : ascii)
    out += big ? "\0"s + c : c + "\0"s;
  return out;
}

TEST(xml_reader, takes_an_encoding_only_where_it_is_declared) {
  const auto declared = [](const std::string& name, const std::string& text) {
    return "<?xml version=\"1.0\" encoding=\"" + name + "\"?><r>" + text
           + "</r>";
  };
  const auto high = "<?xml version='1.0' encoding='UTF-16'?><r>a</r>"s;
  const encoding_case cases[] = {
    {"no declaration", "<r>\xC3\xA9</r>", "\xC3\xA9"},
    {"UTF-8", declared("utf-8", "\xC3\xA9"), "\xC3\xA9"},
    {"UTF-8 mark", "\xEF\xBB\xBF<r>a</r>", "a"},
    {"mark inside", "<r>a\xEF\xBB\xBF</r>", "a\xEF\xBB\xBF"},
    {"mark against the declaration",
     "\xEF\xBB\xBF" + declared("ISO-8859-1", "a"), "-"},
    {"Latin-1", declared("ISO-8859-1", "\xE9"), "\xC3\xA9"},
    {"Latin-1 undeclared", "<r>\xE9</r>", "-"},
    {"Latin-1 as UTF-8", declared("UTF-8", "\xE9"), "-"},
    {"windows-1252", declared("windows-1252", "\x80"), "\xE2\x82\xAC"},
    {"windows-1252 without the byte", declared("windows-1252", "\x81"), "-"},
    {"ASCII", declared("US-ASCII", "a"), "a"},
    {"ASCII with more", declared("US-ASCII", "\xC3\xA9"), "-"},
    {"UTF-16 LE", utf16(high, false), "a"},
    {"UTF-16 BE", utf16(high, true), "a"},
    {"UTF-16 undeclared", utf16("<r>a</r>", true), "a"},
    {"UTF-16 without mark", utf16(high, false).substr(2), "-"},
    {"UTF-16 said, bytes are not", declared("UTF-16", "a"), "-"},
    {"UTF-16 mark, other declaration", utf16(declared("utf-8", "a"), true),
     "-"},
    {"UTF-16 half a unit", utf16("<r>a</r>", true) + "\0"s, "-"},
    {"UTF-16 surrogates", "\xFE\xFF\0<\0r\0>\xD8\x3D\xDE\x00\0<\0/\0r\0>"s,
     "\xF0\x9F\x98\x80"},
    {"UTF-16 lone surrogate", "\xFE\xFF\0<\0r\0>\xD8\x3D\0<\0/\0r\0>"s, "-"},
    {"UTF-7", declared("UTF-7", "+AGE-"), "-"},
    {"unknown", declared("klingon", "a"), "-"},
    {"EBCDIC", declared("ebcdic-cp-us", "a"), "-"},
    {"overlong", "<r>\xC0\xAF</r>", "-"},
    {"overlong of three", "<r>\xE0\x80\xAF</r>", "-"},
    {"surrogate in UTF-8", "<r>\xED\xA0\x80</r>", "-"},
    {"beyond Unicode", "<r>\xF4\x90\x80\x80</r>", "-"},
    {"cut character", "<r>\xE2\x82</r>", "-"},
    {"UTF-32", "\xFF\xFE\0\0<\0\0\0"s, "-"},
  };
  for (const auto& x : cases) {
    const auto got = read(x.bytes);
    if (x.content == "-")
      EXPECT_EQ(got.problem, ec::malformed) << x.what;
    else
      EXPECT_EQ(got.said() + " " + got.seen.content, "fine " + x.content)
        << x.what;
  }
}

TEST(xml_reader, turns_exceptions_of_a_handler_into_errors) {
  struct thrower : recorder {
    caf::error text(std::string_view) override {
      throw std::runtime_error{"out of ideas"};
    }
  };
  thrower x;
  const auto problem = read_xml_text("<r>a</r>", {}, x);
  EXPECT_NE(render(problem).find("out of ideas"), std::string::npos);
}

TEST(xml_reader, makes_one_short_line_of_any_text) {
  EXPECT_EQ(one_line("a\r\nb\x1b[2J\n"), "a  b [2J");
  EXPECT_LE(one_line(std::string(1000, 'x')).size(), 300u);
  const auto cut = one_line(std::string(299, 'x') + "\xE2\x82\xAC");
  EXPECT_EQ(cut, std::string(299, 'x'));
}

} // namespace
