#include "judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "expected_lines.h"
#include "fold.h"

namespace vstream::property {
namespace {

using nlohmann::json;

Asked asked_by(const History& history, const Task& task) {
  Asked asked{.matched = std::vector<bool>(history.tables.size(), task.tables.empty()),
              .everything = task.tables.empty(),
              .copy = {}};
  for (const std::size_t table : task.tables) asked.matched[table] = true;
  return asked;
}

std::size_t find_shard(const History& history, const std::string& name) {
  return static_cast<std::size_t>(std::ranges::find(history.shards, name, &Shard::name) - history.shards.begin());
}

/// A printed line and the write it came in.
struct Line {
  std::string text;
  json value;
  std::size_t write = 0;
  std::optional<std::size_t> shard;

  std::string member(const char* name) const { return value.value(name, ""); }
};

std::string read_lines(const History& history, const Outcome& outcome, std::vector<Line>& lines) {
  for (std::size_t write = 0; write < outcome.writes.size(); ++write) {
    std::string_view rest = outcome.writes[write];
    if (!rest.ends_with('\n')) return "a write without a line break at its end";
    while (!rest.empty()) {
      Line line{.text = std::string(rest.substr(0, rest.find('\n'))), .value = {}, .write = write, .shard = {}};
      rest.remove_prefix(line.text.size() + 1);
      line.value = json::parse(line.text, nullptr, false);
      if (!line.value.is_object()) return "a line that is not a JSON object: " + line.text;
      if (line.value.contains("shard")) {
        line.shard = find_shard(history, line.member("shard"));
        if (*line.shard == history.shards.size()) return "a line of an unknown shard: " + line.text;
      }
      lines.push_back(std::move(line));
    }
  }
  return "";
}

/// The places of the shards at the end, per shard; none if a copy is unfinished, as it may be when it was stopped.
std::string read_position(const History& history, const Task& task, const Outcome& outcome,
                          std::vector<Place>& places) {
  if (!outcome.end) return "the run failed: " + outcome.end.error().message;
  if (task.copies && task.stops_early && outcome.end->copy_unfinished) {
    return outcome.end->position.empty() ? "" : "a position in the middle of a copy";
  }
  for (const Shard& shard : history.shards) {
    const auto entry = std::ranges::find(outcome.end->position, shard.name, &ShardPosition::shard);
    if (entry == outcome.end->position.end()) return fmt::format("no position of shard {:?} at the end", shard.name);
    const auto place = shard.find(entry->gtid);
    if (!place) return fmt::format("shard {:?} has no position {:?}", shard.name, entry->gtid);
    places.push_back(*place);
  }
  return "";
}

/// What is wrong with the lines of one shard that streams from a position and has come to `end`.
std::string judge_shard(const ExpectedLines& expected, const std::vector<const Line*>& lines, Place end) {
  const std::size_t wanted = expected.ends[end];
  for (std::size_t i = 0; i < std::min(wanted, lines.size()); ++i) {
    if (lines[i]->text == expected.lines[i]) continue;
    return fmt::format("line {} is {}\n  instead of {}", i, lines[i]->text, expected.lines[i]);
  }
  if (lines.size() < wanted) return "a line is missing: " + expected.lines[lines.size()];
  if (lines.size() > wanted) return "a line too many: " + lines[wanted]->text;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    if (lines[i]->write != lines[i - 1]->write && std::ranges::find(expected.ends, i) == expected.ends.end()) {
      return "a write ended inside a transaction, before " + lines[i]->text;
    }
  }
  return "";
}

std::string judge_stream(const History& history, const Task& task, const std::vector<Line>& lines,
                         const std::vector<Place>& end) {
  for (const Line& line : lines) {
    if (!line.shard) return "a line of no shard: " + line.text;
  }
  for (std::size_t shard = 0; shard < history.shards.size(); ++shard) {
    const std::string place = fmt::format("shard {:?}: ", history.shards[shard].name);
    if (end[shard] < task.from[shard]) return place + "it went backwards";
    if (!task.stops_early && end[shard] != history.shards[shard].end()) return place + "the position misses something";
    std::vector<const Line*> its_lines;
    for (const Line& line : lines) {
      if (line.shard == shard) its_lines.push_back(&line);
    }
    const auto expected = expected_lines(history, shard, task.from[shard], asked_by(history, task));
    if (std::string wrong = judge_shard(expected, its_lines, end[shard]); !wrong.empty()) return place + wrong;
  }
  return "";
}

/// What a copy has printed of one shard.
class CopiedShard {
 public:
  CopiedShard(const History& history, const Task& task, std::size_t shard)
      : history_(history),
        asked_(asked_by(history, task)),
        all_(expected_lines(history, shard, 0, asked_)),
        fold_(history, shard),
        changes_(history.tables.size()) {
    for (std::size_t i = 0; i < all_.lines.size(); ++i) number_of_[all_.lines[i]] = i;
  }

