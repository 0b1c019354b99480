#pragma once

#include <string>

namespace depositd::testing {

/// A multipart body under construction.
class form_text {
public:
  form_text& field(const std::string& name, const std::string& value) {
    return part("name=\"" + name + "\"", value, "");
  }

  form_text& file(const std::string& name, const std::string& file_name,
                  const std::string& bytes,
                  const std::string& type = "application/octet-stream") {
    return part("name=\"" + name + "\"; filename=\"" + file_name + "\"", bytes,
                type);
  }

  form_text& part(const std::string& disposition, const std::string& bytes,
                  const std::string& type) {
    body_ +=
      "--xYzZY\r\nContent-Disposition: form-data; " + disposition + "\r\n";
    if (!type.empty())
      body_ += "Content-Type: " + type + "\r\n";
    body_ += "\r\n" + bytes + "\r\n";
    return *this;
  }

  std::string open() const {
    return body_;
  }

  std::string closed() const {
    return body_ + "--xYzZY--\r\n";
  }

private:
  std::string body_;
};

} // namespace depositd::testing
