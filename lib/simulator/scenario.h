#pragma once

#include <google/protobuf/descriptor.h>
#include <grpcpp/grpcpp.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "position/gtid_set.h"
#include "simulator/shard_log.h"
#include "simulator/table_schema.h"
#include "simulator/topology.h"
#include "vstream/error.h"
#include "vtgate.pb.h"

// A scenario as the player has it: what vstream-scenario(5) describes, with all short forms written out.
namespace vstream::simulator {

using Milliseconds = std::chrono::milliseconds;

/// Which shard a step speaks for, and which transaction of it.
struct Place {
  std::string keyspace;
  std::string shard;
  Uuid server;
  std::int64_t number = 0;  ///< of the transaction; what the events are stamped with
};

/// One event of a response, or the end of the response.
struct ScenarioEvent {
  enum class Kind : std::uint8_t {
    kRaw,       ///< `event` as it is
    kStamped,   ///< `event` with the names, the time and the GTID of the place
    kRows,      ///< `images`, in one ROW event; the FIELD event goes first if this call has not sent it
    kFields,    ///< the FIELD event of `table`
    kPosition,  ///< the shard moves to `position`, then the VGTID of all shards
    kBreak,     ///< what follows is another response
  };
  Kind kind = Kind::kRaw;
  binlogdata::VEvent event = {};
  std::vector<Transaction::Image> images = {};
  const TableSchema* table = nullptr;
  binlogdata::ShardGtid position = {};
  bool sets_cursors = false;  ///< the entries of `position` replace those that there are
};

struct SendStep {
  Place place;
  std::vector<ScenarioEvent> events;
};

/// The copy of one table, in packets.
struct CopyStep {
  Place place;
  const TableSchema* table = nullptr;
  std::vector<Row> rows;
  std::optional<std::string> snapshot;  ///< the position that the shard moves to before the first row
  std::size_t packet_rows = 0;
  bool finish = true;  ///< the table's entry leaves the VGTID at the end
};

/// Transactions that are made as they are sent: nothing larger than a response is held in memory.
struct LoadStep {
  Place place;  ///< its number is that of the first
  const TableSchema* table = nullptr;
  std::int64_t times = 1;
  std::int64_t rows = 1;           ///< of each transaction
  std::size_t row_bytes = 0;       ///< of the values of one row, at least
  std::size_t response_bytes = 0;  ///< about
};

/// What a request has to be. Only what is named is compared.
struct Expectation {
  std::optional<std::vector<binlogdata::ShardGtid>> positions = {};  ///< all of them
  std::optional<topodata::TabletType> tablet_type = {};
  std::optional<std::vector<binlogdata::Rule>> rules = {};  ///< all of them, in any order
  vtgate::VStreamFlags flags = {};
  std::vector<const google::protobuf::FieldDescriptor*> named_flags = {};
};
struct ExpectStep {
  Expectation request;
  std::string path;  ///< where it stands in the file
};

struct HeartbeatsStep {
  std::int64_t count = 1;
  Milliseconds every{0};
};
struct WaitStep {
  enum class Until : std::uint8_t { kTime, kGo, kGone };
  Until until = Until::kTime;
  Milliseconds time{0};
  bool heartbeats = true;  ///< those that the request asked for
};
struct SlowStep {
  Milliseconds pause;  ///< after each response from here on
};
struct SplitStep {
  std::int64_t events;  ///< at most so many in a response from here on, 0: any number
};
struct EndStep {
  grpc::Status status;
};
struct CutStep {};

using Step = std::variant<ExpectStep, SendStep, CopyStep, LoadStep, HeartbeatsStep, WaitStep, SlowStep, SplitStep,
                          EndStep, CutStep>;

/// What one VStream call plays.
struct Script {
  std::string keyspace;    ///< it is for calls of this keyspace; "": of any
  std::int64_t times = 1;  ///< it is for so many calls
  std::vector<Step> steps;
};

/// An answer of the scenario's own to a statement.
struct SqlRule {
  std::optional<std::string> target;  ///< none: any
  std::string query;                  ///< a LIKE pattern, lower case, single spaces
  std::optional<std::int64_t> times;  ///< none: always
  Milliseconds delay{0};
  vtgate::ExecuteResponse response;
};

/// What a call plays for which no script is left.
enum class AfterLast : std::uint8_t { kRepeat, kWait, kHang, kEnd };

using NameInKeyspace = std::pair<std::string, std::string>;  ///< keyspace; shard or table

/// Movable only: steps point to its tables.
struct Scenario {
  Scenario() = default;
  Scenario(Scenario&&) = default;
  Scenario& operator=(Scenario&&) = default;

  struct Server {
    Uuid uuid;
    GtidSet executed;
    GtidSet purged;
  };

  Topology topology;
  std::map<NameInKeyspace, Uuid> servers;        ///< of each shard: whose transactions are counted
  std::map<std::string, Server> tablets;         ///< by alias
  std::map<NameInKeyspace, TableSchema> tables;  ///< steps point into it
  bool rules = true;                             ///< VTGate's own
  std::vector<SqlRule> sql;
  std::vector<Script> calls;
  AfterLast after_last = AfterLast::kRepeat;
};

/// Reads a scenario. `name` is what errors call it.
/// Errors: kInvalidFile, naming for each fault the place in the document ("$.calls[0][2].wait") and what is wrong.
Result<Scenario> parse_scenario(std::string_view text, std::string_view name);

/// A shard's position as people read it: "MySQL56/…:1-5", with what it says of tables that are being copied. Two
/// positions that mean the same have the same text.
std::string describe(const binlogdata::ShardGtid& position);

/// How the request differs from what is expected; empty if it does not.
std::string difference(const Expectation& expected, const vtgate::VStreamRequest& request);

}  // namespace vstream::simulator
