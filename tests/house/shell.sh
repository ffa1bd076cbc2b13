#!/bin/sh
# Shell scripts parse, and shellcheck (where it is installed) has no warnings.
set -eu
for script in dev scripts/*.sh tests/house/*.sh; do sh -n "$script"; done
find .ci/run tests -name '*.sh' -exec bash -n {} \;
if command -v shellcheck >/dev/null; then
  shellcheck --severity=warning --check-sourced --external-sources --source-path=. dev scripts/demo.sh .ci/run
  find tests -name '*.sh' -exec shellcheck --severity=warning {} +
fi
