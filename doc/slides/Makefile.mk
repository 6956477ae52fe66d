# SPDX-License-Identifier: BSD-3-Clause
#
# `make slides` generates slides.html in the build directory from doc/tutorial/slides.md.
# The file contains its pictures, style and script, and therefore needs no network.

EXTRA_DIST += doc/slides/make-slides doc/slides/slides.css doc/slides/slides.js \
	doc/slides/slides.py

slides:
	$(AM_V_GEN)$(BASH) $(srcdir)/doc/slides/make-slides \
	    $(srcdir)/doc/tutorial/slides.md slides.html
	@echo "the slides are in `pwd`/slides.html"
.PHONY: slides
