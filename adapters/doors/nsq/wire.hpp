#pragma once

// One client's socket, and the layers between it and the commands. In its
// loop's thread.

#include "adapters/doors/nsq/tls_layer.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace depositd::nsq {

class wire {
public:
  /// The socket is closed with it.
  explicit wire(int socket) : socket_(socket) {
    // nop
  }

  ~wire();

  wire(const wire&) = delete;
  wire& operator=(const wire&) = delete;

  int socket() const {
    return socket_;
  }

  // -- in

  /// Takes what has come, once. False if the other side says no more.
  bool receive();

  /// Whether it does not listen either.
  bool lost() const {
    return lost_;
  }

  /// Bytes of commands that have not been consumed; empty if there are none,
  /// or none can be had any more (`failure`).
  std::string_view input();
  void consumed(std::size_t bytes);

  /// Why nothing more can be read.
  const caf::error& failure() const {
    return failure_;
  }

  /// Nothing more comes, for whatever reason; what has come may still have to
  /// be consumed.
  bool over() const {
    return failure_ || (tls_ != nullptr && tls_->closed());
  }

  // -- out

  /// Where whole frames are appended; nothing leaves before `flush`.
  std::string& frames() {
    return frames_;
  }

  /// Bytes of frames that wait.
  std::size_t waiting() const {
    return frames_.size();
  }

  /// Whether nothing is left of what `input` has given.
  bool is_read_up() const {
    return plain_used_ == plain_.size();
  }

  /// Sends all frames, as far as the socket takes them. False if the other
  /// side is gone.
  bool flush();

  /// Goes on with what the socket has not taken.
  bool write();

  /// Bytes that the socket has not taken.
  std::size_t unsent() const {
    return packed_.size() - sent_;
  }

  /// Those, and frames that wait.
  std::size_t backlog() const {
    return unsent() + frames_.size();
  }

  // -- layers

  /// From here on bytes pass through it; all frames must have been flushed.
  void add(std::unique_ptr<layer> what);
  void add_tls(std::shared_ptr<tls_context> with);

  /// Null without TLS.
  const tls_layer* tls() const {
    return tls_;
  }

private:
  struct stage {
    std::unique_ptr<layer> what;
    std::string input; ///< not unpacked yet
    bool failed = false;
  };

  void unpack();
  bool pack();

  int socket_;
  std::vector<stage> stages_; ///< from the socket inwards
  tls_layer* tls_ = nullptr;
  std::string plain_; ///< unpacked
  std::size_t plain_used_ = 0;
  std::string frames_;
  std::string packed_; ///< as the socket takes it
  std::size_t sent_ = 0;
  caf::error failure_;
  bool lost_ = false;
};

} // namespace depositd::nsq
