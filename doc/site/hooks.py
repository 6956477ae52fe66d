# SPDX-License-Identifier: BSD-3-Clause
"""Hooks of mkdocs that change the pages of the site.

They link the first use of each term of the glossary, give headings the anchors of GitHub,
insert the man pages, and make the search work without a server.
"""
import html
import json
import os
import re
import sys

from mkdocs.structure.toc import get_toc
from mkdocs.utils import get_relative_url

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import glossary  # pylint: disable=wrong-import-position

GLOSSARY = 'doc/glossary.md'
state = {}


def on_config(config):
    config['mdx_configs']['toc']['slugify'] = lambda text, separator: glossary.anchor(text)
    state['entries'] = glossary.read(os.path.join(config['docs_dir'], GLOSSARY))
    state['matcher'] = glossary.Matcher(state['entries'])
    state['pages'] = os.path.dirname(config['config_file_path'])
    state['titles'] = {}
    # The style sheet is in the directory of this file. Pages of the site load it from the
    # directory `assets`.
    target = os.path.join(config['docs_dir'], 'assets')
    os.makedirs(target, exist_ok=True)
    with open(os.path.join(HERE, 'site.css'), encoding='utf-8') as source:
        with open(os.path.join(target, 'site.css'), 'w', encoding='utf-8') as file:
            file.write(source.read())
    return config


def lists(markdown):
    """Separate lists from the paragraph before them, and indent what belongs to an item
    by 4 blanks, as Python-Markdown requires."""
    out = []
    code = False
    item = 0  # columns of the text of the current list item
    for line in markdown.split('\n'):
        if re.match(r'\s*```', line):
            code = not code
        elif not code:
            match = re.match(r'( *)([-*]|\d+\.)( +)\S', line)
            if match and (item or not match.group(1)):
                if not item and out and out[-1].strip():
                    out.append('')
                if not match.group(1):
                    item = match.end() - 1
            elif line and not line.startswith(' '):
                if item and out and out[-1] == '':
                    item = 0
                elif item and not re.match(r'[a-zA-Z`(*\[]', line):
                    item = 0
        indent = len(line) - len(line.lstrip(' '))
        if item and indent >= item and item < 4:
            level, rest = divmod(indent, item)
            line = ' ' * (4 * level + rest) + line.lstrip(' ')
        out.append(line)
    return '\n'.join(out)


def on_page_markdown(markdown, page, config, files):
    title = re.search(r'^# +(.*)', markdown, re.M)
    title = title.group(1).replace('`', '') if title else page.title
    state['titles'][page.url] = title
    if not page.is_homepage:
        page.meta['title'] = title
    # Hide the table of contents, because this page has wide tables.
    if page.file.src_path == 'doc/reference/parameters.md':
        page.meta['hide'] = ['toc']
    markdown = re.sub(r'^<!--.*?-->\n', '', markdown, flags=re.M)
    return lists(markdown)


def man_page(page):
    """The HTML of a man page: headings one level lower, and links to other pages."""
    name = os.path.basename(page.file.src_path)[:-3]
    with open(os.path.join(state['pages'], 'man', name + '.html'), encoding='utf-8') as file:
        text = file.read()
    text = re.sub(r'<table class="(?:head|foot)">.*?</table>', '', text, flags=re.S)
    text = re.sub(r'<(/?)h2\b', r'<\1h3', text)
    text = re.sub(r'<(/?)h1\b', r'<\1h2', text)
    text = re.sub(r'(<h[23][^>]*>)<a class="permalink" href="(#[^"]*)">(.*?)</a>',
                  r'\1\3<a class="headerlink" href="\2" title="Link to this heading">#</a>', text)
    # mandoc prints <br/> before an indented line. Inside <pre>, this is superfluous, because
    # the line has already ended.
    text = re.sub(r'<pre>.*?</pre>', lambda match: re.sub(r'\n?<br/>', '', match.group(0)), text,
                  flags=re.S)
    tokens = [{'level': int(level), 'id': identifier,
               'name': re.sub('<a class="headerlink".*|<.*?>', '', name).strip(),
               'children': []}
              for level, identifier, name in
              re.findall(r'<h([23])[^>]*id="([^"]*)"[^>]*>(.*?)</h', text, re.S)]
    tree = []
    for token in tokens:
        (tree[-1]['children'] if token['level'] == 3 and tree else tree).append(token)
    page.toc = get_toc(tree)
    return text


def man_links(text, page, files):
    """Link names of man pages such as gmsim(1) to their pages."""
    def link(match):
        target = files.get_file_from_path(f'man/{match.group(2)}.{match.group(3)}.md')
        if not target or target.url == page.url:
            return match.group(0)
        url = get_relative_url(target.url, page.url)
        return f'<a href="{url}">{match.group(1)}({match.group(3)})</a>'

    parts = re.split(r'(<(?:a|pre|h[1-6])\b.*?</(?:a|pre|h[1-6])>)', text, flags=re.S)
    expression = r'(<(?:b|code|strong)>([a-z][\w.-]*)</(?:b|code|strong)>)\(([1357])\)'
    return ''.join(part if index % 2 else re.sub(expression, link, part)
                   for index, part in enumerate(parts))


def on_page_content(content, page, config, files):
    if page.file.src_path.startswith('man/') and not page.is_index:
        content += man_page(page)
    content = man_links(content, page, files)
    if page.file.src_path == GLOSSARY:
        return glossary_page(content)
    target = get_relative_url(files.get_file_from_path(GLOSSARY).url, page.url)
    return glossary.link(content, state['matcher'], target)


def glossary_page(content):
    """Give each entry its anchor, and link the terms in its definition."""
    matcher = state['matcher']
    by_form = {html.escape(entry.forms[0], quote=False): entry for entry in state['entries']}
    parts = re.split(r'(<li>.*?</li>)', content, flags=re.S)
    out = []
    for part in parts:
        match = re.match(r'<li>\s*(?:<p>)?<strong>(.*?)</strong>', part, re.S)
        if match:
            entry = by_form[re.sub(r'\s+', ' ', match.group(1))]
            head, colon, text = part.partition(':')
            part = head.replace('<li>', f'<li id="{entry.anchor}">', 1) + colon + \
                glossary.link(text, matcher, '', [entry])
        out.append(part)
    return ''.join(out)


def on_post_build(config):
    """Name pages by their headings in the search, and write the search for files."""
    path = os.path.join(config['site_dir'], 'search', 'search_index.json')
    with open(path, encoding='utf-8') as file:
        index = json.load(file)
    for entry in index['docs']:
        if '#' not in entry['location']:
            entry['title'] = state['titles'].get(entry['location'], entry['title'])
    with open(path, 'w', encoding='utf-8') as file:
        json.dump(index, file, separators=(',', ':'))
    workers = os.path.join(config['site_dir'], 'assets', 'javascripts', 'workers')
    name = next(name for name in os.listdir(workers) if name.endswith('.js'))
    with open(os.path.join(workers, name), encoding='utf-8') as file:
        worker = re.sub(r'\n//# sourceMappingURL.*', '', file.read())
    with open(os.path.join(config['site_dir'], 'search', 'offline.js'), 'w',
              encoding='utf-8') as file:
        file.write('var __search = {index: Promise.resolve(%s),\n'
                   'worker: URL.createObjectURL(new Blob([%s]))};\n'
                   % (json.dumps(index), json.dumps(worker)))
