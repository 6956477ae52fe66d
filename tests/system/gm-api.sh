#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Checks that gm.h and libgm.so provide everything that programs need, for each version of
# GM. The names in tests/data/gm-api.txt must be exported, and must be declared for their
# version of GM and all later versions. A client must compile for every version, with both
# kinds of network types, in C and in C++, and must run.
# needs: nothing
set -euo pipefail
. "$GMQOS_SRCDIR/tests/system/lib.sh"
export LC_ALL=C

data=$GMQOS_SRCDIR/tests/data
header=$GMQOS_STAGE/include/gm.h
library=$GMQOS_STAGE/lib/libgm.so
versions=(1_0 1_1 1_2 1_3 1_4 1_5 1_6 2_0 2_0_6 2_0_12 2_0_16)
declare -A age
for index in "${!versions[@]}"; do
    age[${versions[index]}]=$index
done
cc=${CC:-cc}
cxx=${CXX:-c++}
command -v "${cxx%% *}" > /dev/null || cxx=
# The GM library may need the library of a sanitizer.
sanitizers=()
undefined=$(nm -D --undefined-only "$library")
[[ $undefined != *__asan_* ]] || sanitizers+=(-fsanitize=address)
[[ $undefined != *__ubsan_* ]] || sanitizers+=(-fsanitize=undefined)

# Print the names that gm.h declares for this version. Each declaration is joined into one
# line; the declared name is the word before the first "(". In a declaration without "(",
# it is the word before the "[" or before the end.
declared()
{
    $cc -E -P -DGM_API_VERSION="GM_API_VERSION_$1" "$header" |
        tr '\n;{}' ' \n\n\n' |
        sed -nE 's/.*visibility *\("default"\)\)\) *//p' |
        sed -E 's/[[(].*//; s/ *$//; s/.*[ *]//' | sort
}

# Print the names that gm.h should declare for this version.
expected()
{
    local name since
    while read -r name since; do
        case $name in '' | \#*) continue ;; esac
        [ "${age[$since]}" -gt "${age[$1]}" ] || echo "$name"
    done < "$data/gm-api.txt" | sort
}

# --- declarations ------------------------------------------------------------------
newest=${versions[-1]}
declared "$newest" > all
[ "$(wc -l < all)" -gt 100 ] || fail "only $(wc -l < all) names found in gm.h"
expected "$newest" > listed
[ -z "$(uniq -d listed)" ] || fail "listed twice:" $(uniq -d listed)
for name in $(comm -23 all listed); do
    fail "gm.h declares $name, which tests/data/gm-api.txt does not list"
done
for name in $(comm -13 all listed); do
    fail "gm.h does not declare $name"
done
echo "$(wc -l < all) names"
for version in "${versions[@]}"; do
    declared "$version" > have
    comm -12 all <(expected "$version") > want
    cmp -s have want || fail "gm.h for version $version:" \
        "declares unexpected names:" $(comm -23 have want) \
        "too little:" $(comm -13 have want)
done
for number in 0xff 0x20011; do
    ! $cc -fsyntax-only -DGM_API_VERSION=$number "$header" 2> /dev/null ||
        fail "gm.h accepts version $number"
done

for name in $(comm -12 all listed | grep -vx _gm_assertion_failed); do
    grep -qw -- "$name" "$GMQOS_SRCDIR/doc/man/gm.3" ||
        fail "doc/man/gm.3 does not mention $name"
done

# --- the library -------------------------------------------------------------------
nm -D --defined-only "$library" | sed 's/.* //; s/@.*//' | sort > exported
for name in $(comm -23 all exported); do
    fail "libgm.so does not export $name"
done

# create a program that refers to all names
{
    echo '#include "gm.h"'
    while read -r name; do
        case $name in
            GM_PAGE_LEN | *_table) echo "const void *to_$name = &$name;" ;;
            *) echo "void (*to_$name)(void) = (void (*)(void))$name;" ;;
        esac
    done < all
    echo 'int main(void) { return 0; }'
} > all.c

# --- clients -----------------------------------------------------------------------
flags=(-I"$GMQOS_STAGE/include" -Wall -Wextra -Werror)
libs=(-L"$GMQOS_STAGE/lib" -Wl,-rpath,"$GMQOS_STAGE/lib" -lgm)
languages=("$cc -x c -std=gnu89" "$cc -x c -std=gnu11")
# C++98 has no long long, and g++ warns about it even after __extension__
[ -z "$cxx" ] || languages+=(
    "$cxx -x c++ -std=c++98 -Wno-long-long" "$cxx -x c++ -std=c++17")
compiled=0
for language in "${languages[@]}"; do
    for strong in 0 1; do
        for version in "${versions[@]}"; do
            compiled=$((compiled + 1))
            $language "${flags[@]}" -pedantic -fsyntax-only \
                -DGM_API_VERSION="GM_API_VERSION_$version" \
                -DGM_STRONG_TYPES=$strong "$data/gm_client.c" ||
                fail "$language, version $version, strong types $strong"
        done
        for version in "${versions[0]}" "$newest"; do
            $language "${flags[@]}" "${sanitizers[@]}" -o client \
                -DGM_API_VERSION="GM_API_VERSION_$version" \
                -DGM_STRONG_TYPES=$strong "$data/gm_client.c" -x none \
                "${libs[@]}" && ./client ||
                fail "running $language, version $version, strong types $strong"
        done
    done
    $language "${flags[@]}" -Wno-cast-function-type "${sanitizers[@]}" \
        -o all.out all.c -x none "${libs[@]}" && ./all.out || fail "linking with all names, $language"
done
echo "$compiled compilations"
finish
