# SPDX-License-Identifier: BSD-3-Clause
"""Checks the built site, and prints a line for each fault.

check.py SITE GLOSSARY ABBREVIATIONS SOURCE: links and anchors lead to a page of SITE, nothing
is loaded from another host, anchors are unique, every page of SOURCE/doc is in the
navigation, each term of GLOSSARY is linked where a page first uses it, and every
abbreviation in documents is a term of GLOSSARY or in the list ABBREVIATIONS. The status is 1 if there
is a fault.
"""
import html.parser
import os
import re
import sys
import urllib.parse

import glossary

VOID = {'area', 'base', 'br', 'col', 'embed', 'hr', 'img', 'input', 'link', 'meta', 'source',
        'track', 'wbr'}
# Attributes with addresses that a browser follows or loads.
ADDRESSES = {'href', 'src', 'srcset', 'data', 'action', 'poster'}
ABBREVIATION = re.compile(r'(?<![\w/.-])[A-Z][A-Z0-9]*[A-Z][A-Z0-9]*(?:_T)?(?=s?(?![\w/]))')


class Page(html.parser.HTMLParser):
    """Links, anchors and plain text of one page."""

    def __init__(self, path):
        super().__init__()
        self.links = []        # addresses
        self.loads = []        # addresses that are loaded with the page
        self.anchors = []
        self.terms = set()     # anchors of linked terms
        self.navigation = set()
        self.text = []         # plain text of the article, without code, headings and links
        self.words = []        # all text of the article, without code
        self.open = []
        with open(path, encoding='utf-8') as file:
            self.feed(file.read())
        self.close()

    def within(self, names):
        return any(name in names for name, _ in self.open)

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        if 'id' in attrs:
            self.anchors.append(attrs['id'])
        for name in ADDRESSES & set(attrs):
            is_load = tag not in ('a', 'area', 'form') and attrs.get('rel') != 'canonical'
            (self.loads if is_load else self.links).append(attrs[name] or '')
        classes = (attrs.get('class') or '').split()
        if tag == 'a' and 'term' in classes:
            self.terms.add(attrs['href'].partition('#')[2])
        if tag == 'a' and self.within({'nav'}):
            self.navigation.add(attrs.get('href', ''))
        if tag not in VOID:
            self.open.append((tag, classes))
        if tag in ('p', 'li', 'td', 'dd', 'dt', 'div', 'br', 'tr', 'table'):
            self.text.append('\n\n')
            self.words.append('\n\n')

    def handle_endtag(self, tag):
        while self.open and tag in [name for name, _ in self.open]:
            if self.open.pop()[0] == tag:
                break

    def handle_data(self, data):
        if not self.within({'article'}) or self.within({'script', 'style', 'svg'}):
            return
        self.words.append(' ; ' if self.within({'code', 'pre', 'kbd'}) else data)
        if self.within(glossary.SKIPPED) or any('headerlink' in classes for _, classes in self.open):
            data = ' ; '
        self.text.append(data)


