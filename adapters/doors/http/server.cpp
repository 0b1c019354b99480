#include "adapters/doors/http/server.hpp"

#include "adapters/doors/http/server_core.hpp"

#include <utility>

namespace depositd::http {

caf::expected<std::unique_ptr<server>> server::start(server_options options,
                                                     router routes) {
  auto core =
    std::make_unique<server_core>(std::move(options), std::move(routes));
  if (auto error = core->start())
    return error;
  return std::unique_ptr<server>{new server{std::move(core)}};
}

server::server(std::unique_ptr<server_core> core) : core_(std::move(core)) {
  // nop
}

server::~server() = default;

std::uint16_t server::port() const noexcept {
  return core_->where().port;
}

const std::string& server::address() const noexcept {
  return core_->where().address;
}

server_numbers server::numbers() const noexcept {
  return core_->numbers();
}

void server::stop(std::chrono::milliseconds within) {
  core_->stop(within);
}

} // namespace depositd::http
