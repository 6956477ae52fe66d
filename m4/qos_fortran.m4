# SPDX-License-Identifier: BSD-3-Clause
#
# QOS_FORTRAN
#
# Handles the option --disable-fortran; called after AC_PROG_FC and QOS_MPICH. The
# Fortran bindings of MPI and of libmpiqos are built if gfortran is installed. The
# build depends on the format of gfortran's module files and on its symbol names,
# which end with one underscore.
#
# Substitutes MPICH_FC (the compiler, or empty) and QOS_FC_FLAGS (the options with
# which mpifort accepts old code); defines the automake conditional WITH_FORTRAN; sets
# qos_fortran_text.
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
    # gfortran 10 and later reject calls of one procedure with arguments of several
    # types, and hexadecimal constants outside DATA statements, unless these options
    # allow them. MPI programs contain both, for example NPB. Debian's mpifort passes
    # the same options.
    QOS_FC_FLAGS=
    AS_IF([test -n "$MPICH_FC"], [
        AC_LANG_PUSH([Fortran])
        qos_saved_FCFLAGS=$FCFLAGS
        m4_foreach_w([qos_flag], [-fallow-invalid-boz -fallow-argument-mismatch], [
            AC_MSG_CHECKING([whether $FC accepts qos_flag])
            FCFLAGS="$qos_saved_FCFLAGS qos_flag"
            AC_COMPILE_IFELSE([AC_LANG_PROGRAM],
                [AC_MSG_RESULT([yes])
                 QOS_FC_FLAGS="$QOS_FC_FLAGS qos_flag"],
                [AC_MSG_RESULT([no])])
        ])
        FCFLAGS=$qos_saved_FCFLAGS
        AC_LANG_POP([Fortran])
    ])
    AC_SUBST([MPICH_FC])
    AC_SUBST([QOS_FC_FLAGS])
    AM_CONDITIONAL([WITH_FORTRAN], [test -n "$MPICH_FC"])
])
