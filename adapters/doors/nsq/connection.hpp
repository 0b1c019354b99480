#pragma once

// One client, from its arrival to its end. In its thread's loop; it goes when
// the thread forgets it.

#include "adapters/doors/kit/wire.hpp"
#include "adapters/doors/nsq/answers.hpp"
#include "adapters/doors/nsq/commands.hpp"
#include "adapters/doors/nsq/consumer.hpp"
#include "adapters/doors/nsq/identify.hpp"
#include "adapters/doors/nsq/login.hpp"
#include "adapters/doors/nsq/parts.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>

namespace depositd::nsq {

class connection : public std::enable_shared_from_this<connection>,
                   private consumer_host {
public:
  using time = kit::loop::time;

  connection(io_thread& where, int socket, const std::string& peer,
             std::uint16_t peer_port, std::uint64_t place);

  /// Begins to listen to the client. Once, after it is the thread's.
  void start();

  /// Serves what has come and sends what is there.
  void end_of_look();

  /// No more messages go to it, and it ends when all that it is owed is sent.
  void drain();

  /// At once; must come before it goes.
  void end();

  /// A part of what it has published is durable, or is not, or there is no
  /// answer in time.
  void published(const publish_answer& x, const caf::error& why);

  bool ended() const {
    return ended_;
  }

private:
  // -- connection.cpp: its socket and its times
  void ready();
  void pump();
  bool read_magic(std::string_view& from);
  bool greets() const;
  bool may_go_on() const;
  bool may_read() const;
  bool owes_much() const;
  bool may_serve() const;
  void go_on_with_slowed();
  void go_on_with_waiting();
  void receive();
  void lose() {
    gone_ = lost_line_ = true;
  }
  bool owes() const;
  bool is_done();
  bool may_send_later() const;
  void send();
  void watch();
  void arm();
  void timer_due(time at);
  void look_at_time(time now);
  std::optional<time> next_time() const;
  void mark();
  void end_with(std::string text);
  time now() const;
  std::chrono::milliseconds silence_max() const;

  // -- serving.cpp: commands
  void execute(command what);
  void run(command what);
  void answer(std::string_view text);
  void refuse(const refusal& why);
  void turn_away(const refusal& why);
  void send_answers();
  void fail(verb what, std::string_view why);
  /// Counts the memory of the body that is being read, or waits for its user's
  /// quota; refuses its command if there is no room for it.
  void hold_what_is_read();
  void identify_client(const command& what);
  void go_on_upgrading();
  void begin_upgrade();
  void publish_messages(command what);
  const std::string& user_of_messages();
  /// Whether it may do that now. If not, it has been refused, or the command
  /// runs again when the server has been asked.
  bool permitted(const command& what);

  // -- entering.cpp: AUTH and SUB, which take a while
  void authenticate(const command& what);
  void ask_server(const std::string& secret,
                  std::function<void(const refusal*)> then);
  void entered();
  void subscribe(const command& what);
  void join_channel();
  void join_again(const std::string& why);
  void open_channel();
  void attach_to(const queue_port_actor& queue);
  void begin_consuming(consumer_options how);

  /// Whether it is attached to the channel that there is now.
  void make_sure_of(const queue_port_actor& queue);
  void subscribed();
  /// The port of what was joined is no more.
  void lose_channel(std::uint32_t join);
  void fail_subscribing(const std::string& why);

  /// Asks an actor; `then` runs in this thread, with null and the reason if
  /// there is no such answer, and not at all once the connection has ended.
  template <class Answer, class Actor, class Message>
  void ask(const Actor& whom, Message what,
           std::function<void(Answer*, const caf::error&)> then);

  // -- consumer_host
  void send_message(const wire_message& what) override;

  std::size_t backlog() const override {
    return wire_.backlog();
  }

  answer_queue& answers() override {
    return answers_;
  }

  io_thread& thread_;
  door_core& core_;
  kit::wire wire_;
  const std::string address_; ///< numeric, without the port
  const std::uint64_t place_; ///< in the entrance
  std::shared_ptr<client_record> record_;
  terms terms_;
  command_reader reader_;
  login login_;
  answer_queue answers_;
  std::unique_ptr<consumer> consumer_;
  std::string user_;  ///< of what it publishes; empty: not known yet
  std::string topic_; ///< that it consumes, or is about to
  std::string channel_;
  std::string magic_; ///< as much of it as has come

  std::optional<command> waiting_;    ///< until all answers before it are sent
  std::optional<command> slowed_;     ///< until its user may send more
  std::optional<negotiated> upgrade_; ///< layers that are still to come
  std::uint32_t joins_ = 0;           ///< tries of its SUB
  std::uint64_t pending_bytes_ = 0;   ///< published and not answered
  std::uint64_t slowed_bytes_ = 0;    ///< that `slowed_` takes
  std::uint64_t reading_bytes_ = 0;   ///< held for it and what is being read
  bool packs_ = false;                ///< it has, or gets, a layer that packs
  bool busy_ = false;                 ///< with a command that takes a while
  bool closing_ = false;              ///< ends when everything is sent
  bool gone_ = false;                 ///< the other side says no more ...
  bool lost_line_ = false;            ///< ... and hears nothing
  bool stopped_ = false;              ///< by CLS
  bool counted_ = false;              ///< among the channel's consumers
  bool noted_ = false;                ///< the shard knows of the consumer
  bool joined_ = false;               ///< SUB is answered
  bool lost_ = false;                 ///< before that, the port was
  bool urgent_ = false;               ///< something is to go out at once
  bool more_ = false; ///< to be read, after others had their turn
  bool marked_ = false;
  bool ended_ = false;
  std::optional<kit::interest> watched_;

  time heard_;                     ///< since then nothing was said
  time beat_;                      ///< when the next heartbeat is due
  time slow_until_ = time::min();  ///< when `slowed_` is tried again
  time gone_until_ = time::max();  ///< what has come is served until then
  time stuck_until_ = time::max(); ///< then it must have taken something
  time send_at_ = time::max();     ///< when what waits goes out
  std::set<time> armed_;
};

} // namespace depositd::nsq
