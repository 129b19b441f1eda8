import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from '../../../test/kit/cases.ts';
import { isRecord } from '../../shared/records.ts';
import { mergeFrontmatter, setFrontmatter } from './edit.ts';
import { editListKey, readListKey } from './lists.ts';
import { parseFrontmatter } from './parse.ts';

const json = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

const awkward = fc.constantFrom(
  ...[
    '',
    ' ',
    'x ',
    ' x',
    '-',
    '- a',
    '---',
    '...',
    '?',
    ': a',
    'a: b',
    'a:',
    'a #b',
    '#a',
    '[[Link]]',
    '{x}',
  ],
  ...[
    'yes',
    'null',
    '~',
    'True',
    '007',
    '1.10',
    '12:30',
    '.inf',
    '1e3',
    '0x1F',
    '2024-01-15',
    '*a',
    '&a',
    '!t',
  ],
  ...[
    'l1\nl2',
    'l1\n\nl2\n',
    '\nx',
    'x\n\n',
    ' lead\nx',
    'a\n  \nb',
    'a\n ',
    '\ttab',
    'a\tb\nc',
    'x\r\ny',
    '\r',
  ],
  ...[
    "it's",
    '"q"',
    'a\\b',
    'é',
    '😀',
    '\u2028',
    '\uFEFF',
    '\u0085',
    '\u0000',
    '%x',
    '@x',
    '`x`',
    'a, b',
    '<<',
    '=',
  ],
);
const text = fc.oneof(fc.string({ unit: 'grapheme', maxLength: 12 }), awkward);
const key = fc
  .oneof(
    fc.stringMatching(/^[a-z][a-z0-9_-]{0,6}$/),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 6 }),
    awkward,
  )
  .filter(
    (name) =>
      name !== '' &&
      name !== '__proto__' &&
      !/[\u0000-\u001f\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/.test(name),
  );
const scalar = fc.oneof(
  text,
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.boolean(),
  fc.constant(null),
);
const value = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    scalar,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(key, tie('value'), { maxKeys: 3, noNullPrototype: true }),
  ),
})).value;

/** Values as people write them; each list of lines is the value of a key at column 0. */
const written = fc.constantFrom(
  ...[
    [' plain'],
    [' "double"'],
    [" 'single'"],
    [' 12  # twelve'],
    ['   007'],
    [' 2026-01-02'],
    [' yes'],
    [''],
  ],
  ...[['  '], [' # only a comment'], [' [a,  "b", c]  # flow'], [' []'], [' {x: 1,  y: [2]}'], [' !!str 1']],
  ...[
    ['', '  - a # one', '  - "b"', '  # gone: c', '  -   d'],
    ['', '- a', '', '- b'],
  ],
  ...[
    [' # list', '    -  k: 1', '       l: 2', '    -  - x', '       - y'],
    ['', '  x: 1 # x', '  # y', '  y:', '    - 2'],
  ],
  ...[
    [' |', '  text', '  # not a comment', '', '  end'],
    [' >-', '    folded', '    text', ''],
    [' |+', '  keep', '', ''],
  ],
  ...[
    [' one', '  two', '  three # c'],
    [' "one', '  two"'],
    ['', '  below # c'],
    [' &anchor v'],
    [' [', '  a, # a', '  b', ' ]'],
  ],
);
const filler = fc.array(fc.constantFrom('', '# comment', '  # indented', '#'), { maxLength: 2 });
const keys = ['alpha', 'beta-2', '"quoted key"', 'with space', 'é'];
const sections = fc
  .uniqueArray(fc.constantFrom(...keys), { minLength: 1 })
  .chain((names) => fc.tuple(...names.map((name) => fc.tuple(fc.constant(name), written, filler))));
const document = fc
  .record({
    sections,
    top: filler,
    body: fc.constantFrom('', 'body\n', '\n# Title\n\na: 1\n', '---\nx: 1\n---\n'),
    ending: fc.constantFrom('\n', '\r\n'),
    bom: fc.boolean(),
  })
  // An indented comment below text is text, which the parts below would not show.
  .map(({ sections, ...rest }) => ({
    ...rest,
    sections: sections.map(([name, lines, after]) => ({
      name: name.replaceAll('"', ''),
      lines: [`${name}:${lines[0]}`, ...lines.slice(1)],
      after: /[|>][-+]?$/.test(lines[0]!) ? after.filter((line) => line.startsWith('#')) : after,
    })),
  }));

interface Parts {
  readonly top: readonly string[];
  readonly sections: readonly { name: string; lines: readonly string[]; after: readonly string[] }[];
  readonly body: string;
  readonly ending: string;
  readonly bom: boolean;
}

function assemble(parts: Parts): string {
  const { top, sections, ending, bom } = parts;
  const lines = [...top, ...sections.flatMap((section) => [...section.lines, ...section.after])];
  const block = ['---', ...lines, '---'].map((line) => line + ending).join('');
  return (bom ? '\uFEFF' : '') + block + parts.body.replaceAll('\n', ending);
}

