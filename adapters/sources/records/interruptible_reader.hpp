#pragma once

// What readers have in common whose thread may wait.

#include "adapters/sources/records/interruption.hpp"
#include "messages/ports/source_reader.hpp"

namespace depositd::sources {

class interruptible_reader : public source_reader {
public:
  void cancel() noexcept final {
    interruption_.cancel();
  }

  /// Most have nothing to forget there.
  caf::error applied(const std::vector<std::string>&) override {
    return {};
  }

protected:
  interruption interruption_;
};

} // namespace depositd::sources
