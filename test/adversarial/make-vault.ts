/**
 * A notebook of everything that has broken a notes program before, the same on every run. Links are written in
 * the spelling a rename would write, so that a move there and back can be held to the byte.
 */
export type Files = Record<string, string | Uint8Array>;

export function makeVault(): Files {
  return {
    ...names(),
    ...encodings(),
    ...lineEndings(),
    ...frontmatter(),
    ...tagLists(),
    ...bodies(),
    ...links(),
    ...sizes(),
    ...foreign(),
  };
}

const body = (name: string) => `# ${name}\n\nThe word of ${name}.\n`;

function names(): Files {
  const odd = [
    'plain',
    'with blank',
    'two  blanks',
    'hash # tag',
    'per%cent',
    'per%20cent',
    'question?',
    'amp & ersand',
    'plus+plus',
    '[[brackets]]',
    '(paren',
    "apo'strophe",
    '"quotes"',
    '-dash',
    '~tilde',
    'dot.dot.dot',
    'comma, semicolon;',
    'equals=$&',
    'emoji 🎉👩‍👩‍👧',
    'Ünïcödé',
    'Décomposé'.normalize('NFD'),
    '日本語',
    'عربي',
    'zero\u200bwidth',
    'UPPER',
    'upper-lower',
    'n'.repeat(240),
    '0',
    'null',
    'constructor',
    '__proto__x',
  ];
  const files: Files = {};
  for (const name of odd) files[`names/${name}.md`] = body(name);
  files[`${'deep/'.repeat(40)}bottom.md`] = body('bottom');
  files['names/folder.md/inner.md'] = body('inner');
  files['names/UPPER.MD'] = body('UPPER in capitals');
  files['names/long.markdown'] = body('long');
  files['names/text.txt'] = 'only text\n';
  return prefixed('', files);
}

function encodings(): Files {
  return prefixed('encodings', {
    'bom.md': '\uFEFF# BOM\n\ntext\n',
    'bom-frontmatter.md': '\uFEFF---\ntitle: BOM\ntags: [a, b]\n---\ntext\n',
    'only-bom.md': '\uFEFF',
    'two-boms.md': '\uFEFF\uFEFF---\ntitle: x\n---\n',
    'latin1.md': Buffer.from('caf\xe9 [[plain]]\n', 'latin1'),
    'latin1-frontmatter.md': Buffer.from('---\ntitle: caf\xe9\n---\ntext\n', 'latin1'),
    'utf16le.md': Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('# wide\n', 'utf16le')]),
    'cut-character.md': Buffer.from('text é\n').subarray(0, 6),
    'overlong.md': Buffer.from([0x61, 0xc0, 0xaf, 0x62]),
    'surrogate.md': Buffer.from([0x61, 0xed, 0xa0, 0x80, 0x62]),
    'binary.md': Buffer.from(Array.from({ length: 1_024 }, (_, at) => (at * 7) % 256)),
    'holds-nul.md': 'before\u0000after\n',
    'controls.md': 'a\u0001b\u001bc\u007fd\u0085e\u2028f\u2029g\n',
    'replacement.md': 'a \uFFFD that was there before\n',
    'noncharacter.md': 'a \uFFFE \uFFFF b\n',
    'nfc.md': 'é à ü\n'.normalize('NFC'),
    'nfd.md': 'é à ü\n'.normalize('NFD'),
    'rtl.md': '# مرحبا\n\n\u202Eabc\u202C \u200Fdef\n',
    'zalgo.md': `z${'\u0301'.repeat(400)}algo\n`,
    'astral.md': '𝒳 𐍈 🏳️‍🌈 end\n',
  });
}

function lineEndings(): Files {
  const text = '# Title\n\none\ntwo\n\n- a\n- b\n';
  return prefixed('endings', {
    'lf.md': text,
    'crlf.md': text.replaceAll('\n', '\r\n'),
    'cr.md': text.replaceAll('\n', '\r'),
    'mixed.md': 'a\nb\r\nc\rd\r\n\ne\n\r\nf',
    'crlf-frontmatter.md': '---\r\ntitle: x # c\r\ntags:\r\n  - a\r\n---\r\n\r\nbody\r\n',
    'lf-head-crlf-body.md': '---\ntitle: x\n---\r\nbody\r\n',
    'crlf-head-lf-body.md': '---\r\ntitle: x\r\n---\nbody\n',
    'no-final.md': 'last line without end',
    'no-final-frontmatter.md': '---\ntitle: x\n---',
    'empty.md': '',
    'one-newline.md': '\n',
    'only-newlines.md': '\n\n\r\n\n',
    'only-blanks.md': '   \t ',
    'trailing-blanks.md': 'a  \nb\t\n\n\n\n',
    'vertical.md': 'a\u000bb\u000cc\n',
  });
}

