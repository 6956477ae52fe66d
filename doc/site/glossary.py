# SPDX-License-Identifier: BSD-3-Clause
"""Terms of doc/glossary.md, their anchors, and where a text uses them.

The hooks of the site link the terms with this module, and check.py checks the links.
An entry is a list item `- **term**, **another form**: definition`. A form in lower case
also matches at the beginning of a sentence; a form with a capital matches exactly. The
plural matches, too.
"""
import html
import re


class Entry:
    """One entry: its anchor, the forms of its term, and its definition as plain text."""

    def __init__(self, forms, text):
        self.forms = forms
        self.anchor = anchor(forms[0])
        self.text = text


def anchor(text):
    """The anchor that GitHub makes of a heading."""
    text = re.sub(r'[^a-z0-9 _-]', '', text.lower())
    return text.replace(' ', '-')


def plain(markdown):
    """Markdown without links, emphasis and code marks."""
    markdown = re.sub(r'\[([^\]]*)\]\([^)]*\)', r'\1', markdown)
    return re.sub(r'\s+', ' ', re.sub(r'\*\*|`', '', markdown)).strip()


def read(path):
    """The entries of a glossary."""
    with open(path, encoding='utf-8') as file:
        text = file.read()
    entries = []
    for item in re.findall(r'^- (\*\*.*(?:\n  .*)*)', text, re.M):
        match = re.match(r'((?:\*\*(?:[^*\\]|\\.)+\*\*[,\s]*)+):\s*(.*)', item, re.S)
        if not match:
            raise ValueError(f'{path}: not an entry: {item}')
        forms = re.findall(r'\*\*((?:[^*\\]|\\.)+)\*\*', match.group(1))
        forms = [re.sub(r'\s+', ' ', form).replace('\\', '') for form in forms]
        entries.append(Entry(forms, plain(match.group(2))))
    return entries


def variants(form):
    """The expressions of a form and of its plural."""
    expression = re.escape(form).replace(r'\ ', r'\s+')
    if form == form.lower() and form[0].isalpha():
        expression = f'[{form[0].upper()}{form[0]}]' + expression[1:]
    if form.endswith('y') and form[-2:-1] not in 'aeiou':
        return f'{expression[:-1]}(?:y|ies)'
    return expression + '(?:es|s)?'


# Phrases in which a word of the glossary has another meaning.
OTHER_MEANINGS = re.compile(
    r"\b(?:(?:into|on|no|user's) account|accounts? (?:for|of)|bound to|not bound|in terms of|"
    r"[Ll]ink(?:s|ed)? (?:it|them|with|to|everything)|links between pages|record locks|"
    r"datatype engine|switch of the processor|process manager|"
    r"(?:[Bb]ounds?|[Ll]inks?|[Rr]eports?|[Rr]equests?|[Rr]ecords?|[Tt]races?|[Pp]lans?|"
    r"[Ss]witch(?:es)?|[Pp]orts?|[Pp]rofiles?|[Ss]talls?|[Dd]elays?|[Ee]vents?)"
    r" (?:that (?:the|a|an)|the|a|an|it|them|this|no|every|both|each|its|their|which|whether|how|why|was"
    r" broken)\b|"
    r"(?:to|and|can|must|may|not|that|which|it|NIC|manager|program|test|tests|report|page|pages|"
    r"model|functions|legend|also|therefore|side) "
    r"(?:records?|reports?|traces?|switches|links?|bounds?|plans)\b)")


class Matcher:
    """Finds terms in plain text; a longer form goes before a shorter one."""

    def __init__(self, entries):
        self.entries = entries
        pairs = [(form, entry) for entry in entries for form in entry.forms]
        pairs.sort(key=lambda pair: -len(pair[0]))
        self.by_group = [entry for _, entry in pairs]
        self.expression = re.compile(
            r'(?<![\w./-])(?:' + '|'.join(f'({variants(form)})' for form, _ in pairs)
            + r')(?![\w-]|\.\w|/\w|\()')

    def find(self, text):
        """Yield (begin, end, entry) of every use in a text."""
        others = [match.span() for match in OTHER_MEANINGS.finditer(text)]
        for match in self.expression.finditer(text):
            if not any(begin <= match.start() < end for begin, end in others):
                yield match.start(), match.end(), self.by_group[match.lastindex - 1]


# Elements whose text has no links to the glossary.
SKIPPED = {'a', 'abbr', 'button', 'code', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'kbd', 'pre',
           'script', 'style', 'svg', 'th', 'title'}


def link(content, matcher, page, skipped=()):
    """Return HTML in which the first use of each term is a link to `page`#anchor."""
    seen = set(entry.anchor for entry in skipped)
    depth = 0
    out = []
    for token in re.split(r'(<!--.*?-->|<[^>]*>)', content, flags=re.S):
        if token.startswith('<'):
            tag = re.match(r'</?([a-zA-Z0-9]*)', token).group(1).lower()
            if tag in SKIPPED and not token.endswith('/>'):
                depth += -1 if token.startswith('</') else 1
        elif depth == 0:
            at = 0
            text = token
            token = ''
            for begin, end, entry in matcher.find(text):
                if entry.anchor in seen:
                    continue
                seen.add(entry.anchor)
                token += (f'{text[at:begin]}<a class="term" href="{page}#{entry.anchor}" '
                          f'title="{html.escape(entry.text)}">{text[begin:end]}</a>')
                at = end
            token += text[at:]
        out.append(token)
    return ''.join(out)
