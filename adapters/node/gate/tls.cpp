#include "adapters/node/gate/tls.hpp"

#include "messages/values/hex.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>
#include <utility>

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <sys/stat.h>

namespace depositd::gate {

namespace {

/// Whoever does not know TLS begins with what the library takes for a version
/// of it.
bool is_no_tls(unsigned long code) {
  return ERR_GET_LIB(code) == ERR_LIB_SSL
         && (ERR_GET_REASON(code) == SSL_R_WRONG_VERSION_NUMBER
             || ERR_GET_REASON(code) == SSL_R_HTTP_REQUEST);
}

/// The newest error of this thread in a few words; forgets all of them.
std::string last_error() {
  const auto code = ERR_peek_last_error();
  ERR_clear_error();
  if (is_no_tls(code))
    return speaks_no_tls;
  const char* text = code ? ERR_reason_error_string(code) : nullptr;
  return text ? text : "";
}

caf::error wrong(const std::string& file, const std::string& why) {
  ERR_clear_error();
  return caf::make_error(ec::bad_setting, file + ": " + why);
}

bool read_file(const std::string& name, std::string& out) {
  std::ifstream in{name, std::ios::binary};
  std::stringstream all;
  if (!in || !(all << in.rdbuf()))
    return false;
  out = all.str();
  return true;
}

using bio_ptr = std::unique_ptr<BIO, decltype(&BIO_free)>;
using x509_ptr = std::unique_ptr<X509, decltype(&X509_free)>;
using key_ptr = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;

bio_ptr reader_of(const std::string& text) {
  return {BIO_new_mem_buf(text.data(), static_cast<int>(text.size())),
          BIO_free};
}

x509_ptr next_certificate(BIO* from) {
  return {PEM_read_bio_X509(from, nullptr, nullptr, nullptr), X509_free};
}

/// After the last certificate there is nothing; after a torn one there is an
/// error that says so.
bool ended_well() {
  const auto code = ERR_peek_last_error();
  const bool out = ERR_GET_LIB(code) == ERR_LIB_PEM
                   && ERR_GET_REASON(code) == PEM_R_NO_START_LINE;
  ERR_clear_error();
  return out;
}

caf::error take_certificate(SSL_CTX* to, const std::string& file) {
  std::string text;
  if (!read_file(file, text))
    return wrong(file, "cannot be read");
  const auto in = reader_of(text);
  auto own = next_certificate(in.get());
  if (!own || SSL_CTX_use_certificate(to, own.get()) != 1)
    return wrong(file, "holds no certificate in PEM form");
  while (auto link = next_certificate(in.get()))
    if (SSL_CTX_add1_chain_cert(to, link.get()) != 1)
      return wrong(file, "its chain cannot be used");
  if (!ended_well())
    return wrong(file, "is not complete");
  return {};
}

caf::error take_key(SSL_CTX* to, const std::string& file,
                    const std::string& certificate) {
  std::string text;
  if (!read_file(file, text))
    return wrong(file, "cannot be read");
  const auto in = reader_of(text);
  // Nobody is there to be asked for a password.
  const auto none = [](char*, int, int, void*) { return -1; };
  const key_ptr key{PEM_read_bio_PrivateKey(in.get(), nullptr, none, nullptr),
                    EVP_PKEY_free};
  if (!key)
    return wrong(file, "holds no private key in PEM form without a password");
  const auto* own = SSL_CTX_get0_certificate(to);
  if (X509_check_private_key(own, key.get()) != 1
      || SSL_CTX_use_PrivateKey(to, key.get()) != 1)
    return wrong(file, "is not the key of " + certificate);
  return {};
}

caf::error take_ca(SSL_CTX* to, const std::string& file) {
  std::string text;
  if (!read_file(file, text))
    return wrong(file, "cannot be read");
  const auto in = reader_of(text);
  int count = 0;
  while (auto one = next_certificate(in.get())) {
    if (X509_STORE_add_cert(SSL_CTX_get_cert_store(to), one.get()) != 1
        || SSL_CTX_add_client_CA(to, one.get()) != 1)
      return wrong(file, "cannot be used: " + last_error());
    ++count;
  }
  if (count == 0)
    return wrong(file, "holds no certificate in PEM form");
  if (!ended_well())
    return wrong(file, "is not complete");
  return {};
}

void configure(SSL_CTX* x) {
  SSL_CTX_set_min_proto_version(x, TLS1_2_VERSION);
  SSL_CTX_set_cipher_list(x, "HIGH:!aNULL:!MD5");
  // Messages say how long they are: nobody gains by cutting one short.
  SSL_CTX_set_options(x, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION
                           | SSL_OP_IGNORE_UNEXPECTED_EOF);
  SSL_CTX_set_mode(x, SSL_MODE_ENABLE_PARTIAL_WRITE
                        | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER
                        | SSL_MODE_RELEASE_BUFFERS);
  // Who is there is proven anew by each connection.
  SSL_CTX_set_session_cache_mode(x, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_options(x, SSL_OP_NO_TICKET);
  SSL_CTX_set_num_tickets(x, 0);
  SSL_CTX_set_verify(x, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT,
                     nullptr);
}

/// Empty if there is none, or if it is not clear which.
std::string common_name(const X509* of) {
  const auto* subject = X509_get_subject_name(of);
  const int first = X509_NAME_get_index_by_NID(subject, NID_commonName, -1);
  if (first < 0
      || X509_NAME_get_index_by_NID(subject, NID_commonName, first) >= 0)
    return {};
  std::array<char, 256> text{};
  const auto size = X509_NAME_get_text_by_NID(subject, NID_commonName,
                                              text.data(), text.size());
  // A name with a zero byte in it is not what it looks like.
  return size > 0 && std::strlen(text.data()) == static_cast<size_t>(size)
           ? text.data()
           : "";
}

/// Without a fingerprint if it has no digest.
certificate_facts facts_of(const X509* of) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  if (X509_digest(of, EVP_sha256(), digest.data(), &size) != 1)
    return {};
  certificate_facts out{common_name(of), {}};
  for (unsigned i = 0; i < size; ++i)
    append_hex(out.fingerprint, static_cast<char>(digest[i]));
  return out;
}

} // namespace

caf::expected<tls_context> load_tls(const tls_files& from) {
  ERR_clear_error();
  tls_context out{SSL_CTX_new(TLS_method()), SSL_CTX_free};
  if (!out)
    return caf::make_error(ec::bad_setting,
                           "TLS cannot be used: " + last_error());
  configure(out.get());
  if (auto why = take_certificate(out.get(), from.certificate))
    return why;
  if (auto why = take_key(out.get(), from.key, from.certificate))
    return why;
  if (auto why = take_ca(out.get(), from.ca))
    return why;
  return out;
}

certificate_facts own_facts(const tls_context& of) {
  return facts_of(SSL_CTX_get0_certificate(of.get()));
}

std::string look_of(const tls_files& from) {
  std::string out;
  for (const auto* file : {&from.certificate, &from.key, &from.ca}) {
    struct stat x {};
    if (::stat(file->c_str(), &x) != 0) {
      out += "gone ";
      continue;
    }
    for (const auto part :
         {static_cast<long>(x.st_ino), static_cast<long>(x.st_size),
          static_cast<long>(x.st_mtim.tv_sec),
          static_cast<long>(x.st_mtim.tv_nsec)})
      out += std::to_string(part) + " ";
  }
  return out;
}

void tls_session::ssl_deleter::operator()(SSL* x) const {
  SSL_free(x);
}

tls_session::tls_session(tls_context context, int socket, tls_side side)
  : context_(std::move(context)), ssl_(SSL_new(context_.get())) {
  if (!ssl_ || SSL_set_fd(ssl_.get(), socket) != 1) {
    reason_ = "out of memory";
    ssl_ = nullptr;
  } else if (side == tls_side::accepting) {
    SSL_set_accept_state(ssl_.get());
  } else {
    SSL_set_connect_state(ssl_.get());
  }
  ERR_clear_error();
}

tls_state tls_session::result_of(int code) {
  switch (SSL_get_error(ssl_.get(), code)) {
    case SSL_ERROR_WANT_READ:
      return tls_state::more_to_read;
    case SSL_ERROR_WANT_WRITE:
      return tls_state::more_to_write;
    case SSL_ERROR_ZERO_RETURN:
      return tls_state::failed;
    case SSL_ERROR_SYSCALL:
      if (errno != 0 && errno != ECONNRESET && errno != EPIPE)
        reason_ = std::strerror(errno);
      break;
    default: {
      reason_ = last_error();
      const auto verified = SSL_get_verify_result(ssl_.get());
      if (verified != X509_V_OK)
        reason_ +=
          std::string{" ("} + X509_verify_cert_error_string(verified) + ")";
    }
  }
  ERR_clear_error();
  return tls_state::failed;
}

tls_state tls_session::handshake() {
  if (ready_)
    return tls_state::done;
  if (!ssl_)
    return tls_state::failed;
  errno = 0;
  const int code = SSL_do_handshake(ssl_.get());
  if (code != 1)
    return result_of(code);
  ready_ = true;
  return tls_state::done;
}

tls_state tls_session::read(void* to, std::size_t max, std::size_t& size) {
  size = 0;
  errno = 0;
  const int code = SSL_read_ex(ssl_.get(), to, max, &size);
  return code == 1 ? tls_state::done : result_of(code);
}

tls_state tls_session::write(const void* from, std::size_t max,
                             std::size_t& size) {
  size = 0;
  errno = 0;
  const int code = SSL_write_ex(ssl_.get(), from, max, &size);
  return code == 1 ? tls_state::done : result_of(code);
}

std::size_t tls_session::pending() const {
  return ssl_ ? static_cast<std::size_t>(SSL_pending(ssl_.get())) : 0;
}

certificate_facts tls_session::other_end() const {
  const auto* of = ssl_ ? SSL_get0_peer_certificate(ssl_.get()) : nullptr;
  if (!of || SSL_get_verify_result(ssl_.get()) != X509_V_OK)
    return {};
  return facts_of(of);
}

} // namespace depositd::gate
