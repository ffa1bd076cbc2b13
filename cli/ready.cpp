#include "ready.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string_view>
#include <system_error>

namespace vstream::cli {
namespace {

std::unexpected<Error> could_not(std::string_view what, std::string_view name, int error) {
  return fail(ErrorCode::kOutput,
              fmt::format("could not {} \"{}\": {}", what, name, std::generic_category().message(error)));
}

// The protocol of sd_notify(3): one datagram.
Result<void> notify_service_manager() {
  const char* const path = std::getenv("NOTIFY_SOCKET");
  const std::string_view name = path == nullptr ? "" : path;
  if (name.empty()) return {};
  constexpr std::string_view kWhat = "tell the service manager at";
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  if (name.size() >= sizeof address.sun_path) return could_not(kWhat, name, ENAMETOOLONG);
  std::ranges::copy(name, address.sun_path);
  if (name.starts_with('@')) address.sun_path[0] = '\0';  // an abstract socket
  const int fd = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return could_not(kWhat, name, errno);
  constexpr std::string_view kReady = "READY=1";
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
  const bool sent = ::sendto(fd, kReady.data(), kReady.size(), MSG_NOSIGNAL | MSG_DONTWAIT,
                             reinterpret_cast<const sockaddr*>(&address), length) >= 0;
  const int error = errno;
  ::close(fd);
  return sent ? Result<void>() : could_not(kWhat, name, error);
}

std::string unfinished_name(const std::string& path) { return fmt::format("{}.{}", path, ::getpid()); }

// Returns 0 or an errno.
int write_file(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  return file ? 0 : errno;
}

}  // namespace

Result<void> prepare_ready_file(const std::string& path, const std::optional<std::string>& output) {
  struct stat info = {};
  const bool exists = ::lstat(path.c_str(), &info) == 0;
  if (path.empty() || (exists && !S_ISREG(info.st_mode))) {
    return fail(ErrorCode::kUsage, fmt::format("--ready-file \"{}\" is not the name of a regular file", path),
                "it is replaced when the stream has started");
  }
  struct stat other = {};
  const bool is_output = output && (*output == path || (exists && ::stat(output->c_str(), &other) == 0 &&
                                                        other.st_dev == info.st_dev && other.st_ino == info.st_ino));
  if (is_output) return fail(ErrorCode::kUsage, "--ready-file and --file name the same file");
  const std::string unfinished = unfinished_name(path);
  const int error = write_file(unfinished, "");
  if (error != 0) return could_not("write the ready file", path, error);
  std::remove(unfinished.c_str());
  if (exists && std::remove(path.c_str()) != 0) return could_not("remove the old ready file", path, errno);
  return {};
}

Result<void> tell_ready(const std::optional<std::string>& path, const Vgtid& position) {
  const auto notified = notify_service_manager();
  if (!path) return notified;
  const std::string unfinished = unfinished_name(*path);
  int error = write_file(unfinished, vgtid_to_json(position) + "\n");
  if (error == 0 && std::rename(unfinished.c_str(), path->c_str()) != 0) error = errno;
  if (error == 0) return notified;
  std::remove(unfinished.c_str());
  return could_not("write the ready file", *path, error);
}

}  // namespace vstream::cli
