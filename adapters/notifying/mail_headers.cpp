#include "adapters/notifying/mail_headers.hpp"

#include "messages/values/base64.hpp"
#include "messages/values/time_text.hpp"
#include "messages/values/utf8.hpp"

#include <algorithm>

namespace depositd {

namespace {

constexpr std::size_t address_bytes_max = 320;
/// Of an encoded word: with its frame it has at most 75 characters.
constexpr std::size_t word_bytes_max = 45;

bool is_plain(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](unsigned char c) { return c >= 0x20 && c < 0x7f; })
         && text.find("=?") == text.npos;
}

/// Of the message's id: RFC 5322's dot-atom, with what our ids are made of.
bool is_id(std::string_view text) {
  return !text.empty() && text.size() <= 200
         && text.find_first_not_of("abcdefghijklmnopqrstuvwxyz"
                                   "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.")
              == text.npos;
}

} // namespace

std::string header_fault(std::string_view text) {
  for (const unsigned char c : text)
    if (c < 0x20 || c == 0x7f)
      return "has a line break or another control character";
  return {};
}

std::string address_fault(std::string_view address) {
  const auto at = address.find('@');
  if (address.empty() || address.size() > address_bytes_max)
    return "is empty or too long";
  for (const unsigned char c : address)
    if (c <= 0x20 || c >= 0x7f
        || std::string_view{"<>()[]\\,;:\""}.find(static_cast<char>(c))
             != std::string_view::npos)
      return "has a character that plain addresses have not";
  if (at == 0 || at == address.npos || at + 1 == address.size()
      || address.find('@', at + 1) != address.npos)
    return "is not NAME@HOST";
  return {};
}

std::string mail_fault(const mail& x) {
  if (x.to.empty())
    return "the mail goes to nobody";
  if (x.to.size() + x.bcc.size() > mail_recipients_max)
    return "the mail goes to more than " + std::to_string(mail_recipients_max);
  for (const auto* addresses : {&x.to, &x.bcc})
    for (const auto& address : *addresses)
      if (const auto fault = address_fault(address); !fault.empty())
        return "a mail address " + fault;
  if (!is_id(x.id))
    return "the id of the mail is none";
  if (const auto fault = header_fault(x.subject); !fault.empty())
    return "the subject " + fault;
  auto bytes = x.text.size() + x.subject.size();
  for (const auto& file : x.attachments) {
    bytes += file.content.size();
    if (!is_plain(file.file_name) || !is_plain(file.type)
        || file.file_name.find_first_of("\"\\/") != file.file_name.npos)
      return "an attachment's name or type is none";
  }
  if (bytes > mail_bytes_max)
    return "the mail has more than " + std::to_string(mail_bytes_max)
           + " bytes";
  return {};
}

std::string header_text(std::string_view text) {
  if (is_plain(text) && text.size() <= 900)
    return std::string{text};
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size()) {
      const auto next = first_character(text.substr(end)).bytes;
      const auto size = next == 0 ? 1 : next;
      if (end + size - at > word_bytes_max)
        break;
      end += size;
    }
    out += (out.empty() ? "=?UTF-8?B?" : "\r\n =?UTF-8?B?")
           + encode_base64(text.substr(at, end - at)) + "?=";
    at = end;
  }
  return out;
}

std::string mail_date(micros at) {
  auto out = format_http_date(at);
  return out.replace(out.size() - 3, 3, "+0000");
}

std::vector<std::string> mail_headers(const mail& x, const std::string& from,
                                      micros now) {
  std::string to;
  for (const auto& address : x.to)
    to += (to.empty() ? "" : ",\r\n ") + address;
  return {"From: " + from,
          "To: " + to,
          "Subject: " + header_text(x.subject),
          "Date: " + mail_date(now),
          "Message-ID: <" + x.id + from.substr(from.find('@')) + ">",
          "Auto-Submitted: auto-generated"};
}

} // namespace depositd
