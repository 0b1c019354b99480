#pragma once

// Files that are exchanged while a door uses them: certificates and their keys.

#include "adapters/doors/kit/certificate_life.hpp"
#include "messages/values/errors.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace depositd::kit {

/// A text that changes with any of the files; cheap.
std::string look_of(const std::vector<std::string>& files);

/// Has a door read its files again, and says in the log what became of it, and
/// when the certificate that it has is to be renewed. One thread.
class watched_files {
public:
  /// Reads the files and takes them, or says what is wrong with them; then the
  /// door keeps what it has.
  using take_function = std::function<caf::error()>;

  /// `name` begins the lines of the log: "http" logs
  /// `http_certificate_taken`. The first file is the certificate, and in use.
  /// Those that are empty are none.
  watched_files(std::string name, std::vector<std::string> files,
                take_function take);

  /// Reads them again if one has changed since they were read last, and looks
  /// how old the certificate is.
  void look();

  /// Reads them again.
  void read();

  /// Of the certificate in use.
  std::shared_ptr<const certificate_life> life() const {
    return life_;
  }

private:
  std::string name_;
  std::vector<std::string> files_;
  take_function take_;
  std::shared_ptr<certificate_life> life_; ///< not null
  std::string seen_; ///< as they were when they were read last
};

} // namespace depositd::kit
