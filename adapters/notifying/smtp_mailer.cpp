#include "adapters/notifying/smtp_mailer.hpp"

#include "adapters/fetching/curl_kit.hpp"
#include "adapters/notifying/mail_headers.hpp"
#include "adapters/notifying/mails_begun.hpp"
#include "adapters/notifying/relay_answers.hpp"

#include <curl/curl.h>

#include <array>

namespace depositd {

namespace {

using easy_handle = std::unique_ptr<CURL, decltype(&curl_easy_cleanup)>;
using string_list = std::unique_ptr<curl_slist, decltype(&curl_slist_free_all)>;
using mime_parts = std::unique_ptr<curl_mime, decltype(&curl_mime_free)>;

string_list list_of(const std::vector<std::string>& texts) {
  curl_slist* out = nullptr;
  for (const auto& x : texts)
    out = curl_slist_append(out, x.c_str());
  return {out, &curl_slist_free_all};
}

/// Lines end with CRLF on the wire.
std::string with_wire_lines(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\r')
      continue;
    if (c == '\n')
      out += '\r';
    out += c;
  }
  return out;
}

mime_parts parts_of(CURL* easy, const mail& x) {
  mime_parts out{curl_mime_init(easy), &curl_mime_free};
  const auto text = with_wire_lines(x.text);
  auto* part = curl_mime_addpart(out.get());
  curl_mime_data(part, text.data(), text.size());
  curl_mime_type(part, "text/plain; charset=utf-8");
  curl_mime_encoder(part, "quoted-printable");
  for (const auto& file : x.attachments) {
    part = curl_mime_addpart(out.get());
    curl_mime_data(part, file.content.data(), file.content.size());
    curl_mime_type(part, file.type.c_str());
    curl_mime_filename(part, file.file_name.c_str());
    curl_mime_encoder(part, "base64");
  }
  return out;
}

/// True if it can go as it is, as one part: so do programs that read the
/// results of deposits by mail like it best.
bool is_plain_mail(const mail& x) {
  constexpr std::size_t line_bytes_max = 998; // RFC 5322, 2.1.1
  std::size_t line = 0;
  for (const unsigned char c : x.text) {
    line = c == '\n' ? 0 : line + 1;
    const bool plain = (c >= 0x20 && c < 0x7f) || c == '\n' || c == '\t';
    if (!plain || line > line_bytes_max)
      return false;
  }
  return x.attachments.empty();
}

/// What curl reads of a mail that goes as it is.
struct plain_text {
  std::string text;
  std::size_t read = 0;

  static std::size_t next(char* to, std::size_t size, std::size_t count,
                          void* from) {
    auto& self = *static_cast<plain_text*>(from);
    const auto bytes = self.text.copy(to, size * count, self.read);
    self.read += bytes;
    return bytes;
  }
};

plain_text plain_text_of(const mail& x, const std::vector<std::string>& head) {
  plain_text out;
  for (const auto& line : head)
    out.text += line + "\r\n";
  out.text += "MIME-Version: 1.0\r\n"
              "Content-Type: text/plain; charset=utf-8\r\n"
              "Content-Transfer-Encoding: 7bit\r\n\r\n";
  out.text += with_wire_lines(x.text);
  return out;
}

template <class T>
void set(CURL* easy, CURLoption option, T value) {
  curl_easy_setopt(easy, option, value);
}

/// Where to, how privately and by whom; all but the mail itself.
void set_relay(CURL* easy, const smtp_options& x, const std::string& url) {
  set(easy, CURLOPT_URL, url.c_str());
  set(easy, CURLOPT_PROTOCOLS_STR,
      x.privacy == mail_privacy::tls ? "smtps" : "smtp");
  if (x.privacy == mail_privacy::starttls)
    set(easy, CURLOPT_USE_SSL, static_cast<long>(CURLUSESSL_ALL));
  if (!x.ca_file.empty())
    set(easy, CURLOPT_CAINFO, x.ca_file.c_str());
  if (!x.user.empty()) {
    set(easy, CURLOPT_USERNAME, x.user.c_str());
    set(easy, CURLOPT_PASSWORD, x.password.c_str());
  }
  set(easy, CURLOPT_PROXY, "");
  set(easy, CURLOPT_NOSIGNAL, 1L);
  set(easy, CURLOPT_NETRC, static_cast<long>(CURL_NETRC_IGNORED));
  set(easy, CURLOPT_CONNECTTIMEOUT_MS,
      static_cast<long>(x.connect_limit.count()));
  set(easy, CURLOPT_TIMEOUT_MS, static_cast<long>(x.time_limit.count()));
}

/// The same mail to the same people is one.
std::string name_of(const mail& x, const std::vector<std::string>& everybody) {
  auto out = x.id;
  for (const auto& one : everybody)
    out += "\n" + one;
  return out;
}

std::string url_of(const smtp_options& x) {
  return (x.privacy == mail_privacy::tls ? "smtps://" : "smtp://")
         + to_string(x.relay);
}

class smtp_mailer final : public mailer {
public:
  explicit smtp_mailer(smtp_options options)
    : options_(std::move(options)), url_(url_of(options_)) {
    curl_global_init(CURL_GLOBAL_DEFAULT);
  }

