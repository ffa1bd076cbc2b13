#!/bin/sh
# No source file above 600 lines; those above 400 are named.
set -eu
find cli examples lib tests scripts dev \( -name '*.h' -o -name '*.cpp' -o -name '*.py' -o -name '*.sh' -o -name dev \) \
  -exec awk '
    FNR == 1 { names[++n] = FILENAME }
    { lines[FILENAME] = FNR }
    END {
      for (i = 1; i <= n; i++) {
        count = lines[names[i]]
        if (count > 400) print names[i] ": " count " lines" (count > 600 ? ", too many: split it" : "")
        if (count > 600) status = 1
      }
      exit status
    }' {} +
