#include "adapters/shell/passwords.hpp"

#include "messages/values/password_hash.hpp"

#include <sodium.h>

#include <iostream>
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

std::string read_line(std::istream& in) {
  std::string out;
  std::getline(in, out);
  if (!out.empty() && out.back() == '\r')
    out.pop_back();
  return out;
}

std::string ask_unseen(terminal& where, const std::string& prompt) {
  where.err << prompt << std::flush;
  const no_echo guard;
  auto out = read_line(where.in);
  where.err << std::endl;
  return out;
}

} // namespace

caf::expected<std::string> read_secret(terminal& where, const char* what) {
  const std::string name = what;
  auto out = where.reads_from_person ? ask_unseen(where, name + ": ")
                                     : read_line(where.in);
  if (out.empty())
    return refuse("the " + name + " is empty");
  if (out.size() > password_bytes_max)
    return refuse("the " + name + " is longer than 1024 bytes");
  if (where.reads_from_person && ask_unseen(where, "again: ") != out)
    return refuse("the two " + name + "s differ");
  return out;
}

caf::expected<std::string> read_password(terminal& where) {
  return read_secret(where, "password");
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

} // namespace depositd::shell
