import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { citationOf, citationsIn } from '../../src/brain/answer/citations.ts';
import { passagesOf } from '../../src/brain/retrieve/passages.ts';
import { questionOf } from '../../src/notes/text/analyzer.ts';
import { cases } from '../kit/cases.ts';
import { noteOf } from './kit.ts';

const FACTS = { index: 1, score: 1, retrievedAt: '2026-01-01T00:00:00.000Z' };
const words = (count: number, word = 'word') =>
  Array.from({ length: count }, (_, at) => `${word}${at}`).join(' ');

describe('the passages of a note', () => {
  it('begin at headings and know all headings over them', () => {
    const text = `# Plan\n\n${words(60)}\n\n## Cost\n\n${words(60, 'cost')}\n\n### Rent\n\n${words(60, 'rent')}\n\n## Time\n\n${words(60, 'time')}\n`;
    expect(
      passagesOf(noteOf(text)).map(({ headings, anchor, lineStart, lineEnd }) => [
        headings,
        anchor,
        lineStart,
        lineEnd,
      ]),
    ).toEqual([
      [['Plan'], 'Plan', 1, 3],
      [['Plan', 'Cost'], 'Cost', 5, 7],
      [['Plan', 'Cost', 'Rent'], 'Rent', 9, 11],
      [['Plan', 'Time'], 'Time', 13, 15],
    ]);
  });

  it('write an anchor as a link does', () => {
    const [passage] = passagesOf(noteOf('# A: [[b|c]] #1 ^x ##\n\ntext\n'));
    expect(passage?.anchor).toBe('A b c 1 x');
    expect(passage?.headings).toEqual(['A: [[b|c]] #1 ^x']);
  });

  it('join tiny sections, and a bare heading with what is under it', () => {
    const tiny = passagesOf(noteOf('## One\n\nfirst\n\n## Two\n\nsecond\n'));
    expect(tiny.map(({ text }) => text)).toEqual(['## One\n\nfirst\n\n## Two\n\nsecond']);
    const parent = passagesOf(noteOf(`# All\n\n## Part\n\n${words(100)}\n`));
    expect(parent).toHaveLength(1);
    expect(parent[0]?.text).toMatch(/^# All/);
  });

  it('keep paragraphs, tables and code in one piece where they fit', () => {
    const table = `| a | b |\n|---|---|\n${'| one | two |\n'.repeat(40)}`.trim();
    const code = `\`\`\`js\n${'let x;\n\n# no heading\n'.repeat(30)}\`\`\``;
    const text = `# T\n\n${words(100)}\n\n${table}\n\n${code}\n\n${words(100)}\n`;
    const texts = passagesOf(noteOf(text)).map((passage) => passage.text);
    expect(texts.some((each) => each.includes(table))).toBe(true);
    expect(texts.some((each) => each.includes(code))).toBe(true);
    expect(Math.max(...texts.map(({ length }) => length))).toBeLessThan(1_500);
  });

  it('cut what is too long between lines, sentences and words', () => {
    const list = `${'- an item of the list\n'.repeat(200)}`;
    for (const { text } of passagesOf(noteOf(list))) {
      expect(text.length).toBeLessThanOrEqual(1_200);
      expect(text).toMatch(/^- an item of the list/);
      expect(text).toMatch(/an item of the list$/);
    }
    const sentences = 'This is one sentence of many. '.repeat(200);
    for (const { text } of passagesOf(noteOf(sentences))) expect(text).toMatch(/^This .*many\.$/);
    const letters = passagesOf(noteOf('👩‍👩‍👧‍👦'.repeat(500)));
    expect(letters.length).toBeGreaterThan(3);
    for (const { text } of letters) expect(text.replaceAll('👩‍👩‍👧‍👦', '')).toBe('');
  });

  it('are bounded in number, and cover all of a giant note', () => {
    const text = Array.from({ length: 3_000 }, (_, at) => `# H${at}\n\n${words(50, `w${at}x`)}\n`).join('\n');
    const passages = passagesOf(noteOf(text));
    expect(passages.length).toBeLessThanOrEqual(256);
    expect(passages.map((each) => each.text).join('\n')).toContain('w2999x49');
  });

  it('leave out frontmatter, unless there is nothing else', () => {
    expect(
      passagesOf(noteOf('---\nstatus: open\n---\nbody\n')).map(({ text, lineStart }) => [text, lineStart]),
    ).toEqual([['body', 4]]);
    expect(passagesOf(noteOf('\uFEFF---\nstatus: open\n---\n'))[0]?.text).toContain('status: open');
    expect(passagesOf(noteOf(' \r\n\t\n'))).toEqual([]);
  });

  it('count lines as an editor does, with CRLF and a byte order mark', () => {
    const text = '\uFEFF---\r\na: 1\r\n---\r\n# H\r\n\r\nline six\r\nline seven\r\n';
    const [passage] = passagesOf(noteOf(text));
    expect(passage).toMatchObject({ lineStart: 4, lineEnd: 7, anchor: 'H' });
    expect(text.slice(passage?.span.start, passage?.span.end)).toBe(passage?.text);
  });

  it('keep their hashes when lines above move, and differ within a note', () => {
    const body = `## A\n\n${words(80)}\n\n## B\n\n${words(80)}\n\n## A\n\n${words(80)}\n`;
    const before = passagesOf(noteOf(body)).map(({ hash }) => hash);
    const after = passagesOf(noteOf(`---\nx: 1\n---\n\n\n${body}`)).map(({ hash }) => hash);
    expect(after).toEqual(before);
    expect(new Set(before).size).toBe(3);
    expect(passagesOf(noteOf(body, 'b.md'))[0]?.hash).not.toBe(before[0]);
  });

  it('take plain text as it is', () => {
    const [passage] = passagesOf(noteOf('# not a heading\n', 'a.txt'));
    expect(passage).toMatchObject({ anchor: '', headings: [], text: '# not a heading' });
  });
});

describe('a citation', () => {
  const text = `# Storage\n\n${'Nothing of interest is said here at all. '.repeat(12)}We chose PostgreSQL for the ledger database. ${'More words follow. '.repeat(20)}\n`;

  it('shows the part of the passage that has to do with the question', () => {
    const [passage] = passagesOf(noteOf(text));
    const citation = citationOf(passage!, questionOf('which databases did we choose?'), FACTS);
    expect(citation.textSpan).toMatch(/^We chose PostgreSQL for the ledger database\./);
    expect(citation).toMatchObject({ lineStart: 3, lineEnd: 3, anchor: 'Storage', sourcePath: 'a.md' });
  });

  it('names the heading it stands under when a passage has several', () => {
    const [passage] = passagesOf(noteOf('## One\n\nfirst\n\n## Two\n\nsecond\n'));
    expect(citationOf(passage!, questionOf('second'), FACTS)).toMatchObject({ anchor: 'Two', lineStart: 7 });
  });

  it('of a place names its lines, its heading and the passage it stands in', () => {
    const note = noteOf('---\na: b\n---\n# T\n\n- [ ] call them\n- [ ] write\n');
    const start = note.text.indexOf('- [ ] write');
    const citation = citationsIn(note)({ start, end: start + 11 }, FACTS);
    expect(citation).toMatchObject({ lineStart: 7, lineEnd: 7, anchor: 'T', textSpan: '- [ ] write' });
    expect(citation.chunkHash).toBe(passagesOf(note)[0]?.hash);
  });

  it('of a place that is not there shows nothing, and does not fail', () => {
    expect(citationsIn(noteOf('abc'))({ start: 900, end: 2 }, FACTS).textSpan).toBe('');
    expect(citationsIn(noteOf(''))({ start: 0, end: 0 }, FACTS)).toMatchObject({
      textSpan: '',
      chunkHash: '',
    });
  });
});

const pieces = fc.constantFrom(
  '\n',
  '\r\n',
  '\n\n',
  '# Head\n',
  '## Sub: x ##\n',
  '```\n',
  '| a | b |\n',
  '- item\n',
  '---\n',
  'key: value\n',
  '. ',
  ' ',
  '👩‍👩‍👧‍👦',
  '\uD83D',
  'é',
  '日本語',
  '\uFEFF',
);
const texts = fc
  .array(fc.oneof(pieces, fc.string({ unit: 'grapheme', maxLength: 40 }), fc.lorem({ maxCount: 60 })), {
    maxLength: 60,
  })
  .map((parts) => parts.join(''));

function linesOf(text: string, first: number, last: number): string {
  return text
    .split('\n')
    .slice(first - 1, last)
    .join('\n');
}

describe('whatever a note holds', () => {
  it('every passage stands at its span and lines, in order, and nothing visible is lost', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const passages = passagesOf(noteOf(text));
        let last = 0;
        for (const { span, lineStart, lineEnd, text: own, hash } of passages) {
          expect(own.trim()).not.toBe('');
          expect(text.slice(span.start, span.end)).toBe(own);
          expect(span.start).toBeGreaterThanOrEqual(last);
          if (last > 0) expect(text.slice(last, span.start).trim()).toBe('');
          expect(linesOf(text, lineStart, lineEnd)).toContain(own);
          expect(text.split('\n')[lineStart - 1]).toContain(own.split('\n')[0]);
          expect(hash).toMatch(/^[0-9a-f]{32}$/);
          last = span.end;
        }
        if (passages.length > 0) expect(text.slice(last).trim()).toBe('');
        expect(new Set(passages.map(({ hash }) => hash)).size).toBe(passages.length);
      }),
      { numRuns: cases(400) },
    );
  });

  it('every citation is really in the note, at exactly those lines', () => {
    fc.assert(
      fc.property(texts, fc.lorem({ maxCount: 5 }), (text, query) => {
        for (const passage of passagesOf(noteOf(text))) {
          const { textSpan, lineStart, lineEnd } = citationOf(passage, questionOf(query), FACTS);
          expect(textSpan.length).toBeGreaterThan(0);
          expect(textSpan.length).toBeLessThanOrEqual(300);
          expect(textSpan.trim()).toBe(textSpan);
          expect(linesOf(text, lineStart, lineEnd)).toContain(textSpan);
          expect(textSpan.split('\n')).toHaveLength(lineEnd - lineStart + 1);
          expect(passage.text).toContain(textSpan);
          if (text.isWellFormed()) expect(textSpan.isWellFormed()).toBe(true);
        }
      }),
      { numRuns: cases(400) },
    );
  });

  it('every place can be cited', () => {
    fc.assert(
      fc.property(texts, fc.nat(500), fc.nat(800), (text, start, length) => {
        const citation = citationsIn(noteOf(text))({ start, end: start + length }, FACTS);
        expect(citation.textSpan.length).toBeLessThanOrEqual(300);
        expect(linesOf(text, citation.lineStart, citation.lineEnd)).toContain(citation.textSpan);
      }),
      { numRuns: cases(400) },
    );
  });
});
