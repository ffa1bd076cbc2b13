// Random tables and rows: what we print equals what the independent reference writer prints, and both stop together.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <random>
#include <string>
#include <vector>

#include "reference/reference_writer.h"
#include "stream/assembler.h"
#include "support/event_bytes.h"
#include "support/seed.h"
#include "support/text_of.h"

namespace {

using vstream::testing::Cell;

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : random_(seed) {}

  std::vector<vtgate::VStreamResponse> stream() {
    vtgate::VStreamResponse response;
    copied_ = pick(3) == 0;
    add(response, binlogdata::BEGIN);
    add_field(response);
    for (std::size_t rows = 1 + pick(4); rows > 0; --rows) add_row(response);
    add(response, binlogdata::COMMIT);
    return {response};
  }

 private:
  std::size_t pick(std::size_t n) { return random_() % n; }
  template <typename T>
  T one_of(std::initializer_list<T> values) {
    return *(values.begin() + static_cast<std::ptrdiff_t>(pick(values.size())));
  }

  binlogdata::VEvent& add(vtgate::VStreamResponse& response, binlogdata::VEventType type) {
    binlogdata::VEvent& event = *response.add_events();
    event.set_type(type);
    event.set_keyspace("k\"s");
    event.set_shard("-80");
    if (!copied_) {
      event.set_timestamp(1'700'000'000);
      event.set_event_gtid("u:5");
    }
    return event;
  }

  void add_field(vtgate::VStreamResponse& response) {
    binlogdata::FieldEvent& event = *add(response, binlogdata::FIELD).mutable_field_event();
    event.set_table_name("k\"s.t.x");
    event.set_keyspace("k\"s");
    event.set_shard("-80");
    event.set_enum_set_string_values(true);
    fields_.clear();
    for (std::size_t i = 0, n = 1 + pick(12); i < n; ++i) {
      query::Field& field = *event.add_fields();
      fill(field);
      field.set_name("c" + std::to_string(i) + one_of({"", "\"", "\xC3\xA9", "\n"}));
      fields_.push_back(field);
    }
  }

  void fill(query::Field& field) {
    field.set_type(
        one_of({query::INT8,     query::UINT64, query::YEAR,     query::BIT,       query::DECIMAL,   query::FLOAT32,
                query::FLOAT64,  query::DATE,   query::DATETIME, query::TIME,      query::TIMESTAMP, query::CHAR,
                query::VARCHAR,  query::TEXT,   query::BINARY,   query::VARBINARY, query::BLOB,      query::JSON,
                query::GEOMETRY, query::VECTOR, query::ENUM,     query::SET}));
    field.set_charset(63);
    field.set_column_type("x");
    switch (field.type()) {
      case query::CHAR:
      case query::VARCHAR:
      case query::TEXT: field.set_column_type(one_of({"char(3)", "varchar(9)", "tinytext", "longtext"})); break;
      case query::ENUM: field.set_column_type("enum('a')"); break;
      case query::SET: field.set_column_type("set('a')"); break;
      case query::BINARY:
      case query::VARBINARY:
      case query::BLOB:
        field.set_column_type(
            one_of({"binary(3)", "varbinary(3)", "blob", "char(3)", "text", "enum('a')", "set('a')"}));
        break;
      default: break;
    }
    const std::string& type = field.column_type();
    const bool text = type[0] == 'c' || type[0] == 't' || type[0] == 'l' || type[0] == 'e' || type[0] == 's' ||
                      type.starts_with("varchar");
    if (text) field.set_charset(one_of({255U, 45U, 33U, 46U, 8U, 47U, 11U, 65U, 51U, 7U, 999U, 0U}));
    if (text && pick(8) == 0) field.set_column_type("");
    if (pick(4) == 0) field.set_flags(1);
  }

  std::string digits(std::size_t n) {
    std::string out;
    while (n-- > 0) out += static_cast<char>('0' + pick(10));
    return out;
  }

  std::string text() {
    std::string out;
    for (std::size_t n = pick(20); n > 0; --n) {
      out += one_of<std::string>({"a", "Z", " ", "\"", "\\", "\n", "\x01", "\x7f", "\xC3\xA9", "\xE4\xB8\xAD",
                                  "\xF0\x9F\x98\x80", "\x80", "\xff", "\xE2\x82", "\xed\xa0\x80", "abcdefgh", "\xe9"});
    }
    return out;
  }

  std::string json() {
    return one_of<std::string>({"null", "{}", "[1, 2.5, -3e5]", R"({"a": {"b": [true, false, null]}})", R"("x\u0001")",
                                "123456789012345678901234567890", "{\"p\":.1}", "", "[1,]", "\"\xff\"", "1 2", "[\n]",
                                "\"" + std::string(300, 'y') + "\"", std::string(50, '[') + std::string(50, ']')});
  }

  std::string value(const query::Field& field) {
    if (pick(300) == 0) return text();  // now and then nonsense: both must refuse it
    switch (field.type()) {
      case query::INT8:
      case query::UINT64:
      case query::YEAR: return one_of<std::string>({"0", "-7", "0000", "18446744073709551615", digits(1 + pick(9))});
      case query::BIT: return text().substr(0, 8) + "x";
      case query::DECIMAL:
        return one_of<std::string>({"0.10", ".5", "-.5", "00.7", "-12", digits(30) + "." + digits(9)});
      case query::FLOAT32:
      case query::FLOAT64:
        return one_of<std::string>({"1E-01", "-0E+00", "3.40282e38", "1e-40", digits(3) + "." + digits(5)});
      case query::DATE: return one_of<std::string>({"0000-00-00", "2024-02-30"});
      case query::DATETIME: return one_of<std::string>({"2024-01-00 10:00:00.000000", "2024-02-29 12:34:56"});
      case query::TIME: return one_of<std::string>({"-838:59:59", "00:00:00.50"});
      case query::TIMESTAMP:
        return one_of<std::string>({"2024-02-29 12:34:56", "0000-00-00 00:00:00.000", "2024-02-29 12:34:56.789123"});
      case query::JSON: return json();
      case query::VECTOR: return std::string(4 * pick(4), static_cast<char>(pick(256)));
      default: return text();
    }
  }

  void fill(query::Row& row) {
    for (const query::Field& field : fields_) {
      const Cell cell = pick(6) == 0 ? Cell() : Cell(value(field));
      row.add_lengths(cell ? static_cast<std::int64_t>(cell->size()) : -1);
      if (cell) row.mutable_values()->append(*cell);
    }
  }

  void add_row(vtgate::VStreamResponse& response) {
    binlogdata::RowEvent& event = *add(response, binlogdata::ROW).mutable_row_event();
    event.set_table_name("k\"s.t.x");
    event.set_keyspace("k\"s");
    event.set_shard("-80");
    for (std::size_t n = 1 + pick(3); n > 0; --n) {
      binlogdata::RowChange& change = *event.add_row_changes();
      const std::size_t images = pick(3);
      if (images != 0) fill(*change.mutable_before());
      if (images != 1) fill(*change.mutable_after());
      if (images == 1 || pick(4) != 0) continue;
      auto& columns = *change.mutable_data_columns();
      columns.set_count(static_cast<std::int64_t>(fields_.size()));
      for (std::size_t i = 0; i <= fields_.size() / 8; ++i)
        columns.mutable_cols()->push_back(static_cast<char>(pick(256)));
      if (pick(2) == 0) continue;
      auto& diffs = *change.mutable_json_partial_values();
      std::int64_t json_columns = 0;
      for (const query::Field& field : fields_) json_columns += field.type() == query::JSON ? 1 : 0;
      diffs.set_count(json_columns);
      diffs.set_cols(std::string(2, static_cast<char>(pick(256))));
    }
  }

  std::mt19937_64 random_;
  std::vector<query::Field> fields_;
  bool copied_ = false;
};

}  // namespace

