# SPDX-License-Identifier: BSD-3-Clause
"""Converts a Markdown page into slides: one HTML file without references to other files.

slides.py PAGE OUTPUT: lines `---` separate the slides. Images become part of the file, and
links to other pages of the documentation become plain text.
"""
import base64
import html
import os
import re
import sys

import markdown

TYPES = {'.png': 'image/png', '.svg': 'image/svg+xml'}


def read(path):
    with open(path, encoding='utf-8') as file:
        return file.read()


def split(text):
    """The slides of a page; lines `---` in code do not separate them."""
    slides, code = [[]], False
    for line in text.split('\n'):
        code ^= line.startswith('```')
        if line == '---' and not code:
            slides.append([])
        else:
            slides[-1].append(line)
    return ['\n'.join(lines).strip() for lines in slides]


def embed(directory, match):
    """The attribute src with the content of the image."""
    path = os.path.join(directory, html.unescape(match.group(1)))
    with open(path, 'rb') as file:
        content = base64.b64encode(file.read()).decode()
    return f'src="data:{TYPES[os.path.splitext(path)[1]]};base64,{content}"'


def mark_commands(match):
    """Mark the commands of a console block."""
    lines = [f'<b>{line}</b>' if line.startswith(('$ ', '&gt; ')) else line
             for line in match.group(2).split('\n')]
    return match.group(1) + '\n'.join(lines) + match.group(3)


def slide(text, directory):
    text = re.sub(r'<!--.*?-->', '', text, flags=re.S)
    body = markdown.markdown(text, extensions=['fenced_code', 'sane_lists', 'tables'])
    body = re.sub(r'(<code class="language-console">)(.*?)(</code>)', mark_commands, body,
                  flags=re.S)
    body = re.sub(r'<a href="(?!https?:|#)[^"]*">(.*?)</a>', r'\1', body, flags=re.S)
    body = re.sub(r'src="([^":]*)"', lambda match: embed(directory, match), body)
    return f'<section><div>\n{body}\n</div></section>'


def main():
    page, output = sys.argv[1:]
    here = os.path.dirname(os.path.abspath(__file__))
    text = read(page)
    title = re.search(r'^# +(.*)', text, re.M).group(1)
    slides = [slide(part, os.path.dirname(page)) for part in split(text)]
    with open(output, 'w', encoding='utf-8') as file:
        file.write(f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
                   f'<title>{html.escape(title)}</title>\n'
                   f'<meta name="viewport" content="width=device-width">\n'
                   f'<style>\n{read(os.path.join(here, "slides.css"))}</style>\n</head>\n<body>\n'
                   + '\n'.join(slides) +
                   f'\n<script>\n{read(os.path.join(here, "slides.js"))}</script>\n'
                   f'</body>\n</html>\n')
    print(f'{len(slides)} slides')


if __name__ == '__main__':
    main()
