#!/bin/sh
# ./dev demo: starts the demo shop that is built into vstream and streams it for some seconds.
# demo.sh VSTREAM
set -eu
vstream=$1
folder=$(mktemp -d)
shop=
finish() {
  trap - EXIT INT TERM HUP
  [ -z "$shop" ] || { kill "$shop" 2>/dev/null && wait "$shop" 2>/dev/null; } || true
  rm -rf "$folder"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
trap 'exit 129' HUP

"$vstream" simulate --print-address-to "$folder/address" >"$folder/log" 2>&1 &
shop=$!
tries=0
while [ ! -s "$folder/address" ]; do
  tries=$((tries + 1))
  if [ "$tries" -gt 100 ] || ! kill -0 "$shop" 2>/dev/null; then
    cat "$folder/log" >&2
    echo 'demo: the demo shop did not start' >&2
    exit 1
  fi
  sleep 0.1
done
address=$(cat "$folder/address")

printf '\n$ vstream tail customer -a %s --from copy --duration 8s\n\n' "$address" >&2
"$vstream" tail customer -a "$address" --from copy --duration 8s

cat >&2 <<END

That was a copy of what was in the shop (op "r"), then every change, one JSON line each. What to try next:

  $vstream simulate --listen 127.0.0.1:15991 &        # the same shop, until you stop it
  $vstream tail customer                              # changes from now on, Ctrl-C ends
  $vstream tail customer --from copy --until copy-completed -o customer.jsonl
  $vstream tail customer -c 5 | jq .after
  $vstream tail --help
END