  std::string take(const Line& line) {
    const std::string type = line.member("type");
    if (type == "copy_completed") return ++completed_ > 1 ? "copy_completed twice" : "";
    const auto table = history_.find_table(line.member("table"));
    if (type == "copy_restarted") return take_restart(table);
    if (type == "row" && (!table || !asked_.matched[*table])) return "a row of another table";
    if (line.member("op") == "r") {
      if (completed_ > 0) return "a copied row after copy_completed";
      return fold_.apply_row(*table, line.value);
    }
    return take_change(table, line);
  }

  std::string compare(Place end) const {
    if (completed_ != 1) return "no copy_completed";
    for (std::size_t table = 0; table < history_.tables.size(); ++table) {
      if (!asked_.matched[table]) continue;
      if (std::string wrong = fold_.compare(table, end); !wrong.empty()) return wrong;
      if (std::string wrong = find_gap(table, end); !wrong.empty()) return wrong;
    }
    return "";
  }

 private:
  std::string take_restart(std::optional<std::size_t> table) {
    if (!table || history_.tables[*table].has_key()) return "copy_restarted for a table that has a key, or is unknown";
    if (completed_ > 0) return "copy_restarted after copy_completed";
    fold_.drop(*table);
    changes_[*table].clear();
    return "";
  }

  /// Changes and DDLs come in the order of the history, each as it is there, and once.
  std::string take_change(std::optional<std::size_t> table, const Line& line) {
    const auto number = number_of_.find(line.text);
    if (number == number_of_.end()) return "a line that the history does not have";
    if (number->second < next_) return "a line that came before, or too late";
    // The lines of a transaction stay together, as far as its tables are streamed.
    const std::string gtid = line.member("gtid");
    if (gtid == last_gtid_ && line.write != last_write_) return "a write ended inside a transaction";
    last_gtid_ = gtid;
    last_write_ = line.write;
    next_ = number->second + 1;
    if (!table) return "";
    changes_[*table].push_back(number->second);
    return fold_.apply_row(*table, line.value);
  }

  /// From a table's first change on all are there.
  std::string find_gap(std::size_t table, Place end) const {
    const auto& seen = changes_[table];
    std::vector<std::size_t> wanted;
    for (std::size_t i = seen.empty() ? all_.ends[end] : seen.front(); i < all_.ends[end]; ++i) {
      const json line = json::parse(all_.lines[i]);
      if (line.value("table", "") == history_.tables[table].name) wanted.push_back(i);
    }
    const auto [lost, extra] = std::ranges::mismatch(wanted, seen);
    if (lost != wanted.end()) return "a change is missing: " + all_.lines[*lost];
    return extra == seen.end() ? "" : "a change that the position at the end does not have: " + all_.lines[*extra];
  }

  const History& history_;
  Asked asked_;
  ExpectedLines all_;
  Fold fold_;
  std::vector<std::vector<std::size_t>> changes_;  // per table: numbers of all_.lines
  std::map<std::string, std::size_t> number_of_;
  std::size_t next_ = 0;
  int completed_ = 0;
  std::string last_gtid_;
  std::size_t last_write_ = 0;
};

std::string judge_copy(const History& history, const Task& task, const std::vector<Line>& lines,
                       const std::vector<Place>& end) {
  std::vector<CopiedShard> shards;
  for (std::size_t shard = 0; shard < history.shards.size(); ++shard) shards.emplace_back(history, task, shard);
  std::size_t completed = 0;
  for (const Line& line : lines) {
    if (!line.shard && (line.member("type") != "copy_completed" || ++completed > 1)) {
      return "a line of no shard: " + line.text;
    }
    if (!line.shard) continue;
    if (std::string wrong = shards[*line.shard].take(line); !wrong.empty()) return wrong + ": " + line.text;
  }
  if (end.empty()) return completed == 0 ? "" : "copy_completed, but the copy is unfinished";
  if (completed != 1) return "no copy_completed of all shards";
  for (std::size_t shard = 0; shard < shards.size(); ++shard) {
    const std::string place = fmt::format("shard {:?}: ", history.shards[shard].name);
    if (!task.until_copy_completed && !task.stops_early && end[shard] != history.shards[shard].end()) {
      return place + "the position misses something";
    }
    if (std::string wrong = shards[shard].compare(end[shard]); !wrong.empty()) return place + wrong;
  }
  return "";
}

}  // namespace

std::string judge(const History& history, const Task& task, const Outcome& outcome) {
  if (!outcome.complaint.empty()) return "the server complains: " + outcome.complaint;
  std::vector<Place> end;
  std::vector<Line> lines;
  std::string wrong = read_position(history, task, outcome, end);
  if (wrong.empty()) wrong = read_lines(history, outcome, lines);
  if (!wrong.empty()) return wrong;
  return task.copies ? judge_copy(history, task, lines, end) : judge_stream(history, task, lines, end);
}

}  // namespace vstream::property
