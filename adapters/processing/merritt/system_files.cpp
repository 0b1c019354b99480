#include "adapters/processing/merritt/system_files.hpp"

#include "adapters/processing/merritt/arrivals.hpp"
#include "adapters/processing/merritt/file_digests.hpp"
#include "adapters/processing/merritt/manifest.hpp"
#include "adapters/stores/files/file.hpp"
#include "messages/values/hex.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <mutex>

namespace depositd::merritt {

namespace {

namespace fs = std::filesystem;

/// The list itself is left out.
constexpr std::array<const char*, 6> system_names = {
  "mrt-dc.xml",         "mrt-erc.txt", "mrt-ingest.txt",
  "mrt-membership.txt", "mrt-mom.txt", "mrt-owner.txt"};

/// A line of a file of names and values; none without a value.
std::string line(const char* name, std::string value) {
  if (value.empty())
    return {};
  std::replace_if(
    value.begin(), value.end(),
    [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
  return std::string{name} + ": " + value + "\n";
}

std::string ingest_text(const job_document& job) {
  return line("ingest", "mrt-ingest-1.0mutable")
         + line("submissionDate", job.submitted) + line("batch", job.batch_uuid)
         + line("job", job.uuid) + line("userAgent", job.user)
         + line("file", job.payload.file_name) + line("type", word(job.type))
         + line("note", job.note) + line("resourceType", job.resource_type);
}

std::string object_model_text(const job_document& job) {
  auto out = line("primaryIdentifier", job.what.identifier)
             + line("type", "MRT-curatorial") + line("role", "MRT-content")
             + line("aggregate", "MRT-none");
  for (const auto& id : job.what.local_ids)
    out += line("localIdentifier", id);
  return out;
}

void add(dublin_core& to, const std::string& name, const std::string& value) {
  const std::pair one{name, value};
  if (!value.empty() && std::find(to.begin(), to.end(), one) == to.end())
    to.push_back(one);
}

/// What the payload says, then the form, then what is known besides.
dublin_core dublin_core_of(const job_document& job, dublin_core out) {
  for (const auto& [name, value] : job.dublin_core)
    add(out, name, value);
  add(out, "identifier", job.what.identifier);
  for (const auto& id : job.what.local_ids)
    add(out, "identifier", id);
  const auto has = [&](const char* name) {
    return std::any_of(out.begin(), out.end(),
                       [&](const auto& x) { return x.first == name; });
  };
  if (!has("title"))
    add(out, "title", job.what.title);
  if (!has("creator"))
    add(out, "creator", job.what.creator);
  if (!has("date"))
    add(out, "date", job.what.date);
  return out;
}

/// A relative reference, every byte of which comes back.
std::string path_reference(std::string_view path) {
  std::string out;
  for (const char c : path) {
    const bool plain =
      (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')
      || std::string_view{"-._~/"}.find(c) != std::string_view::npos;
    if (plain) {
      out += c;
    } else {
      out += '%';
      append_hex(out, c);
    }
  }
  return out;
}

/// As the rows of the submitted manifest say, by name.
caf::expected<std::map<std::string, std::string>>
mime_types_of(const work_on_job& x) {
  std::map<std::string, std::string> out;
  if (x.job.type != job_type::manifest)
    return out;
  const auto text = read_file(x.folder.submitted_manifest());
  if (!text && text.error() == ec::not_found)
    return out;
  if (!text)
    return text.error();
  for (auto& row : read_manifest(*text, manifest_kind::object).found.rows)
    if (!row.mime_type.empty())
      out[row.file_name] = std::move(row.mime_type);
  return out;
}

/// Paths inside the object, in order.
caf::expected<std::vector<manifest_row>> find_rows(const work_on_job& x) {
  const auto types = mime_types_of(x);
  if (!types)
    return types.error();
  std::vector<manifest_row> out;
  const auto folder = x.folder.producer();
  std::error_code code;
  for (fs::recursive_directory_iterator at{folder, code}, end;
       !code && at != end; at.increment(code)) {
    if (!at->is_regular_file() || at->is_symlink())
      continue;
    const auto name = at->path().lexically_relative(folder).string();
    manifest_row row;
    row.file_name = "producer/" + name;
    if (const auto type = types->find(name); type != types->end())
      row.mime_type = type->second;
    out.push_back(std::move(row));
  }
  if (code)
    return file_failed("list", folder, code.value());
  for (const auto* name : system_names) {
    manifest_row row;
    row.file_name = std::string{"system/"} + name;
    out.push_back(std::move(row));
  }
  std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) {
    return a.file_name < b.file_name;
  });
  return out;
}

caf::error digest_rows(const job_folder& folder,
                       std::vector<manifest_row>& rows) {
  std::mutex mutex;
  caf::error failure;
  each_row(rows.size(), row_threads, [&](std::size_t i) {
    auto& row = rows[i];
    auto found =
      digest_file(folder.root / row.file_name, digest_algorithm::sha256);
    if (!found) {
      const std::lock_guard guard{mutex};
      failure = std::move(found.error());
      return false;
    }
    row.url = path_reference(row.file_name);
    row.expected = std::move(found->sum);
    row.size = found->bytes;
    return true;
  });
  return failure;
}

} // namespace

caf::error write_system_files(const work_on_job& x,
                              const payload_metadata& found) {
  if (auto failure = make_folders(system_disk(), x.folder.system()))
    return failure;
  const auto& job = x.job;
  const std::array<std::string, system_names.size()> texts = {
    write_dublin_core(dublin_core_of(job, found.dc)),
    write_erc({.who = job.what.creator,
               .what = job.what.title,
               .when = job.what.date,
               .primary_identifier = job.what.identifier,
               .local_ids = job.what.local_ids}),
    ingest_text(job),
    line("collection", job.collection),
    object_model_text(job),
    line("owner", x.task.collection->owner)};
  for (std::size_t i = 0; i < texts.size(); ++i)
    if (auto failure = replace_file(
          system_disk(), x.folder.system() / system_names[i], texts[i]))
      return failure;
  return {};
}

caf::error write_list_to_store(work_on_job& x) {
  auto rows = find_rows(x);
  if (!rows)
    return std::move(rows.error());
  if (auto failure = digest_rows(x.folder, *rows))
    return failure;
  std::uint64_t bytes = 0;
  for (const auto& row : *rows)
    bytes += *row.size;
  x.job.more[left_by_process::stored_files] = rows->size();
  x.job.more[left_by_process::stored_bytes] = bytes;
  return replace_file(system_disk(), x.folder.storage_manifest(),
                      write_storage_manifest(*rows));
}

} // namespace depositd::merritt
