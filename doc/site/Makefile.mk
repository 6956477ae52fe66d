# SPDX-License-Identifier: BSD-3-Clause
#
# `make site` generates the documentation as static HTML in the subdirectory `site` of the
# build directory. The site has the pages of doc/, the page of all parameters, and the man
# pages of this build.

EXTRA_DIST += doc/site/check.py doc/site/glossary.py doc/site/hooks.py \
	doc/site/make-site doc/site/prepare.py doc/site/site.css \
	doc/site/theme/main.html

if WITH_MAN
site_man = doc/man/pages
else !WITH_MAN
site_man =
endif !WITH_MAN

site: $(nodist_parameters_DATA) $(man_pages)
	$(AM_V_GEN)$(BASH) $(srcdir)/doc/site/make-site site \
	    doc/reference/parameters.md $(site_man)
	@echo "the documentation is in `pwd`/site/index.html"
.PHONY: site