  caf::error send(const mail& x) override {
    if (auto fault = mail_fault(x); !fault.empty())
      return caf::make_error(ec::invalid_argument, std::move(fault));
    auto everybody = x.to;
    everybody.insert(everybody.end(), x.bcc.begin(), x.bcc.end());
    const auto name = name_of(x, everybody);
    const auto left = begun_.left(name, everybody);
    auto out = send_to(left, x);
    const bool some_have_it = left.size() < everybody.size();
    if (out.failure == ec::invalid_argument && some_have_it)
      out.failure = caf::none;
    if (out.failure)
      return out.failure;
    if (out.put_off.empty()) {
      begun_.forget(name);
      return {};
    }
    begun_.keep(name, out.put_off);
    return caf::make_error(ec::overloaded,
                           to_string(options_.relay) + " has put off "
                             + out.put_off.front() + " and "
                             + std::to_string(out.put_off.size() - 1)
                             + " more; nobody else is to get the mail again");
  }

private:
  struct sent {
    caf::error failure; ///< nobody has got it
    std::vector<std::string> put_off; ///< others have
  };

  sent send_to(const std::vector<std::string>& whom, const mail& x) {
    const easy_handle easy{curl_easy_init(), &curl_easy_cleanup};
    const auto head = mail_headers(x, options_.from, now());
    const auto recipients = list_of(whom);
    const bool plain = is_plain_mail(x);
    auto text = plain ? plain_text_of(x, head) : plain_text{};
    const auto headers = list_of(head);
    const auto parts =
      plain ? mime_parts{nullptr, &curl_mime_free} : parts_of(easy.get(), x);
    std::array<char, CURL_ERROR_SIZE> reason{};
    auto* curl = easy.get();
    set_relay(curl, options_, url_);
    set(curl, CURLOPT_MAIL_FROM, options_.from.c_str());
    set(curl, CURLOPT_MAIL_RCPT, recipients.get());
    set(curl, CURLOPT_MAIL_RCPT_ALLLOWFAILS, 1L);
    if (plain) {
      set(curl, CURLOPT_UPLOAD, 1L);
      set(curl, CURLOPT_READFUNCTION, &plain_text::next);
      set(curl, CURLOPT_READDATA, &text);
    } else {
      set(curl, CURLOPT_HTTPHEADER, headers.get());
      set(curl, CURLOPT_MIMEPOST, parts.get());
    }
    relay_answers said;
    set(curl, CURLOPT_VERBOSE, 1L);
    set(curl, CURLOPT_DEBUGFUNCTION, &relay_answers::note);
    set(curl, CURLOPT_DEBUGDATA, &said);
    set(curl, CURLOPT_ERRORBUFFER, reason.data());
    stop_curl_if(curl, options_.stopped);
    const auto code = curl_easy_perform(easy.get());
    if (code == CURLE_OK) {
      sent out;
      for (const auto number : said.put_off)
        out.put_off.push_back(whom.at(number));
      return out;
    }
    long status = 0;
    curl_easy_getinfo(easy.get(), CURLINFO_RESPONSE_CODE, &status);
    // A wrong password or certificate is not the mail's fault.
    const bool by_mail = !said.not_now && code != CURLE_LOGIN_DENIED
                         && code != CURLE_USE_SSL_FAILED
                         && code != CURLE_PEER_FAILED_VERIFICATION;
    return {caf::make_error(
              by_mail && status >= 500 && status < 600 ? ec::invalid_argument
                                                       : ec::overloaded,
              "the mail cannot be sent by " + to_string(options_.relay) + ": "
                + (reason[0] ? reason.data() : curl_easy_strerror(code))),
            {}};
  }

  micros now() const {
    using namespace std::chrono;
    return options_.now ? options_.now()
                        : duration_cast<microseconds>(
                            system_clock::now().time_since_epoch())
                            .count();
  }

  const smtp_options options_;
  const std::string url_;
  mails_begun begun_;
};

} // namespace

caf::expected<std::unique_ptr<mailer>> make_smtp_mailer(smtp_options options) {
  if (const auto fault = address_fault(options.from); !fault.empty())
    return caf::make_error(ec::bad_setting,
                           "mail.from: \"" + options.from + "\" " + fault);
  if (!options.user.empty() && options.privacy == mail_privacy::none)
    return caf::make_error(ec::bad_setting,
                           "mail.user: a password is not sent where others can "
                           "read it; see mail.tls");
  return std::make_unique<smtp_mailer>(std::move(options));
}

caf::error look_for_relay(const smtp_options& options) {
  const easy_handle easy{curl_easy_init(), &curl_easy_cleanup};
  auto* curl = easy.get();
  set_relay(curl, options, url_of(options));
  set(curl, CURLOPT_CUSTOMREQUEST, "NOOP");
  set(curl, CURLOPT_NOBODY, 1L);
  std::array<char, CURL_ERROR_SIZE> reason{};
  set(curl, CURLOPT_ERRORBUFFER, reason.data());
  stop_curl_if(curl, options.stopped);
  const auto code = curl_easy_perform(curl);
  long status = 0;
  curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
  // One that does not know this command has let us in all the same.
  if (code == CURLE_OK || (status >= 500 && status <= 504))
    return {};
  return caf::make_error(ec::overloaded,
                         to_string(options.relay) + ": "
                           + (reason[0] ? reason.data()
                                        : curl_easy_strerror(code)));
}

} // namespace depositd
