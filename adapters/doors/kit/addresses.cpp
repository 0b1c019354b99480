#include "adapters/doors/kit/addresses.hpp"

#include "messages/values/blanks.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include <arpa/inet.h>

namespace depositd::kit {

namespace {

using bytes = std::array<unsigned char, 16>;

constexpr std::string_view mapped_prefix = "::ffff:";
constexpr unsigned mapped_bits = 96;

bool is_ipv4(std::string_view text) {
  return text.find(':') == text.npos;
}

/// All as IPv6, so that there is one kind only.
std::optional<bytes> parse(std::string_view text) {
  const std::string whole{text.substr(0, INET6_ADDRSTRLEN)};
  bytes out{};
  if (!is_ipv4(text))
    return inet_pton(AF_INET6, whole.c_str(), out.data()) == 1
             ? std::optional{out}
             : std::nullopt;
  constexpr auto mapped_bytes = mapped_bits / 8;
  out[mapped_bytes - 2] = out[mapped_bytes - 1] = 0xff;
  if (inet_pton(AF_INET, whole.c_str(), out.data() + mapped_bytes) != 1)
    return std::nullopt;
  return out;
}

std::string render_address(const bytes& x) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  inet_ntop(AF_INET6, x.data(), text.data(), text.size());
  const std::string_view out{text.data()};
  const bool mapped =
    out.starts_with(mapped_prefix) && is_ipv4(out.substr(mapped_prefix.size()));
  return std::string{mapped ? out.substr(mapped_prefix.size()) : out};
}

bool same_bits(const bytes& a, const bytes& b, unsigned count) {
  const auto whole = count / 8;
  if (!std::equal(a.begin(), a.begin() + whole, b.begin()))
    return false;
  const auto mask = static_cast<unsigned char>(0xff00u >> count % 8);
  return count % 8 == 0 || ((a[whole] ^ b[whole]) & mask) == 0;
}

/// Some proxies tell the port too: "1.2.3.4:5", "[::1]:5", "[::1]".
std::string_view without_port(std::string_view text) {
  if (text.starts_with('['))
    return text.substr(1, text.find(']') - 1);
  return std::count(text.begin(), text.end(), ':') == 1
           ? text.substr(0, text.find(':'))
           : text;
}

} // namespace

caf::expected<address_list>
address_list::of(const std::vector<std::string>& texts) {
  address_list out;
  for (const auto& text : texts) {
    const auto slash = text.find('/');
    const auto parsed = parse(std::string_view{text}.substr(0, slash));
    const unsigned fixed = is_ipv4(text) ? mapped_bits : 0;
    unsigned bits = 128 - fixed;
    const auto most = bits;
    if (slash != text.npos) {
      const auto* end = text.data() + text.size();
      const auto [stop, wrong] =
        std::from_chars(text.data() + slash + 1, end, bits);
      if (stop != end || wrong != std::errc{})
        bits = most + 1;
    }
    if (!parsed || bits > most)
      return caf::make_error(
        ec::bad_setting, text.substr(0, 100) + " is no address and no network");
    out.networks_.push_back({*parsed, fixed + bits});
  }
  return out;
}

bool address_list::has(std::string_view address) const {
  const auto parsed = parse(address);
  return parsed
         && std::any_of(networks_.begin(), networks_.end(), [&](auto& x) {
              return same_bits(x.address, *parsed, x.bits);
            });
}

std::string client_behind(const address_list& proxies, const std::string& peer,
                          std::string_view forwarded) {
  auto out = peer;
  while (!forwarded.empty() && proxies.has(out)) {
    const auto comma = forwarded.rfind(',');
    const auto last =
      comma == forwarded.npos ? forwarded : forwarded.substr(comma + 1);
    const auto parsed = parse(without_port(trimmed(last)));
    if (!parsed)
      break; // what came before it cannot be believed either
    out = render_address(*parsed);
    forwarded = forwarded.substr(0, comma == forwarded.npos ? 0 : comma);
  }
  return out;
}

} // namespace depositd::kit
