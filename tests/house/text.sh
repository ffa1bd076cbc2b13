#!/bin/sh
# What must not stand in the repository: marks of unfinished work, merge conflicts, paths of one machine, links to
# hosts that nobody has decided on.
set -eu
status=0

# forbid WHAT PATTERN: prints where the pattern stands.
forbid() {
  if grep -rnIE --exclude-dir=.git --exclude-dir=build --exclude-dir=transcripts --exclude-dir=corpus \
    --exclude=text.sh --exclude=LICENSE "$2" .; then
    echo "^ $1" && status=1
  fi
}
forbid 'unfinished work' '\b(TODO|FIXME|XXX|HACK)\b'
forbid 'a merge conflict' '^(<<<<<<<|>>>>>>>)'
forbid 'a path of one machine' '(^|[^A-Za-z0-9_.])/(home|work|Users)/'

# Links outside the test data go to these hosts only.
hosts='vitess\.io|json-schema\.org|(www\.)?apache\.org|keepachangelog\.com|semver\.org|github\.com/vitessio/|[a-z.]*example\.(com|org)'
found=$(grep -rnIoE --exclude-dir=.git --exclude-dir=build --exclude-dir=transcripts --exclude-dir=corpus \
  --exclude=text.sh --exclude=LICENSE 'https?://[A-Za-z0-9.-]+[^ )>"`]*' . |
  grep -vE "https?://($hosts|127\.0\.0\.1|localhost)" || true)
[ -z "$found" ] || { printf '%s\n^ a link to a host that is not on the list in tests/house/text.sh\n' "$found" && status=1; }
exit $status
