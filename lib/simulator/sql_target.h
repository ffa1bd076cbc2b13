#pragma once

#include <expected>
#include <string>
#include <string_view>

#include "simulator/topology.h"
#include "vtrpc.pb.h"

namespace vstream::simulator {

/// What Session.target_string says: "ks", "ks:shard", "ks/shard", each with "@type" or not, then perhaps "|alias" (of a
/// tablet, from v24 on); "" is no keyspace.
struct SqlTarget {
  const Keyspace* keyspace = nullptr;  ///< null: none was named
  std::string shard;                   ///< "": none was named; perhaps unknown
  topodata::TabletType type = topodata::PRIMARY;
  std::string alias;  ///< "": any tablet of that type

  /// Errors, with VTGate's texts: NOT_FOUND (unknown keyspace), INVALID_ARGUMENT (no such tablet type).
  static std::expected<SqlTarget, vtrpc::RPCError> parse(std::string_view text, const Topology& topology);

  /// The tablet that a statement goes to: of the shard named, else of any one.
  /// Errors: UNAVAILABLE if there is none, as VTGate says it; FAILED_PRECONDITION if there is no keyspace at all.
  std::expected<Tablet, vtrpc::RPCError> tablet(const Topology& topology) const;
};

vtrpc::RPCError sql_error(vtrpc::Code code, std::string message);

/// NOT_FOUND "VT05003: unknown database 'nope' in vschema".
vtrpc::RPCError unknown_database(std::string_view name);

}  // namespace vstream::simulator
