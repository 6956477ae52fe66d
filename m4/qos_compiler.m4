# SPDX-License-Identifier: BSD-3-Clause
#
# QOS_COMPILER
#
# Handles the options --enable-werror, --enable-sanitizers[=LIST], --disable-lto and
# --disable-hardening, and selects the warning flags that this compiler knows. Each
# flag is tested separately, and unknown flags are omitted.
#
# Substitutes these variables:
#
#     QOS_CFLAGS, QOS_LDFLAGS   for AM_CFLAGS and AM_LDFLAGS
#     QOS_MPI_CFLAGS            additional flags for MPI programs
#     QOS_NETMOD_CFLAGS         additional flags for the netmod
#     QOS_NO_UNDEFINED          flags for linking libraries
#     QOS_LTO_CFLAGS            flags for a fast library, if LTO is true
#     QOS_SAN_FLAGS             flags for mpicc
#
# Sets qos_werror, qos_sanitizers and qos_lto for the summary.

# QOS_TRY_CFLAG(FLAG, [VARIABLE = QOS_CFLAGS]): add FLAG to VARIABLE if the
# compiler accepts it
AC_DEFUN([QOS_TRY_CFLAG], [
    AS_VAR_PUSHDEF([qos_var], [qos_cv_cflag_$1])
    AC_CACHE_CHECK([whether $CC accepts $1], [qos_var], [
        qos_save_CFLAGS=$CFLAGS
        # clang only warns about an unknown flag, and gcc reports an unknown
        # -Wno-FLAG only together with another warning
        CFLAGS="$CFLAGS -Werror m4_bpatsubst([$1], [^-Wno-], [-W])"
        AC_COMPILE_IFELSE([AC_LANG_SOURCE([int qos_try;])],
            [AS_VAR_SET([qos_var], [yes])], [AS_VAR_SET([qos_var], [no])])
        CFLAGS=$qos_save_CFLAGS
    ])
    AS_VAR_IF([qos_var], [yes], [AS_VAR_APPEND(m4_default([$2], [QOS_CFLAGS]), [" $1"])])
    AS_VAR_POPDEF([qos_var])
])

# QOS_TRY_FORTIFY(LEVEL): set qos_fortify to the flags for this level of checked string
# functions, if the compiler supports it. The flags require optimization, because the C
# library otherwise prints a warning.
AC_DEFUN([QOS_TRY_FORTIFY], [
    AS_IF([test -z "$qos_fortify"], [
        qos_save_CFLAGS=$CFLAGS
        qos_fortify="-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=$1"
        CFLAGS="$CFLAGS -Werror $qos_fortify"
        AC_MSG_CHECKING([whether $CC accepts -D_FORTIFY_SOURCE=$1])
        AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[#include <string.h>
            #if $1 > 2 && !defined __clang__ && __GNUC__ < 12
            #error no __builtin_dynamic_object_size
            #endif]], [])],
            [AC_MSG_RESULT([yes])],
            [AC_MSG_RESULT([no])
             qos_fortify=])
        CFLAGS=$qos_save_CFLAGS
    ])
])

# QOS_HARDEN: add the flags that end the program after a memory fault, before the fault
# can be exploited. These flags are omitted if sanitizers are used, because sanitizers
# find more faults. [source: doc/design/0024-hardening.md, for the cost of each flag]
AC_DEFUN([QOS_HARDEN], [
    AC_ARG_ENABLE([hardening],
        [AS_HELP_STRING([--disable-hardening],
            [omit stack protection, checked string functions and read-only relocations])],
        [qos_hardening=$enableval], [qos_hardening=yes])
    AS_IF([test "$qos_sanitizers" != no], [qos_hardening=no])
    AS_IF([test "$qos_hardening" != no], [
        qos_fortify=
        QOS_TRY_FORTIFY([3])
        QOS_TRY_FORTIFY([2])
        QOS_CFLAGS="$QOS_CFLAGS $qos_fortify"
        QOS_TRY_CFLAG([-fstack-protector-strong])
        m4_foreach_w([qos_flag], [-Wl,-z,relro -Wl,-z,now], [
            qos_save_LDFLAGS=$LDFLAGS
            LDFLAGS="$LDFLAGS qos_flag"
            AC_MSG_CHECKING([whether $CC links with qos_flag])
            AC_LINK_IFELSE([AC_LANG_PROGRAM([], [])],
                [AC_MSG_RESULT([yes])
                 QOS_LDFLAGS="$QOS_LDFLAGS qos_flag"],
                [AC_MSG_RESULT([no])])
            LDFLAGS=$qos_save_LDFLAGS
        ])
    ])
])