/** The text before and after the lines of one key. */
function around(parts: Parts, index: number): [string, string] {
  const marked = assemble({
    ...parts,
    sections: parts.sections.map((section, at) =>
      at === index ? { ...section, lines: ['\u0001'] } : section,
    ),
  });
  const [before = '', after = ''] = marked.split(`\u0001${parts.ending}`);
  return [before, after];
}

describe('frontmatter edits of arbitrary notes', () => {
  it('change only the lines of the key', async () => {
    await fc.assert(
      fc.asyncProperty(document, fc.nat(), value, async (parts, pick, wanted) => {
        const note = assemble(parts);
        const index = pick % parts.sections.length;
        const { name } = parts.sections[index]!;
        const before = (await parseFrontmatter(note)).data;
        const result = await setFrontmatter(note, { [name]: wanted });
        const [head, tail] = around(parts, index);
        expect(result.startsWith(head)).toBe(true);
        expect(result.endsWith(tail)).toBe(true);
        expect(result.length).toBeGreaterThanOrEqual(head.length + tail.length);
        expect((await parseFrontmatter(result)).data).toEqual({ ...before, [name]: json(wanted) });
        if (parts.ending === '\r\n') expect(result).not.toMatch(/[^\r]\n/);
      }),
      { numRuns: cases(60) },
    );
  });

  it('add a key as the last lines of the block', async () => {
    await fc.assert(
      fc.asyncProperty(document, key, value, async (parts, name, wanted) => {
        const note = assemble(parts);
        const before = (await parseFrontmatter(note)).data;
        fc.pre(!Object.hasOwn(before, name));
        const result = await setFrontmatter(note, { [name]: wanted });
        const tail = `---${parts.ending}${parts.body.replaceAll('\n', parts.ending)}`;
        expect(result.startsWith(note.slice(0, note.length - tail.length))).toBe(true);
        expect(result.endsWith(tail)).toBe(true);
        expect((await parseFrontmatter(result)).data).toEqual({ ...before, [name]: json(wanted) });
      }),
      { numRuns: cases(60) },
    );
  });

  it('leave other keys byte for byte when one is removed by replacing', async () => {
    await fc.assert(
      fc.asyncProperty(document, fc.nat(), async (parts, pick) => {
        const note = assemble(parts);
        const index = pick % parts.sections.length;
        const { name } = parts.sections[index]!;
        const { [name]: _, ...rest } = (await parseFrontmatter(note)).data;
        fc.pre(Object.keys(rest).length > 0);
        // Blank lines behind the removed key would become part of a `|+` text before it; that is refused.
        fc.pre(!parts.sections.some((section) => section.lines[0]?.endsWith('|+')));
        const result = await setFrontmatter(note, rest, { replace: true });
        expect((await parseFrontmatter(result)).data).toEqual(rest);
        for (const [at, section] of parts.sections.entries())
          if (at !== index)
            expect(result).toContain(section.lines.map((line) => line + parts.ending).join(''));
        expect(result.endsWith(parts.body.replaceAll('\n', parts.ending))).toBe(true);
      }),
      { numRuns: cases(60) },
    );
  });

  it('give back every JSON object', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(key, value, { maxKeys: 4, noNullPrototype: true }),
        fc.string(),
        async (data, body) => {
          const note = await setFrontmatter(body, data);
          const parsed = await parseFrontmatter(note);
          fc.pre(Object.keys(data).length > 0);
          expect(parsed.data).toEqual(json(data));
          expect(parsed.body).toBe(body.replace(/^\uFEFF/, ''));
          expect(await setFrontmatter(note, data)).toBe(note);
        },
      ),
      { numRuns: cases(60) },
    );
  });

  it('splice lists, keeping the bytes of the items that stay', async () => {
    const list = fc.array(scalar, { minLength: 1, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(list, list, fc.boolean(), async (first, second, flow) => {
        const start = await setFrontmatter(flow ? '---\nl: []\n---\n' : '', { l: first });
        const changed = await setFrontmatter(start, { l: second });
        expect((await parseFrontmatter(changed)).data).toEqual({ l: json(second) });
        const both = await mergeFrontmatter(start, { l: second });
        expect(both.startsWith(start.slice(0, start.lastIndexOf(flow ? ']' : '---')))).toBe(true);
        if (flow) expect(changed).toMatch(/^---\nl: \[/);
      }),
      { numRuns: cases(60) },
    );
  });

  it('add and remove list items in every form of a value', async () => {
    const tag = fc.stringMatching(/^[a-z][a-z0-9/-]{0,5}$/);
    await fc.assert(
      fc.asyncProperty(document, fc.nat(), fc.array(tag), tag, async (parts, pick, add, remove) => {
        const note = assemble(parts);
        const { name } = parts.sections[pick % parts.sections.length]!;
        const before = (await parseFrontmatter(note)).data;
        fc.pre(!isRecord(before[name]));
        const result = await editListKey(note, name, { add, remove: (item) => item === remove });
        const after = (await parseFrontmatter(result)).data;
        const kept = readListKey(before, name).filter((item) => item !== remove);
        expect(readListKey(after, name)).toEqual([...new Set([...kept, ...add])]);
        for (const other of Object.keys(before))
          if (other !== name) expect(after[other]).toEqual(before[other]);
      }),
      { numRuns: cases(60) },
    );
  });
});
