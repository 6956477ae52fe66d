# SPDX-License-Identifier: BSD-3-Clause
#
# QOS_MPICH
#
# Handles the options --without-mpich, --with-mpich-source=DIR|TARBALL and
# --with-mpich-cache=DIR. The options decide whether MPICH is built, and from which
# source. make builds MPICH (see adi-gm/build/README.md).
#
# Substitutes MPICH_SOURCE (empty: fetch Debian's source) and MPICH_CACHE; defines the
# automake conditional WITH_MPICH; sets qos_mpich and qos_mpich_text.
AC_DEFUN([QOS_MPICH], [
    AC_ARG_WITH([mpich],
        [AS_HELP_STRING([--without-mpich],
            [build the GM level only: no MPI device, no libmpiqos])],
        [], [with_mpich=yes])
    AC_ARG_WITH([mpich-source],
        [AS_HELP_STRING([--with-mpich-source=DIR|TARBALL],
            [source of MPICH 4.0.2 (default: fetched with apt-get source)])],
        [], [with_mpich_source=])
    AC_ARG_WITH([mpich-cache],
        [AS_HELP_STRING([--with-mpich-cache=DIR],
            [directory that keeps compiled MPICH trees between builds; "no"
             keeps none @<:@${XDG_CACHE_HOME:-~/.cache}/gmqos@:>@])],
        [], [with_mpich_cache=yes])

    AS_CASE([$with_mpich],
        [yes], [qos_mpich=yes],
        [no], [qos_mpich=no],
        [AC_MSG_ERROR([--with-mpich accepts no directory; use --with-mpich-source=DIR|TARBALL for the source of MPICH])])

    MPICH_SOURCE=
    AS_CASE([$with_mpich_source],
        [""|no], [],
        [yes], [AC_MSG_ERROR([--with-mpich-source requires a directory or a tarball])],
        [/*], [MPICH_SOURCE=$with_mpich_source],
        [MPICH_SOURCE=$(pwd)/$with_mpich_source])
    AS_IF([test "$qos_mpich" = yes && test -n "$MPICH_SOURCE"], [
        AS_IF([test -d "$MPICH_SOURCE"],
            [AS_IF([test ! -x "$MPICH_SOURCE/configure"],
                [AC_MSG_ERROR([$MPICH_SOURCE has no configure script; use a release of MPICH, or a git checkout after ./autogen.sh])])],
            [test ! -f "$MPICH_SOURCE"],
            [AC_MSG_ERROR([--with-mpich-source=$MPICH_SOURCE: no such directory or file])])
    ])

    AS_CASE([$with_mpich_cache],
        [yes], [MPICH_CACHE=${XDG_CACHE_HOME:-$HOME/.cache}/gmqos],
        [no], [MPICH_CACHE=],
        [/*], [MPICH_CACHE=$with_mpich_cache],
        [MPICH_CACHE=$(pwd)/$with_mpich_cache])

    AS_IF([test "$qos_mpich" = yes], [
        qos_mpich_text=${MPICH_SOURCE:-"fetched with apt-get source"}
        QOS_CHECK_TOOL([patch], [patch])
        # MPICH's configure requires this program if there is a Fortran compiler
        QOS_CHECK_TOOL([python3], [python3])
        QOS_CHECK_TOOL([xz], [xz-utils])
        QOS_CHECK_TOOL([flock], [util-linux])
        QOS_CHECK_TOOL([sha256sum], [coreutils])
        AS_IF([test -z "$MPICH_SOURCE"], [
            QOS_CHECK_TOOL([dpkg-source], [dpkg-dev])
            AC_CHECK_PROG([qos_have_apt], [apt-get], [yes], [no])
            AS_IF([test "$qos_have_apt" = no], [AC_MSG_ERROR(
                [apt-get, which fetches the source of MPICH, is missing; use --with-mpich-source=DIR|TARBALL or --without-mpich])])
        ])
    ], [qos_mpich_text="no (GM level only)"])
    AC_SUBST([qos_mpich])
    AC_SUBST([MPICH_SOURCE])
    AC_SUBST([MPICH_CACHE])
    AM_CONDITIONAL([WITH_MPICH], [test "$qos_mpich" = yes])
])
