# SPDX-License-Identifier: BSD-3-Clause
#
# Checks for the required libraries and tools of other packages. QOS_PACKAGES_DONE ends
# configure with one message that names all missing Debian packages.

# QOS_MISSING(WHAT, DEBIAN-PACKAGE)
AC_DEFUN([QOS_MISSING], [
    qos_missing_packages="$qos_missing_packages $2"
    AC_MSG_WARN([$1 is missing; its Debian package is $2])
])

# QOS_CHECK_PKG(VARIABLE-PREFIX, PKG-CONFIG-MODULE-SPEC, DEBIAN-PACKAGE)
# Substitutes <PREFIX>_CFLAGS and <PREFIX>_LIBS.
AC_DEFUN([QOS_CHECK_PKG], [
    AS_IF([test -n "$PKG_CONFIG"],
        [PKG_CHECK_MODULES([$1], [$2], [], [QOS_MISSING([$2], [$3])])],
        [qos_missing_packages="$qos_missing_packages $3"])
])

# QOS_CHECK_TOOL(PROGRAM, DEBIAN-PACKAGE)
AC_DEFUN([QOS_CHECK_TOOL], [
    AC_CHECK_PROG(AS_TR_SH([qos_have_$1]), [$1], [yes], [no])
    AS_IF([test "$AS_TR_SH([qos_have_$1])" = no], [QOS_MISSING([$1], [$2])])
])

AC_DEFUN([QOS_PACKAGES_DONE], [
    AS_IF([test -n "$qos_missing_packages"], [
        AC_MSG_ERROR([packages are missing, see the warnings above. On Debian, run:
    apt-get install$qos_missing_packages])
    ])
])
