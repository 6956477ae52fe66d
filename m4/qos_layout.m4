# SPDX-License-Identifier: BSD-3-Clause
#
# QOS_LAYOUT
#
# Computes the relative paths between the installed directories. With these paths, programs,
# libraries and mpicc find each other even if the whole prefix is moved. This also works with
# --libdir=/usr/lib/x86_64-linux-gnu or similar options.
#
# Substitutes these variables:
#
#     LIBDIR_FROM_BINDIR, INCLUDEDIR_FROM_BINDIR, MANDIR_FROM_BINDIR,
#     DOCDIR_FROM_BINDIR, PKGCONFIGDIR_FROM_BINDIR
#                relative paths
#     PC_PREFIX  the prefix for pkg-config, relative to its file, but absolute
#                for a system directory
#     PC_RPATH   the flag with which programs find the libraries; empty if the
#                dynamic linker searches their directory anyway
#     MKDIR_P    the command that creates directories

# QOS_EXPAND(VARIABLE, DIRECTORY): expand the references to other variables in DIRECTORY
AC_DEFUN([QOS_EXPAND], [
    $1=$2
    while :; do
        eval "qos_expanded=\"[$]$1\""
        test "$qos_expanded" != "[$]$1" || break
        $1=$qos_expanded
    done
])

# QOS_FROM_BINDIR(NAME, DIRECTORY): substitute NAME_FROM_BINDIR, the path from bindir
AC_DEFUN([QOS_FROM_BINDIR], [
    $1_FROM_BINDIR=$(realpath -m -s --relative-to="$qos_bindir" "$2")
    AS_IF([test -z "[$]$1_FROM_BINDIR"],
        [AC_MSG_ERROR([realpath of GNU coreutils is missing])])
    AC_SUBST([$1_FROM_BINDIR])
])

AC_DEFUN([QOS_LAYOUT], [
    qos_save_prefix=$prefix
    qos_save_exec_prefix=$exec_prefix
    test "$prefix" != NONE || prefix=$ac_default_prefix
    test "$exec_prefix" != NONE || exec_prefix=$prefix
    AS_CASE([$(pwd)], [*@<:@[[:space:]]@:>@*], [AC_MSG_ERROR(
        [libtool cannot build in a directory with a blank in its path: $(pwd)])])
    qos_prefix=$prefix
    QOS_EXPAND([qos_bindir], [$bindir])
    QOS_EXPAND([qos_libdir], [$libdir])
    QOS_EXPAND([qos_includedir], [$includedir])
    QOS_EXPAND([qos_mandir], [$mandir])
    QOS_EXPAND([qos_docdir], [$docdir])
    QOS_EXPAND([qos_pkgconfigdir], [$pkgconfigdir])
    prefix=$qos_save_prefix
    exec_prefix=$qos_save_exec_prefix

    # [source: libtool 2.4.7, func_mode_link: a list of directories is kept as
    # words]
    AS_CASE(["$qos_bindir$qos_libdir$qos_includedir"],
        [*@<:@[[:space:]\"\$\&\`\\\']@:>@*], [AC_MSG_ERROR(
            [libtool cannot link libraries for a directory with a blank or a quote
    in its name. Install to another directory, and then move the whole installation:
        ./configure --prefix=/gmqos && make install DESTDIR="\$PWD/new"
        mv new/gmqos "the folder"])])

    QOS_FROM_BINDIR([LIBDIR], [$qos_libdir])
    QOS_FROM_BINDIR([INCLUDEDIR], [$qos_includedir])
    QOS_FROM_BINDIR([MANDIR], [$qos_mandir])
    QOS_FROM_BINDIR([DOCDIR], [$qos_docdir])
    QOS_FROM_BINDIR([PKGCONFIGDIR], [$qos_pkgconfigdir])

    AS_CASE([$qos_libdir],
        [/lib|/lib64|/usr/lib|/usr/lib64|/lib/*-linux-gnu|/usr/lib/*-linux-gnu],
            [PC_PREFIX=$qos_prefix
             PC_RPATH=],
        [PC_PREFIX="\${pcfiledir}/$(realpath -m -s --relative-to="$qos_pkgconfigdir" "$qos_prefix")"
         PC_RPATH=' -Wl,-rpath,${libdir}'])
    AC_SUBST([PC_PREFIX])
    AC_SUBST([PC_RPATH])

    # Other users must be able to use the files that root installs, regardless of root's
    # umask: GNU install creates parent directories with mode 755, but mkdir -p does not.
    AS_IF([install -d -m 755 conftest.d/a/b 2> /dev/null],
        [MKDIR_P='install -d -m 755'])
    rm -rf conftest.d
    AC_SUBST([MKDIR_P])
])
