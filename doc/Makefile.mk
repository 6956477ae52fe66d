# SPDX-License-Identifier: BSD-3-Clause
#
dist_man_MANS += doc/man/gm.3 doc/man/gmsim.1 doc/man/mpi_qos.3
