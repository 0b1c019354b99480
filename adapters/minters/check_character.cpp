#include "adapters/minters/check_character.hpp"

namespace depositd {

char check_character(std::string_view identifier) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < identifier.size(); ++i) {
    const auto value = minted_letters.find(identifier[i]);
    sum += (i + 1) * (value == minted_letters.npos ? 0 : value);
  }
  return minted_letters[sum % minted_letters.size()];
}

std::string minted_name(std::uint64_t number, std::size_t letters_min) {
  std::string out;
  for (; number > 0 || out.size() < letters_min;
       number /= minted_letters.size())
    out.insert(out.begin(), minted_letters[number % minted_letters.size()]);
  return out;
}

std::optional<std::uint64_t> minted_number(std::string_view name) {
  constexpr std::size_t letters_max = 12; // 29^12 has room above it
  if (name.empty() || name.size() > letters_max)
    return std::nullopt;
  std::uint64_t out = 0;
  for (const char c : name) {
    const auto value = minted_letters.find(c);
    if (value == minted_letters.npos)
      return std::nullopt;
    out = out * minted_letters.size() + value;
  }
  return out;
}

} // namespace depositd
