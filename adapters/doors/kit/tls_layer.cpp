#include "adapters/doors/kit/tls_layer.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

namespace depositd::kit {

namespace {

constexpr std::size_t piece_bytes = 16 * 1024;

SSL_CTX* context(void* x) {
  return static_cast<SSL_CTX*>(x);
}

SSL* ssl_of(void* x) {
  return static_cast<SSL*>(x);
}

std::string last_reason() {
  std::array<char, 256> text{};
  const auto code = ERR_get_error();
  ERR_clear_error();
  if (code == 0)
    return "unknown";
  ERR_error_string_n(code, text.data(), text.size());
  return text.data();
}

caf::error bad_file(const std::string& file) {
  return caf::make_error(ec::bad_setting,
                         "cannot use " + file + ": " + last_reason());
}

/// Nobody is there to be asked for a password; the library would ask the
/// terminal, and wait for it.
int no_password(char*, int, int, void* was_asked) {
  *static_cast<bool*>(was_asked) = true;
  return -1;
}

caf::error take_key(SSL_CTX* to, const tls_files& files) {
  bool was_asked = false;
  SSL_CTX_set_default_passwd_cb(to, &no_password);
  SSL_CTX_set_default_passwd_cb_userdata(to, &was_asked);
  const bool fits =
    SSL_CTX_use_PrivateKey_file(to, files.key.c_str(), SSL_FILETYPE_PEM) == 1
    && SSL_CTX_check_private_key(to) == 1;
  SSL_CTX_set_default_passwd_cb_userdata(to, nullptr);
  SSL_CTX_set_default_passwd_cb(to, nullptr);
  if (fits)
    return {};
  auto failure = bad_file(files.key + " with " + files.certificate);
  return was_asked ? caf::make_error(ec::bad_setting,
                                     "cannot use " + files.key
                                       + ": it is kept under a password")
                   : failure;
}

caf::error no_memory_for_tls() {
  return caf::make_error(ec::overloaded, std::string{"no memory for TLS"});
}

int some(std::size_t size) {
  return static_cast<int>(
    std::min<std::size_t>(size, std::numeric_limits<int>::max()));
}

} // namespace

caf::expected<std::shared_ptr<tls_context>>
tls_context::of(const tls_files& files, const std::string& ca) {
  // Says what is wrong with the files' names, and whether they can be read.
  auto read = read_tls(files);
  if (!read)
    return read.error();
  if (files.certificate.empty())
    return std::shared_ptr<tls_context>{};
  std::shared_ptr<tls_context> out{new tls_context};
  out->context_ = SSL_CTX_new(TLS_server_method());
  auto* to = context(out->context_);
  if (to == nullptr)
    return caf::make_error(ec::bad_setting, "no TLS: " + last_reason());
  SSL_CTX_set_min_proto_version(to, TLS1_2_VERSION);
  SSL_CTX_set_options(to, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  SSL_CTX_set_mode(to, SSL_MODE_RELEASE_BUFFERS);
  if (SSL_CTX_use_certificate_chain_file(to, files.certificate.c_str()) != 1)
    return bad_file(files.certificate);
  if (auto failure = take_key(to, files))
    return failure;
  if (ca.empty())
    return out;
  if (SSL_CTX_load_verify_locations(to, ca.c_str(), nullptr) != 1)
    return bad_file(ca);
  SSL_CTX_set_verify(to, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT,
                     nullptr);
  return out;
}

tls_context::~tls_context() {
  SSL_CTX_free(context(context_));
}

tls_layer::tls_layer(std::shared_ptr<tls_context> from)
  : context_(std::move(from)) {
  if (context_)
    session_ = SSL_new(context(context_->context_));
  auto* x = ssl_of(session_);
  if (x == nullptr)
    return;
  // They are the session's from now on.
  SSL_set_bio(x, BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
  SSL_set_accept_state(x);
}

tls_layer::~tls_layer() {
  SSL_free(ssl_of(session_));
}

bool tls_layer::usable() const {
  auto* x = ssl_of(session_);
  return x != nullptr && SSL_get_rbio(x) != nullptr
         && SSL_get_wbio(x) != nullptr;
}

caf::error tls_layer::failure(int result) {
  const auto why = SSL_get_error(ssl_of(session_), result);
  closed_ = closed_ || why == SSL_ERROR_ZERO_RETURN;
  if (closed_ || why == SSL_ERROR_WANT_READ || why == SSL_ERROR_WANT_WRITE)
    return {};
  return caf::make_error(ec::malformed, "TLS: " + last_reason());
}

caf::error tls_layer::unpack(std::string_view& from, std::string& to,
                             std::size_t enough) {
  if (!usable())
    return no_memory_for_tls();
  if (closed_) {
    from = {};
    return {};
  }
  auto* x = ssl_of(session_);
  ERR_clear_error();
  if (!from.empty()) {
    const auto taken =
      BIO_write(SSL_get_rbio(x), from.data(), some(from.size()));
    if (taken > 0)
      from.remove_prefix(static_cast<std::size_t>(taken));
  }
  if (!established())
    if (const int result = SSL_do_handshake(x); result != 1)
      return failure(result);
  std::array<char, piece_bytes> piece;
  while (to.size() < enough) {
    const int count = SSL_read(x, piece.data(), some(piece.size()));
    if (count <= 0)
      return failure(count);
    to.append(piece.data(), static_cast<std::size_t>(count));
  }
  return {};
}

caf::error tls_layer::pack(std::string_view from, std::string& to) {
  if (!usable())
    return no_memory_for_tls();
  ERR_clear_error();
  while (!from.empty()) {
    const int count =
      SSL_write(ssl_of(session_), from.data(), some(from.size()));
    if (count <= 0)
      return caf::make_error(ec::malformed, "TLS: " + last_reason());
    from.remove_prefix(static_cast<std::size_t>(count));
  }
  drain(to);
  return {};
}

void tls_layer::drain(std::string& to) {
  if (!usable())
    return;
  auto* out = SSL_get_wbio(ssl_of(session_));
  char* bytes = nullptr;
  const auto count = BIO_get_mem_data(out, &bytes);
  if (count <= 0)
    return;
  to.append(bytes, static_cast<std::size_t>(count));
  BIO_reset(out);
}

void tls_layer::end(std::string& to) {
  if (!established())
    return;
  ERR_clear_error();
  SSL_shutdown(ssl_of(session_));
  drain(to);
}

bool tls_layer::established() const {
  return usable() && SSL_is_init_finished(ssl_of(session_)) == 1;
}

std::string tls_layer::version() const {
  if (!established())
    return {};
  const std::string_view name = SSL_get_version(ssl_of(session_));
  if (!name.starts_with("TLSv"))
    return std::string{name};
  const auto number = name.substr(4);
  return "TLS" + std::string{number}
         + (number.find('.') == number.npos ? ".0" : "");
}

std::string tls_layer::cipher() const {
  if (!established())
    return {};
  const auto* name =
    SSL_CIPHER_standard_name(SSL_get_current_cipher(ssl_of(session_)));
  return name != nullptr ? name : "";
}

std::string tls_layer::common_name() const {
  if (!established())
    return {};
  const std::unique_ptr<X509, decltype(&X509_free)> shown{
    SSL_get1_peer_certificate(ssl_of(session_)), &X509_free};
  std::array<char, 256> text{};
  if (!shown
      || X509_NAME_get_text_by_NID(X509_get_subject_name(shown.get()),
                                   NID_commonName, text.data(), text.size())
           < 0)
    return {};
  return text.data();
}

} // namespace depositd::kit
