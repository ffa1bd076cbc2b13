#!/bin/sh
# Every public header compiles alone.
set -eu
status=0
for header in lib/include/vstream/*.h; do
  "${CXX:-c++}" -std=c++23 -Wall -Wextra -Werror -fsyntax-only -I lib/include -include "$header" -x c++ /dev/null ||
    { echo "$header does not compile alone" && status=1; }
done
exit $status
