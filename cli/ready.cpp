#include "ready.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <system_error>

namespace vstream::cli {
namespace {

// The protocol of sd_notify(3): one datagram. A service manager that does not listen is not our trouble.
void notify_service_manager() {
  const char* const path = std::getenv("NOTIFY_SOCKET");
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  const std::string_view name = path == nullptr ? "" : path;
  if (name.empty() || name.size() >= sizeof address.sun_path) return;
  std::ranges::copy(name, address.sun_path);
  if (name.starts_with('@')) address.sun_path[0] = '\0';  // an abstract socket
  const int fd = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return;
  constexpr std::string_view kReady = "READY=1";
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
  ::sendto(fd, kReady.data(), kReady.size(), MSG_NOSIGNAL | MSG_DONTWAIT, reinterpret_cast<const sockaddr*>(&address),
           length);
  ::close(fd);
}

}  // namespace

Result<void> tell_ready(const std::optional<std::string>& path, const Vgtid& position) {
  notify_service_manager();
  if (!path) return {};
  const std::string unfinished = fmt::format("{}.{}", *path, ::getpid());
  std::ofstream file(unfinished, std::ios::binary | std::ios::trunc);
  file << vgtid_to_json(position) << '\n';
  file.close();
  if (file && std::rename(unfinished.c_str(), path->c_str()) == 0) return {};
  const int error = errno;
  std::remove(unfinished.c_str());
  return fail(ErrorCode::kOutput,
              fmt::format("could not write the ready file \"{}\": {}", *path, std::generic_category().message(error)));
}

}  // namespace vstream::cli
