# SPDX-License-Identifier: BSD-3-Clause
#
# QOS_FORTRAN
#
# Handles the option --disable-fortran; called after AC_PROG_FC and QOS_MPICH. The
# Fortran bindings of MPI and of libmpiqos are built if gfortran is installed. The
# build depends on the format of gfortran's module files and on its symbol names,
# which end with one underscore.
#
# Substitutes MPICH_FC (the compiler, or empty); defines the automake conditional
# WITH_FORTRAN; sets qos_fortran_text.
AC_DEFUN([QOS_FORTRAN], [
    AC_ARG_ENABLE([fortran],
        [AS_HELP_STRING([--disable-fortran],
            [build no mpif.h and no Fortran modules (default: build them if gfortran is installed)])],
        [], [enable_fortran=auto])
    MPICH_FC=
    qos_fortran_text="no (--disable-fortran)"
    AS_IF([test "$qos_mpich" != yes], [qos_fortran_text="no (without MPI)"],
        [test "$enable_fortran" != no], [
        AS_IF([test "$ac_cv_fc_compiler_gnu" = yes],
            [MPICH_FC=$FC
             qos_fortran_text=$FC],
            [test "$enable_fortran" = yes],
            [AC_MSG_ERROR([--enable-fortran requires gfortran; run: apt-get install gfortran])],
            [qos_fortran_text="no (apt-get install gfortran)"])
    ])
    AC_SUBST([MPICH_FC])
    AM_CONDITIONAL([WITH_FORTRAN], [test -n "$MPICH_FC"])
])
