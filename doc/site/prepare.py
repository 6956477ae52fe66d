# SPDX-License-Identifier: BSD-3-Clause
"""Collects the pages of the site, and writes the configuration of mkdocs.

prepare.py SOURCE PAGES OUTPUT PARAMETERS [MAN] fills the directory PAGES: docs/ has the
pages with the paths that they have in SOURCE, so that links between them hold. Sources
that a page links to become pages of their own. The headings and tables of doc/README.md
become the navigation. Man pages are converted by mandoc.
"""
import json
import os
import re
import shutil
import subprocess
import sys

IMAGES = ('.svg', '.png')
# Languages of the source files to which pages link.
LANGUAGES = {'.c': 'c', '.f90': 'fortran', '.h': 'c', '.py': 'python', '.yaml': 'yaml'}
LINK = re.compile(r'\[([^\]]*)\]\(([^)\s#]*)[^)]*\)')
SECTIONS = {'1': 'Commands', '3': 'Functions', '5': 'Files', '7': 'Overviews'}


def read(path):
    with open(path, encoding='utf-8') as file:
        return file.read()


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'w', encoding='utf-8') as file:
        file.write(text)


def heading(text):
    """The first heading of a page."""
    match = re.search(r'^# +(.*)', text, re.M)
    return match.group(1) if match else ''


