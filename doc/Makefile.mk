# SPDX-License-Identifier: BSD-3-Clause
#
include $(top_srcdir)/doc/documents.mk
