#include "expected_lines.h"

#include "reference/reference_writer.h"

namespace vstream::property {
namespace {

std::size_t count_lines(const Events& transaction) {
  if (transaction.back().type() == binlogdata::DDL) return 1;
  if (transaction.back().type() != binlogdata::COMMIT) return 0;
  std::size_t lines = 0;
  for (const Event& event : transaction) lines += static_cast<std::size_t>(event.row_event().row_changes_size());
  return lines;
}

}  // namespace

ExpectedLines expected_lines(const History& history, std::size_t shard, Place from, const Asked& asked) {
  binlogdata::VGtid vgtid;
  binlogdata::ShardGtid& entry = *vgtid.add_shard_gtids();
  entry.set_gtid(history.shards[shard].positions[from]);
  ShardStream stream(history, shard, asked, vgtid, entry);
  Random random(0);
  std::vector<vtgate::VStreamResponse> responses;
  ExpectedLines expected{.lines = {}, .ends = std::vector<std::size_t>(from + 1)};
  for (Place place = from; place < history.shards[shard].end(); ++place) {
    const Events events = stream.next(place + 1, random);
    expected.ends.push_back(expected.ends.back() + count_lines(events));
    responses.emplace_back().mutable_events()->Add(events.begin(), events.end());
  }
  expected.lines = reference::reference_lines(responses).lines;
  return expected;
}

}  // namespace vstream::property
