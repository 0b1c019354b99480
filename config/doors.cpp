#include "config/doors.hpp"

namespace depositd {

struct doors::parts {
  std::string http = "-";
  std::string admin = "-";
};

doors::doors(std::unique_ptr<parts> x) : parts_(std::move(x)) {
}

doors::~doors() = default;

caf::expected<std::unique_ptr<doors>> doors::open(caf::actor_system&,
                                                  doors_options) {
  return std::unique_ptr<doors>{new doors(std::make_unique<parts>())};
}

const std::string& doors::http_address() const {
  return parts_->http;
}

const std::string& doors::admin_address() const {
  return parts_->admin;
}

void doors::close() {
}

} // namespace depositd
