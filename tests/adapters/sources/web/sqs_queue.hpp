#pragma once

// A queue of the private SQS server, as somebody else sees it.

#include "adapters/sources/web/transport.hpp"
#include "tests/adapters/sources/web/web_sources.hpp"
#include "tests/support/sqs_server.hpp"

#include <nlohmann/json.hpp>

#include <atomic>
#include <cstdint>
#include <string>

namespace depositd::sources {

/// One that nobody else has.
class sqs_queue {
public:
  sqs_queue() : name_(fresh_name()) {
    ask("CreateQueue", {{"QueueName", name_}});
  }

  /// As the server on that port says it.
  std::string url(std::uint16_t port) const {
    return "http://127.0.0.1:" + std::to_string(port) + "/123456789012/"
           + name_;
  }

  std::string url() const {
    return url(shared_sqs().number());
  }

  /// Returns the id.
  std::string send(const std::string& body) {
    return ask("SendMessage", {{"QueueUrl", url()}, {"MessageBody", body}})
      .value("MessageId", "");
  }

  /// What was not deleted, whether anybody has received it or not.
  int left() {
    const auto all = ask("GetQueueAttributes",
                         {{"QueueUrl", url()},
                          {"AttributeNames", nlohmann::json::array({"All"})}});
    int out = 0;
    for (const auto* name : {"ApproximateNumberOfMessages",
                             "ApproximateNumberOfMessagesNotVisible"})
      out += std::stoi(all.at("Attributes").at(name).get<std::string>());
    return out;
  }

private:
  static std::string fresh_name() {
    static std::atomic<int> count = 0;
    return "test-" + std::to_string(++count);
  }

  /// An object that says nothing after a failure of the test.
  nlohmann::json ask(const std::string& action, const nlohmann::json& what) {
    web_question x;
    x.url = shared_sqs().url() + "/";
    x.post = what.dump();
    x.headers = {"Content-Type: application/x-amz-json-1.0",
                 "X-Amz-Target: AmazonSQS." + action};
    x.signer = {"us-east-1", "sqs", "depositd-test", "only/for+tests"};
    const auto out = line_.ask(x, allowance{std::chrono::seconds{60}});
    EXPECT_TRUE(out) << render(out.error());
    EXPECT_EQ(out ? out->status : 0, 200) << (out ? out->body : "");
    return out ? nlohmann::json::parse(out->body, nullptr, false)
               : nlohmann::json::object();
  }

  std::string name_;
  interruption stop_;
  web_line line_{"", stop_};
};

} // namespace depositd::sources
