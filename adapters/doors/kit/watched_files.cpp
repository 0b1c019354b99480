#include "adapters/doors/kit/watched_files.hpp"

#include <spdlog/spdlog.h>

#include <utility>

#include <sys/stat.h>

namespace depositd::kit {

std::string look_of(const std::vector<std::string>& files) {
  std::string out;
  for (const auto& file : files) {
    struct stat facts {};
    if (::stat(file.c_str(), &facts) != 0) {
      out += "none\n";
      continue;
    }
    out += std::to_string(facts.st_ino) + ' ' + std::to_string(facts.st_size)
           + ' ' + std::to_string(facts.st_mtim.tv_sec) + '.'
           + std::to_string(facts.st_mtim.tv_nsec) + '\n';
  }
  return out;
}

watched_files::watched_files(std::string name, std::vector<std::string> files,
                             take_function take)
  : name_(std::move(name)),
    files_(std::move(files)),
    take_(std::move(take)),
    life_(std::make_shared<certificate_life>(name_)) {
  std::erase(files_, std::string{});
  seen_ = look_of(files_);
  if (!files_.empty())
    life_->take(files_.front());
}

void watched_files::look() {
  if (!files_.empty() && look_of(files_) != seen_)
    read();
  life_->look(seconds_since_1970());
}

void watched_files::read() {
  if (files_.empty())
    return;
  seen_ = look_of(files_);
  if (const auto wrong = take_()) {
    spdlog::warn("{}_certificate_kept reason=\"{}\"", name_, render(wrong));
    return;
  }
  spdlog::info("{}_certificate_taken file={}", name_, files_.front());
  life_->take(files_.front());
}

} // namespace depositd::kit
