#include "position/gtid_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <utility>

#include "position/text.h"

namespace vstream {
namespace {

struct ServerInterval {
  Uuid server;
  Interval interval;

  friend auto operator<=>(const ServerInterval&, const ServerInterval&) = default;
};

bool is_dash_place(std::size_t i) { return i == 8 || i == 13 || i == 18 || i == 23; }

/// Digits only (no sign), below 2^63.
std::optional<std::int64_t> parse_number(std::string_view text) {
  std::uint64_t value = 0;
  const char* end = text.data() + text.size();
  auto [stop, error] = std::from_chars(text.data(), end, value);
  if (text.empty() || error != std::errc() || stop != end || value > std::uint64_t{INT64_MAX}) return std::nullopt;
  return static_cast<std::int64_t>(value);
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// MySQL's tags: a letter or an underscore, then letters, digits and underscores.
bool looks_like_tag(std::string_view text) {
  auto is_word = [](char c) { return is_digit(c) || c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  return !text.empty() && !is_digit(text[0]) && std::ranges::all_of(text, is_word);
}

std::unexpected<Error> bad_part(std::string_view part, std::size_t offset, std::string_view what,
                                std::string hint = {}) {
  return fail(ErrorCode::kInvalidPosition, fmt::format("{} at byte {} {}", in_quotes(part), offset, what),
              std::move(hint));
}

/// "7" or "1-5".
Result<Interval> parse_interval(std::string_view text, std::size_t offset) {
  if (looks_like_tag(text)) {
    return bad_part(text, offset, "is the tag of a tagged GTID, and Vitess cannot serve those",
                    "give a position without tagged GTIDs");
  }
  std::size_t dash = text.find('-');
  std::optional<std::int64_t> first = parse_number(text.substr(0, dash));
  std::optional<std::int64_t> last = dash == text.npos ? first : parse_number(text.substr(dash + 1));
  if (!first || !last) return bad_part(text, offset, "is not an interval", "an interval is n or n-m, e.g. 1-5");
  if (*first == 0) return bad_part(text, offset, "is not an interval: transactions are counted from 1");
  // VTGate drops such an interval: a slip of the pen would then ask for the server's whole history.
  if (*last < *first) return bad_part(text, offset, "ends before it starts");
  return Interval{*first, *last};
}

/// "uuid:interval[:interval…]", without white space around it.
Result<void> parse_server(std::string_view text, std::size_t offset, std::vector<ServerInterval>& out) {
  std::size_t colon = text.find(':');
  std::string_view name = text.substr(0, colon);
  std::optional<Uuid> server = Uuid::parse(name);
  if (!server)
    return bad_part(name, offset, "is not the UUID of a server", "a MySQL GTID set is uuid:1-5[:7…][,uuid:…]");
  if (colon == text.npos) return bad_part(name, offset, "has no interval after it", "write uuid:1-5");
  while (colon != text.npos) {
    std::size_t begin = colon + 1;
    colon = text.find(':', begin);
    const Result<Interval> interval = parse_interval(text.substr(begin, colon - begin), offset + begin);
    if (!interval) return std::unexpected(interval.error());
    out.push_back({*server, *interval});
  }
  return {};
}

/// Appends an interval that starts at or after the last one; joins the two if they touch or overlap.
void append(std::vector<Interval>& intervals, Interval next) {
  if (!intervals.empty() && next.first - 1 <= intervals.back().last) {
    intervals.back().last = std::max(intervals.back().last, next.last);
  } else {
    intervals.push_back(next);
  }
}

std::vector<Interval> united(const std::vector<Interval>& a, const std::vector<Interval>& b) {
  std::vector<Interval> sorted;
  sorted.reserve(a.size() + b.size());
  std::ranges::merge(a, b, std::back_inserter(sorted));
  std::vector<Interval> result;
  for (Interval next : sorted) append(result, next);
  return result;
}

bool covers(const std::vector<Interval>& intervals, const std::vector<Interval>& others) {
  auto mine = intervals.begin();
  for (Interval other : others) {
    while (mine != intervals.end() && mine->last < other.first) ++mine;
    if (mine == intervals.end() || other.first < mine->first || mine->last < other.last) return false;
  }
  return true;
}

/// What is in `intervals` and not in `others`.
std::vector<Interval> difference(const std::vector<Interval>& intervals, const std::vector<Interval>& others) {
  std::vector<Interval> result;
  auto other = others.begin();
  for (Interval rest : intervals) {
    while (other != others.end() && other->last < rest.first) ++other;
    bool any_left = true;
    for (; other != others.end() && other->first <= rest.last; ++other) {
      if (rest.first < other->first) result.push_back({rest.first, other->first - 1});
      any_left = other->last < rest.last;
      if (!any_left) break;  // and it may reach into the next interval, too
      rest.first = other->last + 1;
    }
    if (any_left) result.push_back(rest);
  }
  return result;
}

}  // namespace

std::optional<Uuid> Uuid::parse(std::string_view text) {
  if (text.size() != 36) return std::nullopt;
  Uuid result;
  std::size_t digits = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (is_dash_place(i)) {
      if (text[i] != '-') return std::nullopt;
      continue;
    }
    int digit = hex_digit(text[i]);
    if (digit < 0) return std::nullopt;
    std::uint8_t& byte = result.bytes[digits++ / 2];
    byte = static_cast<std::uint8_t>(byte << 4 | digit);
  }
  return result;
}

std::string Uuid::to_string() const {
  std::string text;
  text.reserve(36);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    fmt::format_to(std::back_inserter(text), "{:02x}", bytes[i]);
  }
  return text;
}

Result<GtidSet> GtidSet::parse(std::string_view text, std::size_t offset) {
  std::vector<ServerInterval> all;
  for (std::size_t begin = 0, end = 0; begin <= text.size(); begin = end + 1) {
    end = std::min(text.find(',', begin), text.size());
    std::string_view part = trimmed(text.substr(begin, end - begin));
    if (part.empty()) continue;
    auto at = static_cast<std::size_t>(part.data() - text.data());
    if (Result<void> parsed = parse_server(part, offset + at, all); !parsed) {
      return std::unexpected(std::move(parsed.error()));
    }
  }
  std::ranges::sort(all);
  GtidSet set;
  for (const ServerInterval& next : all) {
    if (set.servers_.empty() || set.servers_.back().server != next.server) set.servers_.push_back({next.server, {}});
    append(set.servers_.back().intervals, next.interval);
  }
  return set;
}

std::string GtidSet::to_string() const {
  std::string text;
  auto out = std::back_inserter(text);
  for (const ServerIntervals& server : servers_) {
    if (!text.empty()) text += ',';
    text += server.server.to_string();
    for (Interval interval : server.intervals) {
      fmt::format_to(out, ":{}", interval.first);
      if (interval.last != interval.first) fmt::format_to(out, "-{}", interval.last);
    }
  }
  return text;
}

bool GtidSet::contains(const GtidSet& other) const {
  auto mine = servers_.begin();
  for (const ServerIntervals& theirs : other.servers_) {
    while (mine != servers_.end() && mine->server < theirs.server) ++mine;
    if (mine == servers_.end() || mine->server != theirs.server) return false;
    if (!covers(mine->intervals, theirs.intervals)) return false;
  }
  return true;
}

void GtidSet::add(const Uuid& server, std::int64_t number) {
  auto place = std::ranges::lower_bound(servers_, server, {}, &ServerIntervals::server);
  if (place == servers_.end() || place->server != server) place = servers_.insert(place, {server, {}});
  std::vector<Interval>& intervals = place->intervals;
  // The first interval that could hold the number or be extended by it.
  auto at = std::ranges::lower_bound(intervals, number - 1, {}, &Interval::last);
  if (at == intervals.end() || number < at->first - 1) {
    intervals.insert(at, {number, number});
    return;
  }
  at->first = std::min(at->first, number);
  at->last = std::max(at->last, number);
  if (auto next = at + 1; next != intervals.end() && next->first - 1 == at->last) {
    at->last = next->last;
    intervals.erase(next);
  }
}

void GtidSet::merge(const GtidSet& other) {
  std::vector<ServerIntervals> result;
  result.reserve(servers_.size() + other.servers_.size());
  auto mine = servers_.begin();
  for (const ServerIntervals& theirs : other.servers_) {
    while (mine != servers_.end() && mine->server < theirs.server) result.push_back(std::move(*mine++));
    if (mine != servers_.end() && mine->server == theirs.server) {
      result.push_back({theirs.server, united(mine++->intervals, theirs.intervals)});
    } else {
      result.push_back(theirs);
    }
  }
  std::move(mine, servers_.end(), std::back_inserter(result));
  servers_ = std::move(result);
}

GtidSet GtidSet::without(const GtidSet& other) const {
  GtidSet result;
  auto theirs = other.servers_.begin();
  for (const ServerIntervals& mine : servers_) {
    while (theirs != other.servers_.end() && theirs->server < mine.server) ++theirs;
    if (theirs == other.servers_.end() || theirs->server != mine.server) {
      result.servers_.push_back(mine);
    } else if (auto left = difference(mine.intervals, theirs->intervals); !left.empty()) {
      result.servers_.push_back({mine.server, std::move(left)});
    }
  }
  return result;
}

}  // namespace vstream
