#include "adapters/stores/s3/documents.hpp"

#include "adapters/fetching/curl_kit.hpp"
#include "adapters/stores/s3/place.hpp"
#include "messages/values/utf8.hpp"

#include <memory>

#include <libxml/parser.h>
#include <libxml/tree.h>

namespace depositd::s3 {

namespace {

constexpr std::size_t message_bytes_max = 300;

using document = std::unique_ptr<xmlDoc, decltype(&xmlFreeDoc)>;

/// Null if it is none, or has a declaration of types: S3 sends none. Nor does
/// it send another encoding: of what it cannot convert the library would write
/// to the standard error.
document parse(std::string_view text) {
  if (text.find('\0') != text.npos || find_invalid_utf8(text) != text.npos)
    return {nullptr, &xmlFreeDoc};
  constexpr int options = XML_PARSE_NONET | XML_PARSE_NOERROR
                          | XML_PARSE_NOWARNING | XML_PARSE_NOCDATA;
  document out{xmlReadMemory(text.data(), static_cast<int>(text.size()), "s3",
                             "UTF-8", options),
               &xmlFreeDoc};
  if (out && (out->intSubset != nullptr || out->extSubset != nullptr))
    out.reset();
  return out;
}

std::string_view name_of(const xmlNode* x) {
  return reinterpret_cast<const char*>(x->name);
}

const xmlNode* child(const xmlNode* of, std::string_view name) {
  for (const auto* x = of == nullptr ? nullptr : of->children; x != nullptr;
       x = x->next)
    if (x->type == XML_ELEMENT_NODE && name_of(x) == name)
      return x;
  return nullptr;
}

std::string text_of(const xmlNode* x) {
  std::string out;
  for (const auto* part = x == nullptr ? nullptr : x->children; part != nullptr;
       part = part->next)
    if (part->type == XML_TEXT_NODE && part->content != nullptr)
      out += reinterpret_cast<const char*>(part->content);
  return out;
}

std::string text_in(const xmlNode* of, std::string_view name) {
  return text_of(child(of, name));
}

std::string printable(std::string_view text) {
  std::string out;
  for (const char c : text.substr(0, message_bytes_max))
    out += c >= 0x20 && c < 0x7f ? c : ' ';
  return out;
}

caf::error malformed(const char* what) {
  return caf::make_error(ec::store_failed,
                         std::string{"the server answers with no "} + what);
}

/// The outermost element, if it has that name.
const xmlNode* root_of(const document& x, std::string_view name) {
  const auto* root = x ? xmlDocGetRootElement(x.get()) : nullptr;
  return root != nullptr && name_of(root) == name ? root : nullptr;
}

} // namespace

refusal read_refusal(std::string_view text) {
  const auto all = parse(text);
  const auto* root = root_of(all, "Error");
  return {printable(text_in(root, "Code")), printable(text_in(root, "Message")),
          printable(text_in(root, "Region"))};
}

std::string bare_etag(std::string_view etag) {
  if (etag.size() >= 2 && etag.front() == '"' && etag.back() == '"')
    etag = etag.substr(1, etag.size() - 2);
  return std::string{etag};
}

caf::expected<listing> read_listing(std::string_view text) {
  const auto all = parse(text);
  const auto* root = root_of(all, "ListBucketResult");
  if (root == nullptr)
    return malformed("list of objects");
  const bool coded = text_in(root, "EncodingType") == "url";
  listing out;
  for (const auto* x = root->children; x != nullptr; x = x->next) {
    if (x->type != XML_ELEMENT_NODE || name_of(x) != "Contents")
      continue;
    const auto key = text_in(x, "Key");
    const auto bytes = header_number(text_in(x, "Size"));
    if (key.empty() || !bytes)
      return malformed("key or size in its list of objects");
    out.entries.push_back({coded ? decoded(key) : key, *bytes,
                           bare_etag(text_in(x, "ETag")),
                           printable(text_in(x, "LastModified"))});
  }
  if (text_in(root, "IsTruncated") == "true") {
    out.next = text_in(root, "NextContinuationToken");
    if (out.next.empty())
      return malformed("way to the rest of its list");
  }
  return out;
}

caf::expected<std::string> read_upload_id(std::string_view text) {
  const auto all = parse(text);
  auto out = text_in(root_of(all, "InitiateMultipartUploadResult"), "UploadId");
  if (out.empty())
    return malformed("number of an upload");
  return out;
}

std::string write_recall(std::uint32_t days) {
  return "<RestoreRequest xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">"
         "<Days>"
         + std::to_string(days)
         + "</Days><GlacierJobParameters><Tier>Bulk</Tier>"
           "</GlacierJobParameters></RestoreRequest>";
}

std::string write_completion(const std::vector<std::string>& etags) {
  std::string out = "<CompleteMultipartUpload>";
  for (std::size_t i = 0; i < etags.size(); ++i) {
    out += "<Part><PartNumber>" + std::to_string(i + 1) + "</PartNumber><ETag>";
    for (const char c : etags[i])
      switch (c) {
        case '&':
          out += "&amp;";
          break;
        case '<':
          out += "&lt;";
          break;
        case '"':
          out += "&quot;";
          break;
        default:
          out += c;
      }
    out += "</ETag></Part>";
  }
  return out + "</CompleteMultipartUpload>";
}

} // namespace depositd::s3
