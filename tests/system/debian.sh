#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Checks that debian/ is consistent with the tree: the version, the packages that a build
# needs, and a package for every installed file. The command "make check-package" also
# builds the packages.
set -euo pipefail
. "$GMQOS_SRCDIR/tests/system/lib.sh"
export LC_ALL=C

debian=$GMQOS_SRCDIR/debian
stage=$(realpath "$GMQOS_STAGE")
# --- version ------------------------------------------------------------------------
version=$(sed -n s/^version=//p "$GMQOS_SRCDIR/VERSION")
head -n 1 "$debian/changelog" | grep -q "^gmqos ($version-[0-9]*)" ||
    fail "debian/changelog does not begin with version $version"

# --- packages that a build needs -----------------------------------------------------

# Build-Depends omits packages that every Debian with build tools has, and packages that
# only tools and tests use.
other=" autoconf automake libtool build-essential dpkg-dev gnuplot-nox graphviz hwloc "
needed=$(sed -n '/^Build-Depends:/,/^$/p' "$debian/control" | sed 's/[ ,].*(.*//; s/[ ,]//g')
while read -r package; do
    case $other in *" $package "*) continue ;; esac
    sed -n '/^Build-Depends:/,/^$/p' "$debian/control" | grep -qE "^ ${package}[ ,]" ||
        fail "packages.txt has $package, Build-Depends in debian/control has not"
done < <(sed 's/#.*//; /^$/d' "$GMQOS_SRCDIR/packages.txt")
[ -n "$needed" ] || fail "no Build-Depends"

# --- a package for each file -------------------------------------------------------
patterns=()
while read -r pattern; do
    case $pattern in '' | \#*) continue ;; esac
    patterns+=("${pattern%/}")
done < <(cat "$debian"/*.install "$debian/not-installed")
placed=0
while IFS= read -r file; do
    case $file in
        bin/*) file=usr/lib/gmqos/$file ;;
        lib/pkgconfig/*) file=usr/lib/x86_64-linux-gnu/${file#lib/} ;;
        lib/* | include/*) file=usr/lib/gmqos/$file ;;
        share/doc/gmqos/LICENSE | share/doc/gmqos/COPYRIGHT.mpich) continue ;;
        share/man/man1/gmsim*) file=usr/$file ;;
        share/man/man1/*) file=usr/lib/gmqos/$file ;;
        *) file=usr/$file ;;
    esac
    found=
    for pattern in "${patterns[@]}"; do
        # shellcheck disable=SC2053 # it is a pattern
        if [[ $file == $pattern || $file == $pattern/* ]]; then
            found=yes
            break
        fi
    done
    if [ -n "$found" ]; then
        placed=$((placed + 1))
    else
        fail "no package contains $file: debian/gmqos.install or debian/libgmqos-dev.install"
    fi
done < <(cd "$stage" && find . ! -type d -printf '%P\n')
[ "$placed" -gt 50 ] || fail "only $placed files"

finish
