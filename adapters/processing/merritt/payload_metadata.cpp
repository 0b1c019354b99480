#include "adapters/processing/merritt/payload_metadata.hpp"

#include "adapters/processing/merritt/contents.hpp"
#include "adapters/stores/files/file.hpp"
#include "messages/values/time_text.hpp"

#include <algorithm>

namespace depositd::merritt {

namespace {

namespace fs = std::filesystem;

/// Bytes of a file at the payload's top, nothing if it has none.
caf::expected<std::optional<std::string>>
read_top(const job_folder& folder, const char* name, std::size_t bytes_max) {
  const auto path = folder.producer() / name;
  const auto type = look_at(path);
  if (!type)
    return type.error();
  if (*type != fs::file_type::regular)
    return std::optional<std::string>{};
  if (fs::file_size(path) > bytes_max)
    return caf::make_error(ec::too_large, "the file has more than "
                                            + std::to_string(bytes_max)
                                            + " bytes");
  auto bytes = read_file(path);
  if (!bytes)
    return std::move(bytes.error());
  return std::optional{std::move(*bytes)};
}

/// Reads the file if it is there; how the stage ends if it cannot be read.
template <class T, class Read>
std::optional<outcome> take(const job_folder& folder, const char* name, T& to,
                            Read read) {
  const auto text = read_top(folder, name, metadata_bytes_max);
  if (!text)
    return ended(text.error(), verdict::rejected, name);
  if (!*text)
    return std::nullopt;
  auto found = read(**text);
  if (!found)
    return ended(found.error(), verdict::rejected, name);
  to = std::move(*found);
  return std::nullopt;
}

std::optional<outcome> check_container(const work_on_job& x) {
  if (x.job.type != job_type::container)
    return std::nullopt;
  constexpr const char* name = "mrt-manifest.txt";
  const auto text = read_top(x.folder, name, manifest_bytes_max);
  if (!text)
    return ended(text.error(), verdict::rejected, name);
  if (!*text)
    return std::nullopt;
  const auto listed = read_manifest(**text, manifest_kind::contents);
  if (listed.fault)
    return ended(verdict::rejected,
                 std::string{name} + ": " + render(*listed.fault));
  if (auto failure = check_contents(listed.found, x.folder.producer()))
    return ended(failure, verdict::rejected, name);
  return std::nullopt;
}

std::string values_of(const dublin_core& from, std::string_view element) {
  std::string out;
  for (const auto& [name, value] : from)
    if (name == element)
      out += (out.empty() ? "" : "; ") + value;
  return out;
}

void fill(std::string& to, const std::string& from) {
  if (to.empty())
    to = from;
}

/// The form's own kernel, as if it were a file.
caf::expected<kernel_metadata> kernel_of_form(const job_document& job) {
  std::string text;
  for (const auto& [name, value] : job.erc) {
    auto line = name + ": " + value;
    std::replace_if(
      line.begin(), line.end(),
      [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
    text += line + "\n";
  }
  return read_erc(text);
}

std::optional<outcome> take_identifier(description& to, std::string found,
                                       const char* where) {
  if (found.empty())
    return std::nullopt;
  if (!legal_ark(found))
    return ended(verdict::rejected,
                 std::string{where} + ": " + in_quotes(found) + " is no ARK");
  found = kept_identifier(std::move(found));
  if (!to.identifier.empty() && to.identifier != found)
    return ended(verdict::rejected,
                 std::string{where} + " says that the identifier is " + found
                   + ", though it was submitted as " + to.identifier);
  to.identifier = std::move(found);
  return std::nullopt;
}

std::optional<outcome> add_kernel(description& to, const kernel_metadata& from,
                                  const char* where) {
  fill(to.creator, from.who);
  fill(to.title, from.what);
  fill(to.date, from.when);
  to.local_ids = merge_local_ids(std::move(to.local_ids), from.local_ids);
  return take_identifier(to, from.primary_identifier, where);
}

} // namespace

std::variant<payload_metadata, outcome>
read_payload_metadata(const work_on_job& x) {
  if (auto ending = check_container(x))
    return std::move(*ending);
  payload_metadata out;
  if (auto ending = take(x.folder, "mrt-erc.txt", out.erc, read_erc))
    return std::move(*ending);
  if (auto ending = take(x.folder, "mrt-dc.xml", out.dc, read_dublin_core))
    return std::move(*ending);
  if (auto ending = take(x.folder, "mrt-embargo.txt", out.until, read_embargo))
    return std::move(*ending);
  std::vector<std::string> deleted;
  if (x.job.update)
    if (auto ending =
          take(x.folder, "mrt-delete.txt", deleted, read_delete_list))
      return std::move(*ending);
  return out;
}

std::optional<outcome> describe_job(job_document& job,
                                    const payload_metadata& found) {
  auto& to = job.what;
  if (auto ending = take_identifier(
        to, std::exchange(to.identifier, std::string{}), "the submission"))
    return ending;
  to.local_ids = merge_local_ids({}, to.local_ids);
  const auto of_form = kernel_of_form(job);
  if (!of_form)
    return ended(of_form.error(), verdict::rejected, "erc");
  if (auto ending = add_kernel(to, *of_form, "the form's erc"))
    return ending;
  if (auto ending = add_kernel(to, found.erc, "mrt-erc.txt"))
    return ending;
  if (auto fault = local_ids_fault(to.local_ids); !fault.empty())
    return ended(verdict::rejected, std::move(fault));
  fill(to.creator, values_of(found.dc, "creator"));
  fill(to.title, values_of(found.dc, "title"));
  fill(to.date, values_of(found.dc, "date"));
  if (found.until.none)
    job.more.erase(left_by_process::embargo_until);
  else
    job.more[left_by_process::embargo_until] = format_utc(found.until.until_us);
  return std::nullopt;
}

} // namespace depositd::merritt
