#!/bin/sh
# Dependencies between the folders point one way (CONTRIBUTING.md draws them). Prints each include that does not.
set -eu

# room: the rooms that it may include, besides itself and the public headers (vstream/).
rooms='
base:
position: base
vtgate:   position base
encode:   vtgate position base
sink:     vtgate position base
checkpoint: vtgate position base
stream:   encode sink checkpoint vtgate position base
probe:    encode sink checkpoint vtgate position base
simulator: position base
'
status=0
complain() {
  printf '%s\n' "$1"
  status=1
}

for path in lib/*/; do
  room=$(basename "$path")
  [ "$room" != include ] || continue
  allowed=$(printf '%s\n' "$rooms" | sed -n "s/^$room: *//p")
  printf '%s\n' "$rooms" | grep -q "^$room:" || complain "lib/$room: a room that tests/house/rooms.sh does not know"
  pattern=$(printf '%s' "vstream $room $allowed" | tr -s ' ' '|')
  found=$(grep -rnE '#include "[a-z_]+/' "$path" | grep -vE "#include \"($pattern)/" || true)
  [ -z "$found" ] || complain "$found"
done

# The command line sees the public headers and itself; what a user includes drags in nobody else's headers.
foreign='[<"](grpc|google/|nlohmann/|simdjson|fmt/|re2/|openssl/|[a-z_]+\.(grpc\.)?pb\.h)'
found=$(grep -rnE '#include "[a-z_]+/' cli | grep -v '#include "vstream/' || true)
[ -z "$found" ] || complain "$found"
found=$(grep -rnE '#include [<"](grpc|google/|[a-z_]+\.(grpc\.)?pb\.h)' cli || true)
[ -z "$found" ] || complain "$found"
found=$(grep -rnE "#include $foreign" lib/include || true)
[ -z "$found" ] || complain "$found"

# Generated messages stay where the wire is: the row path never sees them.
found=$(grep -rnE '#include "[a-z_]+\.(grpc\.)?pb\.h"' lib/base lib/position lib/sink || true)
[ -z "$found" ] || complain "$found"
exit $status