class Site:
    """All pages, and the faults that were found."""

    def __init__(self, root):
        self.root = root
        self.faults = 0
        self.pages = {}
        for directory, _, names in os.walk(root):
            for name in sorted(names):
                path = os.path.relpath(os.path.join(directory, name), root)
                if name.endswith('.html') and name != '404.html':
                    self.pages[path] = Page(os.path.join(root, path))

    def fail(self, text):
        print(text)
        self.faults += 1

    def target(self, path, address):
        """The file and the anchor that an address in a page leads to."""
        address, _, anchor = address.partition('#')
        address = urllib.parse.unquote(address)
        if not address:
            return path, anchor
        target = os.path.normpath(os.path.join(os.path.dirname(path), address))
        if os.path.isdir(os.path.join(self.root, target)):
            target = os.path.join(target, 'index.html')
        return os.path.normpath(target), anchor

    def check_links(self):
        count = 0
        for path, page in self.pages.items():
            for anchor in sorted(set(page.anchors)):
                if page.anchors.count(anchor) > 1:
                    self.fail(f'{path}: two elements have the anchor {anchor}')
            for address in page.loads:
                if re.match(r'(?:https?:)?//', address):
                    self.fail(f'{path}: loads {address}')
            for address in page.links + page.loads:
                if re.match(r'(?:[a-z]+:|//)', address):
                    continue
                count += 1
                target, anchor = self.target(path, address)
                if not os.path.isfile(os.path.join(self.root, target)):
                    self.fail(f'{path}: no such file: {address}')
                elif anchor and target in self.pages and \
                        urllib.parse.unquote(anchor) not in self.pages[target].anchors:
                    self.fail(f'{path}: no such anchor: {address}')
        for directory, _, names in os.walk(self.root):
            for name in names:
                if name.endswith('.css'):
                    self.check_style(os.path.join(directory, name))
        return count

    def check_style(self, path):
        with open(path, encoding='utf-8') as file:
            for address in re.findall(r'url\(["\']?(?:https?:)?//[^)]*\)|@import[^;]*', file.read()):
                self.fail(f'{os.path.relpath(path, self.root)}: loads {address}')

    def check_navigation(self, source):
        """Every page of doc/ is in the navigation of the first page."""
        reached = {self.target('index.html', address)[0]
                   for address in self.pages['index.html'].navigation}
        count = 0
        for directory, _, names in os.walk(os.path.join(source, 'doc')):
            for name in names:
                if name.endswith('.md'):
                    path = os.path.relpath(os.path.join(directory, name), source)
                    page = re.sub(r'README\.md$', 'index.md', path)[:-3] + '.html'
                    count += 1
                    if page not in reached:
                        self.fail(f'{path}: not in the navigation')
        return count

    def check_terms(self, entries):
        matcher = glossary.Matcher(entries)
        linked = set()
        page = self.pages['doc/glossary.html']
        names = [entry.anchor for entry in entries]
        for anchor in sorted(set(names)):
            if names.count(anchor) > 1:
                self.fail(f'doc/glossary.md: two entries: {anchor}')
            if anchor not in page.anchors:
                self.fail(f'doc/glossary.html: no anchor: {anchor}')
        for path, page in self.pages.items():
            linked |= page.terms
            if path == 'doc/glossary.html':
                continue
            for _, _, entry in matcher.find(''.join(page.text)):
                if entry.anchor not in page.terms:
                    self.fail(f'{path}: not linked: {entry.forms[0]}')
                    page.terms.add(entry.anchor)
        for entry in entries:
            if entry.anchor not in linked:
                self.fail(f'doc/glossary.md: no page uses the term: {entry.forms[0]}')

    def check_abbreviations(self, entries, allowed):
        known = {form for entry in entries for form in entry.forms} | allowed
        known |= {form[:-1] for form in known if form.endswith('s')}
        used = {}
        for path, page in self.pages.items():
            if path.startswith('doc/') or path in ('index.html', 'CONTRIBUTING.html'):
                for word in ABBREVIATION.findall(''.join(page.words)):
                    used.setdefault(word, path)
        for word, path in sorted(used.items()):
            if word not in known:
                self.fail(f'{path}: neither in the glossary nor in the list of allowed words: {word}')


def main():
    root, glossary_path, abbreviations, source = sys.argv[1:]
    entries = glossary.read(glossary_path)
    with open(abbreviations, encoding='utf-8') as file:
        allowed = {word for line in file for word in line.partition('#')[0].split()}
    site = Site(root)
    links = site.check_links()
    pages = site.check_navigation(source)
    site.check_terms(entries)
    site.check_abbreviations(entries, allowed)
    print(f'{len(site.pages)} pages, {links} links, {pages} pages of doc/, '
          f'{len(entries)} terms, {site.faults} faults')
    sys.exit(site.faults > 0)


if __name__ == '__main__':
    main()
