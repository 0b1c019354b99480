#include "adapters/shell/secrets.hpp"

#include "messages/values/hex.hpp"
#include "messages/values/next_line.hpp"
#include "messages/values/password_hash.hpp"

#include <sodium.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iostream>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

namespace depositd::shell {

namespace {

caf::error refuse(std::string text) {
  return caf::make_error(ec::invalid_argument, std::move(text));
}

/// Turns the echo of the terminal off while it lives.
class no_echo {
public:
  no_echo() : known_(tcgetattr(STDIN_FILENO, &before_) == 0) {
    if (!known_)
      return;
    auto silent = before_;
    silent.c_lflag &= ~static_cast<tcflag_t>(ECHO);
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent);
  }

  ~no_echo() {
    if (known_)
      tcsetattr(STDIN_FILENO, TCSAFLUSH, &before_);
  }

  no_echo(const no_echo&) = delete;
  no_echo& operator=(const no_echo&) = delete;

private:
  termios before_ = {};
  bool known_;
};

std::string ask_unseen(terminal& where, const std::string& prompt) {
  where.err << prompt << std::flush;
  const no_echo guard;
  auto out = next_line(where.in);
  where.err << std::endl;
  return out;
}

/// `name` is what people call it.
caf::expected<std::string> read_once(terminal& where, const std::string& name) {
  auto out = where.reads_from_person ? ask_unseen(where, name + ": ")
                                     : next_line(where.in);
  if (out.empty())
    return refuse("the " + name + " is empty");
  if (out.size() > password_bytes_max)
    return refuse("the " + name + " is longer than 1024 bytes");
  return out;
}

caf::expected<std::string> read_secret(terminal& where,
                                       const std::string& name) {
  auto out = read_once(where, name);
  if (out && where.reads_from_person && ask_unseen(where, "again: ") != *out)
    return refuse("the two " + name + "s differ");
  return out;
}

std::string to_hex(const std::array<unsigned char, 32>& bytes) {
  return depositd::to_hex(
    {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

} // namespace

caf::expected<std::string> read_password(terminal& where) {
  return read_secret(where, "password");
}

caf::expected<std::string> read_key_text(terminal& where) {
  return read_secret(where, "key");
}

caf::expected<std::string> read_own_password(terminal& where) {
  return read_once(where, "operator's password");
}

caf::expected<operator_token> read_token(const std::string& file) {
  const auto wrong = [&](const std::string& why) {
    return caf::make_error(ec::bad_setting,
                           "--token-file: \"" + file + "\" " + why);
  };
  struct stat facts;
  std::ifstream in{file};
  if (!in || ::stat(file.c_str(), &facts) != 0)
    return wrong("cannot be read");
  if (!S_ISREG(facts.st_mode) || (facts.st_mode & 077) != 0)
    return wrong("must be a file that only its owner can read: chmod 600");
  const auto line = next_line(in);
  const auto colon = line.find(':');
  if (colon == std::string::npos || colon == 0 || colon + 1 == line.size())
    return wrong("must hold one line NAME:PASSWORD");
  return operator_token{line.substr(0, colon), line.substr(colon + 1)};
}

caf::expected<std::string> hash_password(const std::string& password) {
  char out[crypto_pwhash_STRBYTES];
  if (sodium_init() < 0
      || crypto_pwhash_str(out, password.data(), password.size(),
                           password_hash_passes, password_hash_memory_bytes)
           != 0)
    return caf::make_error(ec::overloaded,
                           std::string{"not enough memory for the password"});
  return std::string{out};
}

caf::expected<std::string> make_api_key() {
  if (sodium_init() < 0)
    return caf::make_error(ec::overloaded,
                           std::string{"there is nothing random for a key"});
  std::array<unsigned char, 32> bytes;
  randombytes_buf(bytes.data(), bytes.size());
  return to_hex(bytes);
}

caf::expected<std::string> read_api_key(terminal& where) {
  const auto key = read_secret(where, "key");
  if (!key)
    return key.error();
  if (key->size() < 16)
    return refuse("the key is shorter than 16 characters");
  if (key->size() > 256)
    return refuse("the key is longer than 256 characters");
  if (!std::all_of(key->begin(), key->end(),
                   [](char c) { return c > ' ' && c < '\x7f'; }))
    return refuse("the key has other characters than printable ASCII");
  return *key;
}

std::string digest_of_api_key(const std::string& key) {
  std::array<unsigned char, crypto_hash_sha256_BYTES> out;
  crypto_hash_sha256(
    out.data(), reinterpret_cast<const unsigned char*>(key.data()), key.size());
  return to_hex(out);
}

} // namespace depositd::shell
