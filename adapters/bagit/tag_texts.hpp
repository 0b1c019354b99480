#pragma once

// Reads the texts of tag files while the bag goes by.

#include "adapters/bagit/facts.hpp"
#include "adapters/bagit/lines.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace depositd::bagit {

class tag_texts {
public:
  tag_texts(bag_facts& facts, const bag_limits& limits);

  /// A file begins that is not payload. Manifests and fetch.txt that come
  /// before bagit.txt cannot be understood yet: they are marked `deferred`,
  /// and have to come again.
  void begin(const bag_file& x, file_index index);

  void add(std::string_view bytes);

  void end();

  /// All is read: what was kept becomes tags.
  void finish();

private:
  enum class doing : std::uint8_t { nothing, keeping, lines };

  void begin_lines();
  void keep(std::string_view bytes);
  void declare(std::string_view text);
  void take_line(std::string_view line, std::uint64_t number);
  void take_listed(std::string_view line, const std::string& where);
  void take_fetched(std::string_view line, const std::string& where);
  void warn_of_marks(const manifest_line& x, const std::string& where);
  void read_tags(const std::string& path, std::string_view text);

  bag_facts& facts_;
  const bag_limits& limits_;
  doing doing_ = doing::nothing;
  std::string path_;
  file_kind kind_ = file_kind::tag_file;
  std::optional<digest_algorithm> algorithm_;
  std::optional<line_decoder> lines_;
  std::string text_;
  std::size_t kept_bytes_ = 0; ///< of all texts
  bool dotted_ = false;        ///< one warning for each manifest is enough
  bool binary_ = false;
};

} // namespace depositd::bagit
