C     SPDX-License-Identifier: BSD-3-Clause
C
C     Code that gfortran 10 and later reject without options: one procedure receives
C     arguments of two types, and a hexadecimal constant is an argument.
      program old
      include 'mpif.h'
      integer ierr, rank, i(4), sumi(4), mask
      double precision d(4), sumd(4)
      call MPI_Init(ierr)
      call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
      i(1) = rank + 1
      d(1) = 0.5d0
      call total(i, sumi, MPI_INTEGER)
      call total(d, sumd, MPI_DOUBLE_PRECISION)
      mask = z'ff'
      if (sumi(1) .eq. 3 .and. sumd(1) .eq. 1.0d0 .and.
     &    mask .eq. 255) then
          if (rank .eq. 0) print *, 'No Errors'
      else
          print *, 'wrong sums', sumi(1), sumd(1), mask
      endif
      call MPI_Finalize(ierr)
      end

      subroutine total(part, whole, kind)
      include 'mpif.h'
      integer part(*), whole(*), kind, ierr
      call MPI_Allreduce(part, whole, 1, kind, MPI_SUM,
     &    MPI_COMM_WORLD, ierr)
      end
