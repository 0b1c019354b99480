#pragma once

// A client of the door, one call at a time; every wait ends.

#include "adapters/doors/nsq/frames.hpp"
#include "adapters/doors/nsq/layer.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

struct ssl_st;

namespace depositd::testing {

struct wire_frame {
  nsq::frame_type type = nsq::frame_type::response;
  std::string data;

  friend bool operator==(const wire_frame&, const wire_frame&) = default;
};

struct client_message {
  std::int64_t timestamp_ns = 0;
  std::uint16_t attempts = 0;
  std::string id;
  std::string body;
};

class door_client {
public:
  using ms = std::chrono::milliseconds;
  static constexpr ms patience{20'000};

  /// Connects over the loopback and, unless told not to, says the magic.
  explicit door_client(std::uint16_t port, bool greets = true);
  ~door_client();

  door_client(door_client&& x) noexcept;
  door_client& operator=(door_client&&) = delete;

  void send(const std::string& bytes);

  /// One command line, with its end.
  void say(const std::string& line) {
    send(line + "\n");
  }

  /// A line and a body with its size.
  void say(const std::string& line, const std::string& body);
  void mpub(const std::string& topic, const std::vector<std::string>& bodies);

  /// The next frame but heartbeats; nothing if the server has closed the
  /// connection, or if none comes in time.
  std::optional<wire_frame> next(ms within = patience);

  /// Heartbeats, too.
  std::optional<wire_frame> next_of_all(ms within = patience);

  /// The next frame if it is an answer, else a text that says what came.
  std::string answer();

  /// The next frame if it is an error.
  std::string error();

  std::optional<client_message> message(ms within = patience);

  /// Whether nothing but heartbeats comes.
  bool silent(ms time);

  /// Whether the server ends the connection; what comes before is dropped.
  bool closed(ms within = patience);

  /// IDENTIFY with these members of a JSON object; its answer.
  std::string identify(const std::string& members);

  /// SUB and RDY.
  std::string consume(const std::string& topic, const std::string& channel,
                      int ready);

  /// From here on everything is in TLS. False if that fails.
  bool begin_tls();

  /// The certificate that the door has shown, as bytes.
  std::string shown() const;

  /// From here on everything is in the layer, also what came already.
  void add(std::unique_ptr<nsq::layer> what);

  /// Ends the connection at once.
  void drop();

  int socket() const {
    return socket_;
  }

private:
  bool receive(std::chrono::steady_clock::time_point until);

  int socket_ = -1;
  ssl_st* tls_ = nullptr;
  std::unique_ptr<nsq::layer> layer_;
  std::string plain_;
  bool over_ = false;
};

} // namespace depositd::testing
