#pragma once

// The ways in and out of the shell, so that tests can stand in for people.

#include <iosfwd>

#include <functional>
#include <string>

namespace depositd::shell {

struct terminal {
  std::istream& in;
  std::ostream& out;
  std::ostream& err;
  bool reads_from_person = false; ///< may ask back and read passwords unseen
  bool draws = false;             ///< `err` is a terminal: bars that move
  bool shows = false;             ///< `out` is one: nothing may steer it
  /// Whether somebody wants the current command to stop (Ctrl-C).
  std::function<bool()> stopped = [] { return false; };
  /// Whether who reads `out` has gone, and wants no more.
  std::function<bool()> unread = [] { return false; };
  /// Waits so many seconds or until `stopped`.
  std::function<void(unsigned)> pause = [](unsigned) {};
};

/// Standard input, output and error.
terminal standard_terminal();

/// From now on Ctrl-C only makes `stop_wanted` true, until `forget_stop`, and
/// writing to who is gone is an error.
void catch_stop();
bool stop_wanted();
void forget_stop();

/// Asks a yes or no question; anything but yes is no.
bool confirmed(terminal& where, const std::string& question);

} // namespace depositd::shell
