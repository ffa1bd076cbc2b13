#include <algorithm>
#include <array>

#include "encode/charset.h"

namespace vstream {
namespace {

struct CollationRange {
  Charset charset;
  std::uint32_t first;
  std::uint32_t last;
};

using C = Charset;

// Ids from 1024 on are MariaDB's.
constexpr auto kCollations = std::to_array<CollationRange>({
    {C::kArmscii8, 32, 32},    {C::kArmscii8, 64, 64},    {C::kAscii, 11, 11},       {C::kAscii, 65, 65},
    {C::kAscii, 1035, 1035},   {C::kAscii, 1089, 1089},   {C::kBig5, 1, 1},          {C::kBig5, 84, 84},
    {C::kBig5, 1025, 1025},    {C::kBig5, 1108, 1108},    {C::kBinary, 63, 63},      {C::kCp1250, 26, 26},
    {C::kCp1250, 34, 34},      {C::kCp1250, 44, 44},      {C::kCp1250, 66, 66},      {C::kCp1250, 99, 99},
    {C::kCp1250, 1050, 1050},  {C::kCp1250, 1090, 1090},  {C::kCp1251, 14, 14},      {C::kCp1251, 23, 23},
    {C::kCp1251, 50, 52},      {C::kCp1251, 1074, 1075},  {C::kCp1256, 57, 57},      {C::kCp1256, 67, 67},
    {C::kCp1256, 1081, 1081},  {C::kCp1256, 1091, 1091},  {C::kCp1257, 29, 29},      {C::kCp1257, 58, 59},
    {C::kCp1257, 1082, 1083},  {C::kCp850, 4, 4},         {C::kCp850, 80, 80},       {C::kCp850, 1028, 1028},
    {C::kCp850, 1104, 1104},   {C::kCp852, 40, 40},       {C::kCp852, 81, 81},       {C::kCp852, 1064, 1064},
    {C::kCp852, 1105, 1105},   {C::kCp866, 36, 36},       {C::kCp866, 68, 68},       {C::kCp866, 1060, 1060},
    {C::kCp866, 1092, 1092},   {C::kCp932, 95, 96},       {C::kCp932, 1119, 1120},   {C::kDec8, 3, 3},
    {C::kDec8, 69, 69},        {C::kEucjpms, 97, 98},     {C::kEucjpms, 1121, 1122}, {C::kEuckr, 19, 19},
    {C::kEuckr, 85, 85},       {C::kEuckr, 1043, 1043},   {C::kEuckr, 1109, 1109},   {C::kGb18030, 248, 250},
    {C::kGb2312, 24, 24},      {C::kGb2312, 86, 86},      {C::kGb2312, 1048, 1048},  {C::kGb2312, 1110, 1110},
    {C::kGbk, 28, 28},         {C::kGbk, 87, 87},         {C::kGbk, 1052, 1052},     {C::kGbk, 1111, 1111},
    {C::kGeostd8, 92, 93},     {C::kGreek, 25, 25},       {C::kGreek, 70, 70},       {C::kGreek, 1049, 1049},
    {C::kGreek, 1094, 1094},   {C::kHebrew, 16, 16},      {C::kHebrew, 71, 71},      {C::kHebrew, 1040, 1040},
    {C::kHebrew, 1095, 1095},  {C::kHp8, 6, 6},           {C::kHp8, 72, 72},         {C::kKeybcs2, 37, 37},
    {C::kKeybcs2, 73, 73},     {C::kKoi8r, 7, 7},         {C::kKoi8r, 74, 74},       {C::kKoi8r, 1031, 1031},
    {C::kKoi8r, 1098, 1098},   {C::kKoi8u, 22, 22},       {C::kKoi8u, 75, 75},       {C::kKoi8u, 1046, 1046},
    {C::kKoi8u, 1099, 1099},   {C::kLatin1, 5, 5},        {C::kLatin1, 8, 8},        {C::kLatin1, 15, 15},
    {C::kLatin1, 31, 31},      {C::kLatin1, 47, 49},      {C::kLatin1, 94, 94},      {C::kLatin1, 1032, 1032},
    {C::kLatin1, 1071, 1071},  {C::kLatin2, 2, 2},        {C::kLatin2, 9, 9},        {C::kLatin2, 21, 21},
    {C::kLatin2, 27, 27},      {C::kLatin2, 77, 77},      {C::kLatin2, 1033, 1033},  {C::kLatin2, 1101, 1101},
    {C::kLatin5, 30, 30},      {C::kLatin5, 78, 78},      {C::kLatin5, 1054, 1054},  {C::kLatin5, 1102, 1102},
    {C::kLatin7, 20, 20},      {C::kLatin7, 41, 42},      {C::kLatin7, 79, 79},      {C::kLatin7, 1065, 1065},
    {C::kLatin7, 1103, 1103},  {C::kMacce, 38, 38},       {C::kMacce, 43, 43},       {C::kMacroman, 39, 39},
    {C::kMacroman, 53, 53},    {C::kSjis, 13, 13},        {C::kSjis, 88, 88},        {C::kSjis, 1037, 1037},
    {C::kSjis, 1112, 1112},    {C::kSwe7, 10, 10},        {C::kSwe7, 82, 82},        {C::kTis620, 18, 18},
    {C::kTis620, 89, 89},      {C::kTis620, 1042, 1042},  {C::kTis620, 1113, 1113},  {C::kUcs2, 35, 35},
    {C::kUcs2, 90, 90},        {C::kUcs2, 128, 151},      {C::kUcs2, 159, 159},      {C::kUcs2, 640, 642},
    {C::kUcs2, 1059, 1059},    {C::kUcs2, 1114, 1114},    {C::kUcs2, 1152, 1152},    {C::kUcs2, 1174, 1174},
    {C::kUjis, 12, 12},        {C::kUjis, 91, 91},        {C::kUjis, 1036, 1036},    {C::kUjis, 1115, 1115},
    {C::kUtf16, 54, 55},       {C::kUtf16, 101, 124},     {C::kUtf16, 672, 674},     {C::kUtf16, 1078, 1079},
    {C::kUtf16, 1125, 1125},   {C::kUtf16, 1147, 1147},   {C::kUtf16le, 56, 56},     {C::kUtf16le, 62, 62},
    {C::kUtf16le, 1080, 1080}, {C::kUtf16le, 1086, 1086}, {C::kUtf32, 60, 61},       {C::kUtf32, 160, 183},
    {C::kUtf32, 736, 738},     {C::kUtf32, 1084, 1085},   {C::kUtf32, 1184, 1184},   {C::kUtf32, 1206, 1206},
    {C::kUtf8, 33, 33},        {C::kUtf8, 45, 46},        {C::kUtf8, 76, 76},        {C::kUtf8, 83, 83},
    {C::kUtf8, 192, 215},      {C::kUtf8, 223, 247},      {C::kUtf8, 255, 323},      {C::kUtf8, 576, 578},
    {C::kUtf8, 608, 610},      {C::kUtf8, 1057, 1057},    {C::kUtf8, 1069, 1070},    {C::kUtf8, 1107, 1107},
    {C::kUtf8, 1216, 1216},    {C::kUtf8, 1238, 1238},    {C::kUtf8, 1248, 1248},    {C::kUtf8, 1270, 1270},
});

struct Name {
  std::string_view name;
  Charset charset;
};

constexpr auto kNames = std::to_array<Name>({
    {"armscii8", C::kArmscii8}, {"ascii", C::kAscii},     {"big5", C::kBig5},         {"binary", C::kBinary},
    {"cp1250", C::kCp1250},     {"cp1251", C::kCp1251},   {"cp1256", C::kCp1256},     {"cp1257", C::kCp1257},
    {"cp850", C::kCp850},       {"cp852", C::kCp852},     {"cp866", C::kCp866},       {"cp932", C::kCp932},
    {"dec8", C::kDec8},         {"eucjpms", C::kEucjpms}, {"euckr", C::kEuckr},       {"gb18030", C::kGb18030},
    {"gb2312", C::kGb2312},     {"gbk", C::kGbk},         {"geostd8", C::kGeostd8},   {"greek", C::kGreek},
    {"hebrew", C::kHebrew},     {"hp8", C::kHp8},         {"keybcs2", C::kKeybcs2},   {"koi8r", C::kKoi8r},
    {"koi8u", C::kKoi8u},       {"latin1", C::kLatin1},   {"latin2", C::kLatin2},     {"latin5", C::kLatin5},
    {"latin7", C::kLatin7},     {"macce", C::kMacce},     {"macroman", C::kMacroman}, {"sjis", C::kSjis},
    {"swe7", C::kSwe7},         {"tis620", C::kTis620},   {"ucs2", C::kUcs2},         {"ujis", C::kUjis},
    {"utf16", C::kUtf16},       {"utf16le", C::kUtf16le}, {"utf32", C::kUtf32},       {"utf8", C::kUtf8},
    {"utf8mb3", C::kUtf8},      {"utf8mb4", C::kUtf8},
});

}  // namespace

Charset charset_of_collation(std::uint32_t collation) {
  if (collation == 0) return Charset::kUnknown;
  const auto* const range = std::ranges::find_if(
      kCollations, [&](const CollationRange& r) { return r.first <= collation && collation <= r.last; });
  return range != kCollations.end() ? range->charset : Charset::kUntranslated;
}

Charset charset_of_name(std::string_view name) {
  const auto* const found = std::ranges::find(kNames, name, &Name::name);
  return found != kNames.end() ? found->charset : Charset::kUntranslated;
}

}  // namespace vstream
