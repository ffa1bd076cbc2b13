#include "simulator/tcp_reset.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <array>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <system_error>
#include <thread>

namespace vstream::simulator {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kPatience{1};
constexpr std::chrono::milliseconds kLook{1};

// As gRPC writes it. Empty if the descriptor is no connected socket.
std::string peer_of(int descriptor) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  if (::getpeername(descriptor, reinterpret_cast<sockaddr*>(&address), &size) != 0) return "";
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (address.ss_family == AF_INET) {
    const auto& in = reinterpret_cast<const sockaddr_in&>(address);
    ::inet_ntop(AF_INET, &in.sin_addr, text.data(), text.size());
    return fmt::format("ipv4:{}:{}", text.data(), ntohs(in.sin_port));
  }
  if (address.ss_family == AF_INET6) {
    const auto& in = reinterpret_cast<const sockaddr_in6&>(address);
    ::inet_ntop(AF_INET6, &in.sin6_addr, text.data(), text.size());
    if (IN6_IS_ADDR_V4MAPPED(&in.sin6_addr)) return fmt::format("ipv4:{}:{}", text.data() + 7, ntohs(in.sin6_port));
    return fmt::format("ipv6:%5B{}%5D:{}", text.data(), ntohs(in.sin6_port));
  }
  return "";
}

int find_socket(const std::string& peer) {
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd", ignored)) {
    const std::string name = entry.path().filename();
    int descriptor = -1;
    std::from_chars(name.data(), name.data() + name.size(), descriptor);
    if (peer_of(descriptor) == peer) return descriptor;
  }
  return -1;
}

}  // namespace

bool reset_connection(const std::string& peer) {
  const int descriptor = find_socket(peer);
  if (descriptor < 0) return false;
  int unsent = 0;
  for (auto end = Clock::now() + kPatience; Clock::now() < end; std::this_thread::sleep_for(kLook)) {
    if (::ioctl(descriptor, SIOCOUTQ, &unsent) != 0 || unsent == 0) break;
  }
  // Linux resets a connection that is told to have no peer any more.
  sockaddr nobody{};
  nobody.sa_family = AF_UNSPEC;
  return ::connect(descriptor, &nobody, sizeof nobody) == 0;
}

}  // namespace vstream::simulator