AC_DEFUN([QOS_COMPILER], [
    AC_ARG_ENABLE([werror],
        [AS_HELP_STRING([--enable-werror],
            [treat compiler warnings as errors (for development)])],
        [qos_werror=$enableval], [qos_werror=no])
    AC_ARG_ENABLE([sanitizers],
        [AS_HELP_STRING([--enable-sanitizers@<:@=LIST@:>@],
            [build gmqos's code with -fsanitize=LIST @<:@address,undefined@:>@])],
        [qos_sanitizers=$enableval], [qos_sanitizers=no])
    AS_CASE([$qos_sanitizers], [yes], [qos_sanitizers=address,undefined])
    AC_ARG_ENABLE([lto],
        [AS_HELP_STRING([--disable-lto],
            [compile the files of libgm separately, which is faster, but
             the library is then about 10 % slower])],
        [qos_lto=$enableval], [qos_lto=yes])

    QOS_CFLAGS=
    QOS_LDFLAGS=
    QOS_SAN_FLAGS=
    m4_foreach_w([qos_flag], [
        -Wall -Wextra -Wshadow -Wundef -Wstrict-prototypes
        -Wmissing-prototypes -Wold-style-definition -Wpointer-arith
        -Wwrite-strings -Wcast-qual -Wvla -Wformat=2 -Wconversion
        -Wdouble-promotion -Wswitch-enum -Wimplicit-fallthrough -Wlogical-op
        -Wduplicated-cond -Wduplicated-branches -Wnull-dereference
        -Wno-unused-parameter
    ], [QOS_TRY_CFLAG(qos_flag)])

    # Assertions contain source paths relative to the top directory
    QOS_TRY_CFLAG([-fmacro-prefix-map=/none=], [qos_can_map])
    AS_IF([test -n "$qos_can_map"],
        [QOS_CFLAGS="$QOS_CFLAGS -fmacro-prefix-map=\$(top_srcdir)/="])

    # MPICH's headers cause warnings, because their macros expand in gmqos's code, and
    # because arguments such as MPI_STATUSES_IGNORE are not real addresses
    QOS_MPI_CFLAGS=
    QOS_NETMOD_CFLAGS=
    QOS_TRY_CFLAG([-Wno-stringop-overflow], [QOS_MPI_CFLAGS])
    m4_foreach_w([qos_flag], [
        -Wno-conversion -Wno-cast-qual -Wno-undef -Wno-shadow
        -Wno-switch-enum -Wno-sign-compare -Wno-stringop-overflow
        -Wno-null-dereference -Wno-missing-prototypes
    ], [QOS_TRY_CFLAG(qos_flag, [QOS_NETMOD_CFLAGS])])
    AC_SUBST([QOS_MPI_CFLAGS])
    AC_SUBST([QOS_NETMOD_CFLAGS])

    AS_IF([test "$qos_sanitizers" != no], [
        QOS_SAN_FLAGS="-fsanitize=$qos_sanitizers -fno-omit-frame-pointer -fno-sanitize-recover=all"
        qos_save_CFLAGS=$CFLAGS
        CFLAGS="$CFLAGS $QOS_SAN_FLAGS"
        AC_MSG_CHECKING([whether $CC links with -fsanitize=$qos_sanitizers])
        AC_LINK_IFELSE([AC_LANG_PROGRAM([], [])],
            [AC_MSG_RESULT([yes])],
            [AC_MSG_RESULT([no])
             AC_MSG_ERROR([$CC cannot build with -fsanitize=$qos_sanitizers])])
        CFLAGS=$qos_save_CFLAGS
        QOS_CFLAGS="$QOS_CFLAGS $QOS_SAN_FLAGS"
        QOS_LDFLAGS="$QOS_LDFLAGS $QOS_SAN_FLAGS"
    ])
    QOS_HARDEN
    AS_IF([test "$qos_werror" = yes], [QOS_CFLAGS="$QOS_CFLAGS -Werror"])

    # Sanitizers report more if functions are not inlined across files.
    AS_IF([test "$qos_sanitizers" != no], [qos_lto=no])
    QOS_LTO_CFLAGS=
    AS_IF([test "$qos_lto" != no], [
        qos_save_CFLAGS=$CFLAGS
        CFLAGS="$CFLAGS -flto=auto"
        AC_MSG_CHECKING([whether $CC links with -flto=auto])
        AC_LINK_IFELSE([AC_LANG_PROGRAM([], [])],
            [AC_MSG_RESULT([yes])
             qos_lto=yes
             QOS_LTO_CFLAGS=-flto=auto],
            [AC_MSG_RESULT([no])
             qos_lto=no])
        CFLAGS=$qos_save_CFLAGS
    ])
    AC_SUBST([QOS_LTO_CFLAGS])
    AM_CONDITIONAL([LTO], [test "$qos_lto" = yes])

    # A shared library must name all libraries that it needs. With a sanitizer this
    # is not possible, because the sanitizer's runtime is in the program.
    QOS_NO_UNDEFINED=-no-undefined
    AS_IF([test "$qos_sanitizers" = no],
        [QOS_NO_UNDEFINED="$QOS_NO_UNDEFINED -Wl,-z,defs"])
    AC_SUBST([QOS_NO_UNDEFINED])
    AC_SUBST([QOS_CFLAGS])
    AC_SUBST([QOS_LDFLAGS])
    AC_SUBST([QOS_SAN_FLAGS])
])
