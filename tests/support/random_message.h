#pragma once

#include <algorithm>
#include <random>
#include <string>

#include "vtgate.pb.h"

namespace vstream::testing {

/// Fills any message with random values of every field, few levels deep. Strings are UTF-8, bytes are anything.
inline void fill(google::protobuf::Message& message, std::mt19937_64& random, int depth) {
  using google::protobuf::FieldDescriptor;
  const auto* const descriptor = message.GetDescriptor();
  const auto* const reflection = message.GetReflection();
  const auto text = [&](bool utf8) {
    std::string out;
    for (std::size_t n = random() % 12; n > 0; --n) out += utf8 ? "aZ.-"[random() % 4] : static_cast<char>(random());
    if (utf8 && random() % 4 == 0) out += "\xE2\x82\xAC";
    return out;
  };
  const auto number = [&] { return random() >> (random() % 64); };
  for (int i = 0; i < descriptor->field_count(); ++i) {
    const FieldDescriptor* const field = descriptor->field(i);
    const std::size_t times = field->is_repeated() ? random() % 4 : random() % 2;
    for (std::size_t t = 0; t < times; ++t) {
      const bool add = field->is_repeated();
      switch (field->cpp_type()) {
        case FieldDescriptor::CPPTYPE_INT64: {
          const auto value = static_cast<std::int64_t>(number()) * (random() % 2 == 0 ? 1 : -1);
          add ? reflection->AddInt64(&message, field, value) : reflection->SetInt64(&message, field, value);
          break;
        }
        case FieldDescriptor::CPPTYPE_UINT32:
          reflection->SetUInt32(&message, field, static_cast<std::uint32_t>(number()));
          break;
        case FieldDescriptor::CPPTYPE_UINT64: reflection->SetUInt64(&message, field, number()); break;
        case FieldDescriptor::CPPTYPE_BOOL: reflection->SetBool(&message, field, random() % 2 == 0); break;
        case FieldDescriptor::CPPTYPE_ENUM:
          reflection->SetEnumValue(&message, field, static_cast<int>(random() % 40));
          break;
        case FieldDescriptor::CPPTYPE_STRING: {
          const std::string value = text(field->type() == FieldDescriptor::TYPE_STRING);
          add ? reflection->AddString(&message, field, value) : reflection->SetString(&message, field, value);
          break;
        }
        case FieldDescriptor::CPPTYPE_MESSAGE:
          if (depth > 0) {
            fill(add ? *reflection->AddMessage(&message, field) : *reflection->MutableMessage(&message, field), random,
                 depth - 1);
          }
          break;
        default: break;  // the messages of proto/ have no other types
      }
    }
  }
}

inline vtgate::VStreamResponse random_response(std::mt19937_64& random) {
  vtgate::VStreamResponse response;
  fill(response, random, 6);
  return response;
}

/// Changes, removes, repeats or inserts a few bytes somewhere.
inline void damage(std::string& bytes, std::mt19937_64& random) {
  if (bytes.empty()) return;
  const std::size_t at = random() % bytes.size();
  const std::size_t count = std::min<std::size_t>(1 + random() % 5, bytes.size() - at);
  switch (random() % 5) {
    case 0: bytes[at] = static_cast<char>(random()); break;
    case 1: bytes[at] = static_cast<char>(bytes[at] ^ (1 << random() % 8)); break;
    case 2: bytes.erase(at, count); break;
    case 3: bytes.insert(at, bytes.substr(at, count)); break;
    default: bytes.resize(at); break;
  }
}

}  // namespace vstream::testing