class Site:
    """Directories of one run."""

    def __init__(self, source, pages, output, parameters, man=None):
        self.source = source
        self.docs = os.path.join(pages, 'docs')
        self.pages = pages
        self.output = output
        self.parameters = parameters
        self.man = man
        self.listed = set()

    def copy(self, path):
        target = os.path.join(self.docs, path)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        shutil.copyfile(os.path.join(self.source, path), target)

    def collect(self):
        """Copy the pages and images of doc/, and the pages of the top directory."""
        for path in ('README.md', 'CONTRIBUTING.md', 'examples/README.md'):
            self.copy(path)
        self.write_text('CHANGES', 'Changes', None)
        self.write_text('LICENSE', 'Licence', 'text')
        for directory, _, names in os.walk(os.path.join(self.source, 'doc')):
            for name in names:
                if name.endswith(IMAGES + ('.md',)):
                    self.copy(os.path.relpath(os.path.join(directory, name), self.source))
        target = os.path.join(self.docs, 'doc/reference/parameters.md')
        shutil.copyfile(self.parameters, target)

    def write_text(self, path, title, language):
        """Make a page of a file that is not Markdown. Its headings may be underlined."""
        text = read(os.path.join(self.source, path))
        if language:
            text = f'```{language}\n{text}```\n'
        else:
            # Convert the headings of releases and areas. Escape names, so Markdown does not change
            # them.
            text = re.sub(r'^(\S.*)\n=+$', r'## \1', text, flags=re.M)
            text = re.sub(r'^(\S.*)\n-+$', r'### \1', text, flags=re.M)
            text = re.sub(r'(?<!`)(--?[a-z][a-z-]*|\b\w*_\w+\b|<[^>`\n]*>|\S*\*\S*)(?!`)',
                          lambda match: match.group(0).replace('*', r'\*').replace('<', '&lt;'),
                          text)
        write(os.path.join(self.docs, path + '.md'), f'# {title}\n\n{text}')

    def linked_files(self):
        """Make pages of the files that pages link to."""
        for directory, _, names in os.walk(self.docs):
            for name in sorted(names):
                if not name.endswith('.md'):
                    continue
                page = os.path.join(directory, name)
                write(page, LINK.sub(lambda match: self.link(directory, match), read(page)))

    def link(self, directory, match):
        """The text of a link; a file that has no page gets one."""
        target = match.group(2)
        if not target or re.match(r'[a-z]+:', target):
            return match.group(0)
        path = os.path.relpath(os.path.join(directory, target), self.docs)
        if os.path.isfile(os.path.join(self.docs, path)):
            return match.group(0)
        if os.path.isdir(os.path.join(self.source, path)):
            target = os.path.join(target, 'README.md')
            if os.path.isfile(os.path.join(self.docs, path, 'README.md')):
                return match.group(0).replace(match.group(2), target)
        if os.path.isfile(os.path.join(self.source, path)):
            if target.endswith('.md'):
                self.copy(path)
                return match.group(0)
            if not os.path.isfile(os.path.join(self.docs, path + '.md')):
                language = LANGUAGES.get(os.path.splitext(path)[1], 'text')
                self.write_text(path, path, language)
            return match.group(0).replace(target, target + '.md', 1) \
                if match.group(1) != target \
                else f'[{match.group(1)}]({target}.md)'
        return match.group(0)

    # --- man pages ---

    def man_pages(self):
        """Convert the man pages; return their part of the navigation."""
        if not self.man:
            return []
        documents = self.man_documents()
        rows = {}
        for section in sorted(SECTIONS):
            directory = os.path.join(self.man, 'man' + section)
            for name in sorted(os.listdir(directory) if os.path.isdir(directory) else []):
                self.man_page(os.path.join(directory, name), documents, rows)
        if not rows:
            return []
        text = '# Man pages\n\n'
        parts = [{'All man pages': 'man/README.md'}]
        for section, pages in sorted(rows.items()):
            text += f'## {SECTIONS[section]}\n\n| page | subject |\n| --- | --- |\n'
            for name, target, summary in pages:
                text += f'| [{name}({section})]({target}) | {summary} |\n'
                if not target.startswith('..'):
                    parts.append({f'{name}({section})': 'man/' + target})
            text += '\n'
        write(os.path.join(self.docs, 'man/README.md'), text)
        return parts

    def man_documents(self):
        """Man pages that are made of pages of doc/, and the paths of these pages."""
        rules = read(os.path.join(self.source, 'doc/man/Makefile.mk'))
        return {name: path for path, name in
                re.findall(r'\$\(srcdir\)/(doc/\S+\.md)=(\S+)', rules)}

    def man_page(self, path, documents, rows):
        name = os.path.basename(path)
        text = read(path)
        if text.startswith('.so '):
            return
        title, section = name.rsplit('.', 1)
        summary = re.search(r'^\.SH "?NAME"?\n(?:.|\n)*? \\- +(.*)', text, re.M)
        summary = re.sub(r'\\(?:f.|-|&)', lambda m: '-' if m.group(0) == '\\-' else '',
                         summary.group(1)) if summary else ''
        if name in documents:
            target = '../' + documents[name]
        else:
            target = name + '.md'
            html = subprocess.run(['mandoc', '-T', 'html', '-O', 'fragment', path],
                                  stdout=subprocess.PIPE, check=True, text=True).stdout
            write(os.path.join(self.docs, 'man', target), f'# {title}({section})\n')
            write(os.path.join(self.pages, 'man', name + '.html'), html)
        rows.setdefault(section, []).append((title, target, summary))

    # --- navigation ---

    def page_title(self, text, path):
        """The title of a page in the navigation: the words of the link to it, if any."""
        if not re.search('[a-z]', text) or re.search(r'[()/]', text):
            text = heading(read(os.path.join(self.docs, path)))
        text = text.replace('`', '')
        return text[0].upper() + text[1:]

    def entries(self, directory, line):
        """Pages that a line links to, without those that are listed already."""
        found = []
        for text, target in LINK.findall(line):
            path = os.path.normpath(os.path.join(directory, target))
            if target.endswith('.md') and path not in self.listed and \
                    os.path.isfile(os.path.join(self.docs, path)):
                self.listed.add(path)
                found.append({self.page_title(text, path): path})
        return found

    def index(self, path, title):
        """The navigation of an index page: a part for each heading, and in it a group for
        each heading of the next level. Without a title, the links above the first heading
        are left out."""
        directory = os.path.dirname(path)
        parts = [(title, [])]
        pages = parts[0][1]
        code = False
        for line in read(os.path.join(self.docs, path)).split('\n'):
            code = code != line.startswith('```')
            match = re.match(r'(##+) +(.*)', line)
            if match and not code:
                if match.group(1) == '##':
                    parts.append((match.group(2), []))
                    pages = parts[-1][1]
                else:
                    pages = []
                    parts[-1][1].append({match.group(2): pages})
            if code or (title is None and len(parts) == 1):
                continue
            for entry in self.entries(directory, line):
                page = next(iter(entry.values()))
                if page.endswith('/README.md') and page != 'examples/README.md':
                    inner = [item for _, part in self.index(page, '') for item in part]
                    inner = sorted(self.flatten(inner), key=lambda item: next(iter(item.values())))
                    entry = {next(iter(entry)): [{'Overview': page}] + inner}
                pages.append(entry)
        return [(name, part) for name, part in parts if part]

    def flatten(self, items):
        """Items without the level of groups."""
        flat = []
        for item in items:
            value = next(iter(item.values()))
            flat += value if isinstance(value, list) else [item]
        return flat

    def navigation(self, man):
        parts = self.index('doc/README.md', None)
        if man:
            dict(parts).get('Reference', parts[-1][1]).append({'Man pages': man})
        project = [{'All pages': 'doc/README.md'}, {'Examples': 'examples/README.md'},
                   {'Changes': 'CHANGES.md'}, {'Changing gmqos': 'CONTRIBUTING.md'},
                   {'Licence': 'LICENSE.md'}]
        shown = self.listed | {'README.md'} | \
            {next(iter(item.values())) for item in project + man}
        rest = []
        for directory, _, names in os.walk(self.docs):
            for name in names:
                path = os.path.relpath(os.path.join(directory, name), self.docs)
                if name.endswith('.md') and path not in shown:
                    rest.append(path)
        sources = [{heading(read(os.path.join(self.docs, path))): path}
                   for path in sorted(rest) if not path.startswith('doc/')]
        if sources:
            project.append({'Sources': sources})
        for path in sorted(rest):
            if path.startswith('doc/'):
                print(f'make site: {path} is not in doc/README.md', file=sys.stderr)
        return [{'Home': 'README.md'}] + [{name: part} for name, part in parts] + [{'Project': project}]

    def configure(self):
        here = os.path.dirname(os.path.abspath(__file__))
        config = {
            'site_name': 'gmqos ' + self.version(),
            'site_description': 'MPI programs on a simulated Myrinet cluster with reserved bandwidth',
            'docs_dir': 'docs',
            'site_dir': self.output,
            'use_directory_urls': False,
            'nav': self.navigation(self.man_pages()),
            'hooks': [os.path.join(here, 'hooks.py')],
            'plugins': ['search'],
            'extra_css': ['assets/site.css'],
            'theme': {
                'name': 'material',
                'custom_dir': os.path.join(here, 'theme'),
                'font': False,
                'features': ['navigation.tabs', 'navigation.sections', 'navigation.top',
                             'search.highlight'],
                'palette': [
                    {'media': '(prefers-color-scheme: light)', 'scheme': 'default',
                     'primary': 'indigo', 'accent': 'indigo',
                     'toggle': {'icon': 'material/brightness-7', 'name': 'Dark colours'}},
                    {'media': '(prefers-color-scheme: dark)', 'scheme': 'slate',
                     'primary': 'indigo', 'accent': 'indigo',
                     'toggle': {'icon': 'material/brightness-4', 'name': 'Light colours'}}],
            },
            'markdown_extensions': [
                'tables', 'sane_lists', 'pymdownx.superfences',
                {'pymdownx.highlight': {'guess_lang': False}},
                {'toc': {'permalink': '#', 'permalink_title': 'Link to this heading'}}],
        }
        write(os.path.join(self.pages, 'mkdocs.yml'), json.dumps(config, indent=1))

    def version(self):
        return re.search('^version=(.*)', read(os.path.join(self.source, 'VERSION')), re.M).group(1)


def main():
    site = Site(*sys.argv[1:])
    site.collect()
    site.linked_files()
    site.configure()


if __name__ == '__main__':
    main()
