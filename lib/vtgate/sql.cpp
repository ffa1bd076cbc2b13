#include "vtgate/sql.h"

#include <fmt/format.h>
#include <google/protobuf/stubs/logging.h>
#include <grpcpp/client_context.h>

#include <algorithm>

#include "vtgate/classify.h"
#include "vtgateservice.grpc.pb.h"

namespace vstream {
namespace {

Result<std::vector<std::string>> read_row(const query::Row& row, int columns) {
  if (row.lengths_size() != columns) return fail(ErrorCode::kDecode, "a row of an SQL answer has the wrong length");
  std::vector<std::string> cells;
  cells.reserve(static_cast<std::size_t>(columns));
  std::string_view rest = row.values();
  for (const std::int64_t length : row.lengths()) {
    const std::size_t size = length < 0 ? 0 : static_cast<std::size_t>(length);
    if (size > rest.size()) return fail(ErrorCode::kDecode, "a row of an SQL answer is cut short");
    cells.emplace_back(rest.substr(0, size));
    rest.remove_prefix(size);
  }
  return cells;
}

Error call_error(const grpc::Status& status, const std::string& address) {
  Error error = classify({.code = status.error_code(), .text = status.error_message()});
  // A question is asked before anything streams: a lost connection is one that was never made.
  if (error.code == ErrorCode::kStreamBroken) {
    error.code = ErrorCode::kUnreachable;
    error.message = fmt::format("could not reach VTGate at \"{}\": {}", address,
                                error.grpc_text.empty() ? "no answer" : error.grpc_text);
    error.hint = "is it running, and is this its gRPC address (--address HOST:PORT)?";
  }
  return error;
}

}  // namespace

Clock::Duration SqlClient::time_left() const {
  const Clock::Duration timeout = connection_.options().connect_timeout;
  return deadline_ ? std::min(timeout, *deadline_ - real_clock().now()) : timeout;
}

Result<query::QueryResult> SqlClient::execute(std::string_view target, std::string_view sql,
                                              query::ExecuteOptions::IncludedFields included) const {
  vtgate::ExecuteRequest request;
  request.mutable_session()->set_autocommit(true);
  request.mutable_session()->set_target_string(std::string(target));
  request.mutable_session()->mutable_options()->set_included_fields(included);
  request.mutable_query()->set_sql(std::string(sql));
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + time_left());
  const std::stop_callback cancel(stop_, [&context] { context.TryCancel(); });
  const google::protobuf::LogSilencer errors_are_values;
  vtgate::ExecuteResponse response;
  const auto stub = vtgateservice::Vitess::NewStub(connection_.channel());
  if (const grpc::Status status = stub->Execute(&context, request, &response); !status.ok()) {
    return std::unexpected(call_error(status, connection_.options().address));
  }
  if (response.has_error()) {
    return std::unexpected(classify_sql(static_cast<int>(response.error().code()), response.error().message()));
  }
  return std::move(*response.mutable_result());
}

Result<std::vector<query::Field>> SqlClient::fields(std::string_view target, std::string_view sql) const {
  auto answer = execute(target, sql, query::ExecuteOptions::ALL);
  if (!answer) return std::unexpected(std::move(answer.error()));
  return std::vector<query::Field>(answer->fields().begin(), answer->fields().end());
}

Result<SqlRows> SqlClient::query(std::string_view target, std::string_view sql) const {
  const auto answer = execute(target, sql, query::ExecuteOptions::TYPE_AND_NAME);
  if (!answer) return std::unexpected(answer.error());
  SqlRows rows;
  for (const query::Row& row : answer->rows()) {
    auto cells = read_row(row, answer->fields_size());
    if (!cells) return std::unexpected(cells.error());
    rows.push_back(*std::move(cells));
  }
  return rows;
}

}  // namespace vstream
