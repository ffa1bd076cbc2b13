#include "simulator/scenario_sql.h"

#include <string>
#include <string_view>

#include "simulator/scenario_status.h"
#include "simulator/scenario_table.h"
#include "simulator/sql_text.h"

namespace vstream::simulator {
namespace {

constexpr std::uint32_t kUtf8mb4 = 255;

// Lower case, with one space where there is white space, and no semicolon at the end.
std::string normalised(std::string_view statement) {
  std::string out;
  for (char c : statement) {
    bool space = c == ' ' || (c >= '\t' && c <= '\r');
    if (space && (out.empty() || out.back() == ' ')) continue;
    if (space) c = ' ';
    out += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  while (out.ends_with(' ') || out.ends_with(';')) out.pop_back();
  return out;
}

void read_rows(const JsonNode& node, query::QueryResult& result) {
  TableSchema table{.keyspace = "", .name = "the answer", .fields = {}};
  if (auto columns = node.need("columns")) {
    for (const JsonNode& column : columns->items()) {
      query::Field& field = table.fields.emplace_back();
      field.set_name(column.text());
      field.set_type(query::VARCHAR);
      field.set_charset(kUtf8mb4);
    }
  }
  result.mutable_fields()->Assign(table.fields.begin(), table.fields.end());
  for (const JsonNode& row : node.find("rows")->items()) *result.add_rows() = to_wire(read_row(row, table));
}

}  // namespace

SqlRule read_sql_rule(const JsonNode& node) {
  node.only({"query", "target", "columns", "rows", "error", "text", "times", "delay"});
  SqlRule rule;
  if (auto query = node.need("query")) rule.query = normalised(query->text());
  if (auto target = node.find("target")) rule.target = target->text();
  if (auto times = node.find("times")) rule.times = times->integer(1);
  if (auto delay = node.find("delay")) rule.delay = delay->duration();
  if (auto error = node.find("error")) {
    vtrpc::RPCError& answer = *rule.response.mutable_error();
    answer.set_code(static_cast<vtrpc::Code>(read_status_code(*error)));
    if (auto text = node.need("text")) answer.set_message(text->text());
  } else if (node.has("rows")) {
    read_rows(node, *rule.response.mutable_result());
  } else {
    node.complain(R"(there is no answer: write "columns" and "rows", or "error" and "text")");
  }
  return rule;
}

bool matches(const SqlRule& rule, const vtgate::ExecuteRequest& request) {
  if (rule.target && *rule.target != request.session().target_string()) return false;
  return like(normalised(request.query().sql()), rule.query);
}

}  // namespace vstream::simulator