TEST_CASE("random rows are printed as the reference writer prints them") {
  const std::uint64_t seed = vstream::testing::new_seed();
  INFO("seed " << seed);
  Generator generator(seed);
  std::size_t printed = 0;
  std::size_t stopped = 0;
  for (int i = 0; i < 20'000; ++i) {
    INFO("stream " << i);
    const auto responses = generator.stream();
    const bool mark = i % 4 != 0;
    const auto expected = vstream::reference::reference_lines(responses, {.partial_mark = mark});
    vstream::AssemblerOptions options;
    options.partial_images = mark ? vstream::PartialImages::kMark : vstream::PartialImages::kStop;
    vstream::Assembler assembler(options);
    std::string lines;
    const auto fed =
        assembler.consume(responses[0].SerializeAsString(), [&](const vstream::Unit& unit) -> vstream::Result<bool> {
          lines += vstream::testing::text_of(unit.lines);
          return true;
        });
    std::string wanted;
    for (const std::string& line : expected.lines) wanted += line + "\n";
    INFO(expected.error << " / " << (fed ? "" : fed.error().message));
    const auto [ours, theirs] = std::ranges::mismatch(lines, wanted);
    const auto at = static_cast<std::size_t>(ours - lines.begin());
    INFO("ours:   …" << lines.substr(at - std::min<std::size_t>(at, 60), 100));
    INFO("theirs: …" << wanted.substr(at - std::min<std::size_t>(at, 60), 100));
    INFO(responses[0].ShortDebugString().substr(0, 3000));
    REQUIRE((ours == lines.end() && theirs == wanted.end()));
    REQUIRE(fed.has_value() == expected.error.empty());
    ++(fed ? printed : stopped);
  }
  CHECK(printed > 5000);
  CHECK(stopped > 500);
}
