#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Checks the files that "make install" copies (the stage): the modes, the run paths, and
# the pkg-config files. No file may contain the name of the build directory, and "make
# uninstall" must not leave any file. The command "make check-install" tests
# installations under other prefixes.
# needs: nothing
set -euo pipefail
. "$GMQOS_SRCDIR/tests/system/lib.sh"
export LC_ALL=C
unset MAKEFLAGS MFLAGS MAKELEVEL

stage=$(realpath "$GMQOS_STAGE")
in_build()
{
    make -C "$GMQOS_BUILDDIR" "$@" > make.log 2>&1 || { cat make.log; exit 1; }
}

# --- modes: readable for all users, whatever the umask is ------------------
odd=$(find "$stage" \( -type d ! -perm 755 -o -type f ! -perm 755 ! -perm 644 \) \
    -printf '%m %p\n')
[ -z "$odd" ] || fail "modes: $odd"
(umask 077 && in_build install-data DESTDIR="$PWD/data")
odd=$(find data -mindepth 1 \( -type d ! -perm 755 -o -type f ! -perm 755 ! -perm 644 \) \
    -printf '%m %p\n')
[ -z "$odd" ] || fail "modes under umask 077: $odd"
[ "$(find data -type f | wc -l)" -gt 5 ] || fail "install-data installs nothing"

# --- run paths; the name of the build directory may occur only in debugging information
cp -R "$stage/." copy
elves=0
while IFS= read -r -d '' file; do
    elves=$((elves + 1))
    dynamic=$(readelf -d "$file")
    path=$(sed -n 's/.*(RUNPATH).*\[\(.*\)\]/\1/p' <<< "$dynamic")
    ! grep -q '(RPATH)' <<< "$dynamic" || fail "$file has an RPATH"
    [[ $path =~ ^(\$ORIGIN(/\.\.[-a-z0-9_/]*)?)?$ ]] || fail "$file: RUNPATH $path"
    strip -g "$file"
done < <(grep -rlZaP '^\x7fELF' copy)
for folder in "$GMQOS_BUILDDIR" "$GMQOS_SRCDIR"; do
    # messages of a sanitizer name the source files
    [ -z "${GMQOS_SAN_FLAGS:-}" ] || continue
    named=$(grep -rlaF "$folder" copy || :)
    [ -z "$named" ] || fail "$folder is named by $named"
done
[ "$elves" -gt 5 ] || fail "only $elves programs and libraries"

# --- pkg-config -------------------------------------------------------------------
version=$(sed -n s/^version=//p "$GMQOS_SRCDIR/VERSION")
found=0
while IFS= read -r pc; do
    found=$((found + 1))
    name=$(basename "$pc" .pc)
    PKG_CONFIG_PATH=$(dirname "$pc")
    export PKG_CONFIG_PATH
    pkg-config --validate "$name" || fail "$pc"
    [ "$(pkg-config --modversion "$name")" = "$version" ] || fail "$pc: not $version"
    include=$(pkg-config --variable=includedir "$name")
    libraries=$(pkg-config --variable=libdir "$name")
    [ "$(realpath "$include")" = "$stage/include" ] || fail "$pc: $include"
    [ -e "$libraries/lib$name.so" ] || fail "$pc: $libraries"
    # a static program can be linked with the libraries
    for flag in $(pkg-config --static --libs-only-l "$name"); do
        echo 'int main(void) { return 0; }' > none.c
        # shellcheck disable=SC2086 # a list of flags
        ${CC:-cc} ${GMQOS_SAN_FLAGS:-} none.c -o none "-L$libraries" \
            "-Wl,-rpath-link,$libraries" "$flag" || fail "$pc: $flag"
    done
done < <(find "$stage" -name '*.pc')
[ "$found" -ge 1 ] || fail "no pkg-config file"

# --- uninstall ----------------------------------------------------------------------

# tree NAME: print the contents of a directory, but not the sizes of directories, which
# never decrease
tree()
{
    (cd "$1" && find . \( -type d -printf '%p %y %m\n' \) -o -printf '%p %y %m %s\n' |
        sort)
}

# before NAME PREFIX used|no: create a tree, and then install gmqos into this tree. With
# `used', the prefix already contains files of other software; with `no', it is empty.
before()
{
    local dir
    mkdir -p "$1$2"
    for dir in bin lib lib/pkgconfig include share/man/man1 share/man/man3; do
        mkdir -p "$1$2/$dir"
        echo mine > "$1$2/$dir/another"
    done
    [ "$3" = used ] || rm -rf "${1:?}$2"
    mkdir -p "$1$2"
    tree "$1" > "$1.before"
    cp -R "$stage/." "$1$2/"
}

after()
{
    tree "$1" > "$1.after"
    diff "$1.before" "$1.after" || fail "$1: uninstall leaves a different tree"
}

before used /opt/own used
in_build uninstall prefix=/opt/own DESTDIR="$PWD/used"
after used

before empty /opt/own no
in_build uninstall prefix=/opt/own DESTDIR="$PWD/empty"
after empty

# the system's own directories remain, even if they are empty
before system /usr/local no
in_build uninstall prefix=/usr/local DESTDIR="$PWD/system"
left=$(find system ! -type d -o -name '*gmqos*')
[ -z "$left" ] || fail "uninstall leaves $left"
[ -d system/usr/local/bin ] || fail "uninstall removes /usr/local/bin"

finish
