#pragma once

// Mails that some of their recipients have got.

#include <iterator>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace depositd {

/// Who still has to get a mail that others have got. What an engine forgets
/// when it ends comes to those once more. For several threads.
class mails_begun {
public:
  /// Of `all`, in their order.
  std::vector<std::string> left(const std::string& mail,
                                std::vector<std::string> all) {
    const std::lock_guard guard{mutex_};
    const auto at = left_.find(mail);
    return at == left_.end() ? std::move(all) : at->second;
  }

  void keep(const std::string& mail, std::vector<std::string> left) {
    constexpr std::size_t mails_max = 1'000;
    const std::lock_guard guard{mutex_};
    left_[mail] = std::move(left);
    if (left_.size() > mails_max)
      left_.erase(left_.begin()->first == mail ? std::next(left_.begin())
                                               : left_.begin());
  }

  void forget(const std::string& mail) {
    const std::lock_guard guard{mutex_};
    left_.erase(mail);
  }

private:
  std::mutex mutex_;
  std::map<std::string, std::vector<std::string>> left_;
};

} // namespace depositd