function frontmatter(): Files {
  const heads: Record<string, string> = {
    empty: '',
    'comment-only': '# nothing here\n',
    blank: '\n\n',
    delicate:
      'time: 12:30\nversion: 1.10\nlast: 007\ncreated: 2026-01-02\nalpha: yes   # why\nlist: [a,   b]\n',
    'special-values': 'a: .inf\nb: .nan\nc: 0o7\nd: 1e3\ne: ~\nf: 0x1F\ng: "007"\nh: !!str 5\n',
    'quoted-keys': '"a b": 1\n\'c d\': 2\n? complex\n: 3\n5: five\nünï: x\n',
    scalars:
      "folded: >-\n  one\n  two\n\nliteral: |+\n  kept\n\nsingle: 'it''s'\ndouble: \"a\\tb\"\nplain: a\n  b\n",
    nested: 'a:\n  b:\n    c: [1, {d: e}]\n  f: {g: [h]}\nlast: x\n',
    'list-unindented': 'list:\n- a\n- b: c\n  d: e\nlast: x\n',
    'flow-map': '{title: x, list: [a, b]}\n',
    'flow-empty': '{}\n',
    anchors: 'base: &b {x: 1}\nuse: *b\nmerge:\n  <<: *b\n  y: 2\n',
    'duplicate-keys': 'title: one\ntitle: two\n',
    'broken-quote': 'title: "open\nother: x\n',
    'broken-list': 'list: [a, b\nother: x\n',
    'broken-indent': 'a: 1\n  b: 2\n',
    'tab-indent': 'a:\n\tb: 1\n',
    'tab-after-key': 'a:\tx\nb: y\t# c\n',
    'non-mapping-list': '- a\n- b\n',
    'non-mapping-scalar': 'just words\n',
    'unknown-tag': 'a: !custom x\nb: !!binary aGk=\n',
    'undefined-alias': 'a: *nobody\n',
    'document-end': 'a: 1\n...\nb: 2\n',
    'looks-like-code': 'cmd: "`rm`"\nre: /a|b/\nat: "@x"\npct: "%y"\n',
    dashes: 'a: "---"\nb: ----\n',
    unicode: 'título: ñandú\nemoji: 🎉\n日本: 語\n',
    prototype: '__proto__: x\nconstructor: y\ntoString: z\n',
    'many-keys': Array.from({ length: 300 }, (_, at) => `key${at}: value ${at}\n`).join(''),
    'deep-nesting': Array.from({ length: 60 }, (_, at) => `${'  '.repeat(at)}k${at}:\n`).join(''),
    'long-value': `title: ${'word '.repeat(4_000)}\nlast: x\n`,
    bomb: `a: &a [x, x, x, x, x, x, x, x, x]\n${Array.from('bcdefghi', (key, at) => `${key}: &${key} [${Array(9).fill(`*${'abcdefghi'[at]}`).join(', ')}]\n`).join('')}`,
  };
  const files: Files = {};
  for (const [name, head] of Object.entries(heads))
    files[`${name}.md`] = `---\n${head}---\n\nbody of ${name}\n`;
  for (const name of ['delicate', 'nested', 'list-unindented', 'scalars'])
    files[`${name}-crlf.md`] = String(files[`${name}.md`]).replaceAll('\n', '\r\n');
  return prefixed('frontmatter', {
    ...files,
    'unclosed.md': '---\ntitle: x\n\nnever closed\n',
    'rule-only.md': '---\n',
    'rules.md': '---\n\ntext between\n\n---\n\ntext after\n',
    'four-dashes.md': '----\na: 1\n----\n',
    'trailing-blanks.md': '---  \na: 1\n--- \nbody\n',
    'indented.md': ' ---\na: 1\n---\n',
    'after-blank-line.md': '\n---\na: 1\n---\n',
    'js.md': '---js\n{ a: process.exit(1) }\n---\nbody\n',
    'toml.md': '+++\na = 1\n+++\nbody\n',
    'json.md': '---\n{"a": 1, "b": [1, 2]}\n---\nbody\n',
    'twice.md': '---\na: 1\n---\n---\nb: 2\n---\nbody\n',
    'closed-by-dots.md': '---\na: 1\n...\nbody\n',
    'no-body.md': '---\na: 1\n---\n',
  });
}

function tagLists(): Files {
  const lists: Record<string, string> = {
    flow: 'tags: [a, b]\n',
    'flow-wide': 'tags: [ a ,  "b c" , ]   # mine\n',
    'flow-lines': 'tags: [\n  a, # one\n  b\n]\n',
    block: 'tags:\n  - a\n  - b\n',
    'block-wide': 'tags:\n      - a   # first\n      -   b\n\nlast: x\n',
    'block-unindented': 'tags:\n- a\n- b\nlast: x\n',
    'block-quoted': 'tags:\n  - "a"\n  - \'b\'\n',
    'block-one': 'tags:\n  - a\n',
    string: 'tags: a, b\n',
    single: 'tags: a\n',
    'key-tag': 'tag: [a]\n',
    null: 'tags:\nlast: x\n',
    'empty-list': 'tags: []\n',
    numbers: 'tags: [2024, true, a]\n',
  };
  const files: Files = {};
  for (const [name, head] of Object.entries(lists)) {
    const text = `---\ntitle: ${name} # c\n${head}---\n\n#inline and #nested/tag, not #12 or a#b\n`;
    files[`${name}.md`] = text;
    files[`${name}-crlf.md`] = text.replaceAll('\n', '\r\n');
  }
  return prefixed('tags', files);
}

