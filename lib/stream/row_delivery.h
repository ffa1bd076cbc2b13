#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "encode/buffer.h"
#include "encode/record.h"
#include "stream/position_keeper.h"
#include "vstream/sink.h"
#include "vstream/stream.h"

namespace vstream {

/// The sink of a library stream, which holds rows of finished transactions, gives them to the flush callbacks, calls
/// the hooks, and saves the position when all rows up to it were flushed. After an error of these it takes nothing
/// more. Not synchronised.
class RowDelivery final : public Sink, public PositionKeeper {
 public:
  /// Options and clock outlive it. `tables`: what is streamed, for the checkpoint.
  RowDelivery(const StreamOptions& options, std::vector<std::string> tables, const StartAt& from, const Clock& clock);

  /// Records, whole units of them.
  Result<void> write(std::string_view records) override;
  Result<void> write_part(std::string_view records) override;
  void drop_parts() override { incomplete_ = true; }
  Result<void> began(const ShardPositions& positions, const std::optional<CopyPlan>& copy) override;
  Result<void> settled() override;
  Result<void> ended() override;

  /// What a callback, a hook or the store returned. The session may give its own meaning to errors, so that it never
  /// sees this one.
  const std::optional<Error>& failure() const { return failure_; }

 private:
  // A row that waits: its record in `records`.
  struct Waiting {
    std::size_t at;
    std::size_t size;
    std::shared_ptr<const TableInfo> table;
  };
  // What is known of the columns of a table on one shard.
  struct Columns {
    std::string record;
    std::shared_ptr<const TableInfo> table;
  };
  struct TableRows {
    const FlushCallback* on_flush = nullptr;
    std::map<std::string, Columns, std::less<>> columns;  // by shard
    Buffer records;
    std::vector<Waiting> waiting;
    std::uint64_t rows = 0;  // flushed
    std::uint64_t flushes = 0;
  };

  Result<void> take(std::string_view records);
  Result<void> take_record(const Record& record);
  Result<void> take_fields(const Record& record);
  Result<void> take_row(const Record& record);
  Result<void> take_ddl(const Record& record);
  Result<void> take_reshard(const Record& record);
  TableRows& table_rows(std::string_view table);
  template <typename Hook, typename... Args>
  Result<void> call(const Hook& hook, const Args&... args);

  Result<void> flush();
  Result<void> flush_table(const std::string& name, TableRows& table);
  Result<void> flush_chunk(const std::string& name, TableRows& table, std::size_t first, std::size_t count);
  Result<void> save();
  Result<void> save_checkpoint(const Checkpoint& checkpoint);
  Checkpoint checkpoint() const;
  Result<void> checked(Result<void> done);
  Vgtid position() const;

  const StreamOptions& options_;
  std::vector<std::string> selected_;
  const Clock& clock_;
  std::map<std::string, TableRows, std::less<>> tables_;
  std::string carry_;  // the beginning of a record whose rest is in the next part
  std::size_t waiting_ = 0;
  bool unsaved_flush_ = false;
  TimePoint last_flush_;
  TimePoint last_save_;
  // Of the session, since it began.
  const ShardPositions* positions_ = nullptr;
  const std::optional<CopyPlan>* copy_ = nullptr;
  Checkpoint saved_;         // or where the stream began
  bool beginning_is_saved_;  // or it was given to us; heartbeats alone do not make that a place to go on from
  bool incomplete_ = false;  // among the rows that wait are some of a transaction that will not come to its end
  std::optional<Error> failure_;
};

}  // namespace vstream
