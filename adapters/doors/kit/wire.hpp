#pragma once

// One client's socket, and the layers between it and what is said. In its
// loop's thread.

#include "adapters/doors/kit/layer.hpp"
#include "adapters/doors/kit/tls_layer.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace depositd::kit {

class wire {
public:
  /// The socket is closed with it. Of memory that was needed at some time
  /// `kept_bytes_max` are kept for each way.
  explicit wire(int socket, std::size_t kept_bytes_max = 256 * 1024)
    : socket_(socket), kept_bytes_max_(kept_bytes_max) {
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

  /// What has been said and not been consumed; empty if there are none,
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

  /// The same, and of `more` as much as goes over with them: so many bytes are
  /// taken. Without layers they are not copied. Nothing left unsent before.
  std::optional<std::size_t> flush_with(std::string_view more);

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

  /// Says that nothing more comes, in the way that TLS has for it.
  void end_tls();

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

  void forget(std::string& buffer) const;

  int socket_;
  std::size_t kept_bytes_max_;
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

} // namespace depositd::kit