function bodies(): Files {
  return prefixed('bodies', {
    'unclosed-fence.md': 'text\n\n```js\nconst a = "[[plain]]"; #no-tag\n',
    'fences.md':
      '````\n```\n[[plain]]\n```\n````\n\n~~~\n```\n~~~\n\n> ```\n> [[plain]]\n> ```\nafter [[plain]]\n',
    'table.md': '| a | b |\n| - | - |\n| [[plain\\|x]] | `|` [[plain]] |\n',
    'html.md':
      '<div class="#no">\n[[plain]]\n</div>\n<!-- [[plain]] #no -->\n<script>\n[[plain]]\n</script>\n',
    'brackets.md': `${'['.repeat(5_000)}\n${']('.repeat(5_000)}\n${'[['.repeat(3_000)}\n`,
    'backticks.md': Array.from({ length: 300 }, (_, at) => '`'.repeat(at)).join(' '),
    'quotes.md': `${'> '.repeat(500)}deep\n`,
    'lists.md': Array.from({ length: 200 }, (_, at) => `${'  '.repeat(at)}- item ${at}\n`).join(''),
    'hashes.md': `${'#'.repeat(3_000)}\n#a #b#c # d #é/ü #🎉 #1a #fff000 #include <x>\n`,
    'emphasis.md': '*'.repeat(4_000),
    'underlines.md': 'Title\n===\n\nOther\n---\n\ntext\n',
    'math.md': '$[[plain]]$ and $$\n[[plain]]\n$$\n',
    'comment.md': '%%\n[[plain]] #hidden\n%%\n',
    'footnotes.md': 'a[^1] ^[inline]\n\n[^1]: note [[plain]]\n',
    'callout.md': '> [!note]- Title\n> [[plain]] ^block-id\n',
    'dataview.md': '```dataview\nTABLE file.link\n```\nkey:: value [k:: v]\n',
    'dollars.md': "$& $1 $$ $` $' \\1 \\0 %s {0} {x}\n",
    'regex.md': '^(a|b)*[c-d]+\\d{2}.?$\n',
    'repeated.md': 'same\n'.repeat(500),
  });
}

/** Links between notes that the moves of the test touch. */
function links(): Files {
  const forms = (to: string, dir: string) =>
    [
      `[[${to}]] [[${dir}/${to}]] [[${to}|alias]] [[${to}#Heading]] [[${to}#^block|b]] ![[${to}]]`,
      `| [[${to}\\|x]] | \`[[${to}]]\` |`,
      `[t](${to}.md) [t](<${to}.md>) [t](${to}.md "title") ![t](${to}.md#h)`,
      `\n[ref]: ${to}.md\n`,
    ].join('\n');
  const many = Array.from({ length: 400 }, (_, at) => `- ${at} [[target]] and [t](target.md)\n`).join('');
  return prefixed('links', {
    'target.md': `# Heading\n\ntext ^block\n\n${forms('source', 'links')}`,
    'source.md': `---\nup: "[[target]]"\nrelated:\n  - '[[links/target|x]]'\n---\n${forms('target', 'links')}`,
    'crlf.md': forms('target', 'links').replaceAll('\n', '\r\n'),
    'bom.md': `\uFEFF${forms('target', 'links')}`,
    'many.md': many,
    'circle-a.md': '[[circle-b]]',
    'circle-b.md': '[[circle-a]] [[circle-b]]',
    'broken.md': '[[nowhere]] [t](gone.md) [[]] [t]() [[|]] [[#]] ![[',
    'external.md':
      '[t](https://example.org/target.md) <https://target.md> [[https://x.org]] [t](mailto:a@b.c)\n',
    'board.canvas': `{"nodes":[{"id":"1","type":"file","file":"links/target.md"},{"id":"2","type":"text","text":"[[target]]"}]}`,
    'broken.canvas': '{"nodes":[{"file":"links/target.md"',
  });
}

function sizes(): Files {
  return prefixed('sizes', {
    'one-byte.md': 'x',
    'line.md': `start ${'x'.repeat(300_000)} end`,
    'line-accents.md': `start ${'é'.repeat(50_000)} end`,
    'long.md': Array.from(
      { length: 6_000 },
      (_, at) => `line ${at} of six thousand, long enough to matter\n`,
    ).join(''),
    'lines.md': '\n'.repeat(10_000),
  });
}

/** Files that are no notes and must stay untouched. */
function foreign(): Files {
  return {
    '.obsidian/app.json': '{}',
    '.git/config': '[core]\n',
    'node_modules/x/readme.md': '[[target]]\n',
    'foreign/picture.png': Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2]),
    'foreign/no-extension': 'text [[target]]',
    'foreign/page.html': '<a href="../links/target.md">t</a>',
    'foreign/.hidden.md': '[[target]]',
  };
}

function prefixed(folder: string, files: Files): Files {
  if (folder === '') return files;
  return Object.fromEntries(Object.entries(files).map(([path, content]) => [`${folder}/${path}`, content]));
}
