import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { passageSentences } from '../../../src/brain/answer/sentences.ts';
import type { RankedPassage } from '../../../src/brain/types.ts';
import { cases } from '../../kit/cases.ts';
import { processorTime } from '../../kit/processor-time.ts';

const BEFORE = 'Above.\n\n';

function sourceOf(text: string): RankedPassage {
  return {
    score: 1,
    coverage: 1,
    passage: {
      sourcePath: 'a.md',
      title: 'a',
      tags: [],
      lastModified: 0,
      anchor: '',
      headings: [],
      span: { start: BEFORE.length, end: BEFORE.length + text.length },
      lineStart: 3,
      lineEnd: 3,
      text,
      hash: 'h',
    },
  };
}

const read = (text: string) => passageSentences(sourceOf(text)).map((sentence) => sentence.text);

describe('sentences', () => {
  it.each([
    ['plain ones', 'One here. Two there! Three?', ['One here.', 'Two there!', 'Three?']],
    [
      'abbreviations',
      'Dr. Lee met us, e.g. Ana, at 5 p.m. sharp. Then we left.',
      ['Dr. Lee met us, e.g. Ana, at 5 p.m. sharp.', 'Then we left.'],
    ],
    [
      'German dates',
      'Wir treffen uns am 3. März in Bonn. Danach z. B. Essen.',
      ['Wir treffen uns am 3. März in Bonn.', 'Danach z. B. Essen.'],
    ],
    ['numbers', 'It costs 3.50 euros. Version 2.1 is out.', ['It costs 3.50 euros.', 'Version 2.1 is out.']],
    ['lines of a paragraph', 'One goes\non here. Two.', ['One goes on here.', 'Two.']],
    ['CRLF', 'One goes\r\non here. Two.\r\n\r\nThree.', ['One goes on here.', 'Two.', 'Three.']],
    ['lists', '- one\n- [ ] two\n  goes on\n1. three', ['one', 'two goes on', 'three']],
    ['quotes', '> Said **so**.\n> Twice.', ['Said so.', 'Twice.']],
    ['tables', '| Key | Value |\n|---|---|\n| Owner | Ana |', ['Key: Value', 'Owner: Ana']],
    ['no headings', '# One\n\nText.\n\nTwo\n===\n\nThree\n---\n\nMore.', ['Text.', 'More.']],
    ['no code', 'Run this.\n\n```\nSecret here.\n```\n\n    indented code.\n\nDone.', ['Run this.', 'Done.']],
    ['no comments', 'Seen.\n\n<!-- Not\nseen. -->\n\n%% Nor this. %%\n\nEnd.', ['Seen.', 'End.']],
    [
      'markdown as it is read',
      'See [[Note|the *note*]], [a link](x.md) and `code` ~~not~~ ==this== ![alt](p.png)[^1] [2].',
      ['See the note, a link and code not this alt.'],
    ],
    ['Chinese', '我们选择了数据库。然后我们吃饭。', ['我们选择了数据库。', '然后我们吃饭。']],
  ])('%s', (_, text, sentences) => {
    expect(read(text)).toEqual(sentences);
  });

  it('stand in the note where they say, for any text', () => {
    const piece = fc.oneof(
      fc.constantFrom(
        '# ',
        '- ',
        '> ',
        '| a |',
        '```\n',
        '\n',
        '\r\n',
        '. ',
        '! ',
        'e.g. ',
        '**',
        '[[',
        ']]',
        '<!--',
        '%%',
        '😀',
        '\uD83D',
        '3. ',
      ),
      fc.string({ unit: 'grapheme', maxLength: 20 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const text = pieces.join('');
        const note = BEFORE + text;
        let last = 0;
        for (const { span } of passageSentences(sourceOf(text))) {
          const raw = note.slice(span.start, span.end);
          expect(raw).not.toBe('');
          expect(raw).toBe(raw.trim());
          expect(span.start).toBeGreaterThanOrEqual(Math.max(last, BEFORE.length));
          expect(span.end - span.start).toBeLessThanOrEqual(400);
          last = span.end;
        }
      }),
      { numRuns: cases(300) },
    );
  });

  it('of hostile texts come quickly', () => {
    const hostile = [
      'a'.repeat(100_000),
      '[['.repeat(20_000),
      '*a '.repeat(20_000),
      '> '.repeat(30_000),
      '| '.repeat(30_000),
      'e.g. '.repeat(20_000),
      '<!--'.repeat(20_000),
      '\\['.repeat(20_000),
    ];
    for (const text of hostile) {
      const spent = processorTime();
      read(text);
      expect(spent()).toBeLessThan(2_000);
    }
  });
});
