#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Builds the Debian packages from the tree, without downloads and without errors from lintian.
# The packages are installed in a clean Debian 12, used there by root and by another user, and
# then removed completely. The command "make check-package" runs this test.
# GMQOS_DEBS=DIRECTORY selects packages that have already been built.
set -euo pipefail
export LC_ALL=C
unset MAKEFLAGS MFLAGS MAKELEVEL LD_LIBRARY_PATH PKG_CONFIG_PATH

for package in dpkg-buildpackage:dpkg-dev dh:debhelper lintian:lintian; do
    command -v "${package%:*}" > /dev/null || {
        echo "skipped: no ${package%:*} here (apt-get install ${package#*:})"
        exit 77
    }
done
version=$(sed -n s/^version=//p "$GMQOS_SRCDIR/VERSION")
jail=$GMQOS_SRCDIR/tests/newcomer/jail

took()
{
    echo "$1: $((SECONDS - began)) s"
    began=$SECONDS
}

# build_packages: copy the tree to build/gmqos as in a git checkout, and build the packages in
# build/
build_packages()
{
    mkdir -p build/gmqos
    if [ -e "$GMQOS_SRCDIR/.git" ]; then
        (cd "$GMQOS_SRCDIR" && git ls-files -z --cached --others --exclude-standard |
            tar --null --ignore-failed-read -T - -c) | tar -C build/gmqos -x
    else
        tar -C "$GMQOS_SRCDIR" --exclude="./$(realpath -m --relative-to="$GMQOS_SRCDIR" \
            "$GMQOS_BUILDDIR")" -c . | tar -C build/gmqos -x
        (cd build/gmqos && chmod -R u+w . && rm -rf configure build-aux)
    fi
    cd build/gmqos

    # if MPICH's source is missing, the build names the missing file and downloads nothing
    if env -i PATH="$PATH" HOME=/nonexistent debian/rules override_dh_auto_configure \
        > ../no-source.log 2>&1; then
        echo "FAIL: builds without the source of MPICH"
        exit 1
    fi
    grep -q 'MPICH_SOURCE=' ../no-source.log || { cat ../no-source.log; exit 1; }

    jobs=$(nproc)
    if ! DEB_BUILD_OPTIONS="nocheck parallel=$jobs" dpkg-buildpackage -us -uc -b \
        > ../build.log 2>&1; then
        tail -n 30 ../build.log
        if grep -q 'Unmet build dependencies' ../build.log; then
            echo "skipped: the build lacks packages, see above"
            exit 77
        fi
        exit 1
    fi
    cd ../..
    took "built"
}

began=$SECONDS
mkdir build
if [ -n "${GMQOS_DEBS:-}" ]; then
    cp "$GMQOS_DEBS"/*.{deb,changes,buildinfo} build/
else
    build_packages
fi

# --- lintian -----------------------------------------------------------------------
lintian --allow-root --fail-on error --suppress-tags bad-distribution-in-changes-file \
    build/*.changes > lintian.log 2>&1 || { cat lintian.log; exit 1; }
cat lintian.log
took "lintian"

# --- a clean Debian --------------------------------------------------------------------
reason=$(bash "$jail" can) || {
    echo "not tested in a clean Debian: ${reason#skipped: }"
    exit 77
}
trap 'rm -rf --one-file-system "$PWD/root"' EXIT
bash "$jail" make "$PWD/root"
mkdir root/root/in
cp build/gmqos_*.deb build/libgmqos-dev_*.deb root/root/in/
cp -R "$GMQOS_SRCDIR/tests/data/outside" "$GMQOS_SRCDIR/tests/system/outside.sh" \
    "$GMQOS_SRCDIR/tests/system/outside-cmake.sh" root/root/in/
took "clean Debian"

cat > root/root/in/trial << 'END'
#!/bin/bash
# in the clean Debian, as root and as a user
set -euo pipefail
gmsim doctor > doctor.out || { cat doctor.out; exit 1; }
grep -E '^(BAD|note)' doctor.out || :
grep -q 'an MPI job .* works' doctor.out
grep -q 'a GM job .* works' doctor.out

# the demo runs without environment variables
[ "$(command -v mpirun || :)" = "" ]
gmqos-mpicc -o bandwidth /usr/share/doc/gmqos/examples/bandwidth.c -lmpiqos
gmqos-mpirun -n 4 ./bandwidth > demo.out || { cat demo.out; exit 1; }
grep '^granted: 40.01 MB/s to rank 1 (premium' demo.out
gmsim experiment list > /dev/null

mkdir outside outside-cmake
(cd outside && bash /in/outside.sh /usr/lib/gmqos/bin /in/outside)
(cd outside-cmake && bash /in/outside-cmake.sh /usr/lib/gmqos/bin /in/outside)
# programs without "gmsim env": pkg-config finds its files in their standard directory
cc -o gm /in/outside/gm.c $(pkg-config --cflags --libs gm)
[ "$(./gm)" = "GM: received" ]

# the compiler searches the system's own directories anyway
[ "$(gmsim env | grep -c /usr/lib/gmqos)" -ge 3 ]
! gmsim env | grep -E 'MANPATH|PKG_CONFIG_PATH'
eval "$(gmsim env)"
gmsim doctor | grep '^ok launcher */usr/lib/gmqos/bin/mpirun\|^ok  *launcher' > /dev/null
[ "$(mpirun -n 2 mpi-pingpong -s 8 | wc -l)" -ge 1 ]
END
cat > root/root/in/all << 'END'
#!/bin/bash
set -euo pipefail
mv /root/in /in && chmod -R a+rX /in
quiet()
{
    "$@" > /root/log 2>&1 || { tail -n 30 /root/log; exit 1; }
}
listing()
{
    find / -xdev \( -path /proc -o -path /dev -o -path /in -o -path /tmp -o -path /root \
        -o -path /home -o -path /var/cache -o -path /var/log -o -path /var/lib/apt \
        -o -path /var/lib/dpkg \) -prune -o \
        \( -type d -printf '%p d %m\n' \) -o -printf '%p %y %m %s %l\n' |
        grep -v '^/etc/ld.so.cache\|^/ d' | sort
}
# check the directories that gmqos alone creates: install every package on which gmqos depends
# first
quiet apt-get update
# shellcheck disable=SC2046 # a list of words
quiet apt-get install -y --no-install-recommends g++ gcc gfortran pkg-config cmake make \
    $(dpkg-deb -f /in/gmqos_*.deb Depends | sed 's/([^)]*)//g; s/|[^,]*//g; s/,/ /g')
listing > /root/before
quiet apt-get install -y --no-install-recommends /in/gmqos_*.deb
# if the package for compiling is not installed, the doctor reports this, and jobs run
gmsim doctor > /root/doctor || { cat /root/doctor; exit 1; }
grep -q 'libgmqos-dev' /root/doctor
quiet apt-get install -y --no-install-recommends /in/libgmqos-dev_*.deb
dpkg-query -W -f '${Package} ${Version} ${Installed-Size} KiB\n' gmqos libgmqos-dev
dpkg --verify gmqos libgmqos-dev

useradd --create-home somebody
cd /root && mkdir trial && (cd trial && bash /in/trial)
cd / && su - somebody -c 'mkdir "a folder" && cd "a folder" && bash /in/trial' > /root/log 2>&1 ||
    { cat /root/log; exit 1; }
userdel -r somebody > /dev/null 2>&1

# install the packages once more over themselves, then purge them
quiet apt-get install -y --reinstall /in/*.deb
quiet dpkg --remove libgmqos-dev gmqos
quiet dpkg --purge libgmqos-dev gmqos
listing > /root/after
grep -vE '^/etc/(passwd|group|shadow|gshadow|sub[ug]id)-? ' /root/before > /root/b
grep -vE '^/etc/(passwd|group|shadow|gshadow|sub[ug]id)-? ' /root/after > /root/a
diff /root/b /root/a || { echo "FAIL: purging does not restore the system"; exit 1; }
! dpkg-query -W gmqos 2> /dev/null || { echo "FAIL: still installed"; exit 1; }
ls /dev/shm | grep . && { echo "FAIL: files remain in /dev/shm"; exit 1; }
echo "removed completely"
END
bash "$jail" run "$PWD/root" bash /root/in/all
took "installed, used, removed"
echo "packages of gmqos $version are good"
