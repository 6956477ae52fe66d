# SPDX-License-Identifier: BSD-3-Clause
#
include $(top_srcdir)/doc/documents.mk

# Draw those pictures again that show runs, in the source directory. Check the pictures
# before you commit them, because `make check` does not compare them.
EXTRA_DIST += doc/pictures/make-pictures
if WITH_MPICH
pictures: stage examples/bandwidth$(EXEEXT)
	$(AM_V_GEN)PATH="$(abs_builddir)/stage/bin:$$PATH" \
	LD_LIBRARY_PATH="$(abs_builddir)/stage/lib$${LD_LIBRARY_PATH:+:$$LD_LIBRARY_PATH}" \
	python3 -B $(srcdir)/doc/pictures/make-pictures examples
else !WITH_MPICH
pictures:
	@echo "make pictures: this build has no MPICH (--without-mpich)" >&2; exit 1
endif !WITH_MPICH
.PHONY: pictures
