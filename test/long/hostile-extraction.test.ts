import { describe, expect, it } from 'vitest';
import { decisionsIn, meetingIn } from '../../src/brain/extract/ops/extract.ts';
import { openLoopsIn } from '../kit/extract.ts';
import { processorTime } from '../kit/processor-time.ts';

const NOTE = { sourcePath: 'a.md', referenceDate: '2026-11-16' };
const MB = 1_000_000;
const filled = (unit: string, length = MB) => unit.repeat(Math.ceil(length / unit.length));

/** Lines of a megabyte, and a fifth of that of many lines. */
const HOSTILE: Readonly<Record<string, string>> = {
  'one line of words': filled('word '),
  'one line without a space': filled('a'),
  'one line of triggers': filled('by in on until '),
  'one line of brackets': filled('[[['),
  'one line of parentheses': filled('(a('),
  'one line of stars': filled('**a'),
  'one line of markers': filled('TODO: '),
  'one line of half markers': filled('TODO(a'),
  'one line of tags': filled('#a '),
  'one line of hashes': filled('#'),
  'one line of backticks': filled('`a``'),
  'one line of at signs': filled('@a,'),
  'one line of names': filled('Ana and '),
  'one line of sentences': filled('We decided. '),
  'one line of comments': filled('%%a%% '),
  'one line of colons': filled('A: '),
  'one line of bars': `|${filled('a|')}`,
  'one line of spaces': `- [ ] a${filled(' ')}b`,
  'one line of question marks': `# Questions\n\n- ${filled('?')}!`,
  'one attendee line': `Attendees: ${filled('Ana ')}`,
  'one attendee line of commas': `Attendees: ${filled('A,')}`,
  'many tasks': filled('- [ ] a\n', MB / 5),
  'many different tasks': Array.from({ length: 100_000 }, (_, index) => `- [ ] task ${index} by Friday`).join(
    '\n',
  ),
  'many comments left open': filled('%%\n', MB / 5),
  'many headings': filled('# Actions\n', MB / 5),
  'many labels': filled('Actions:\n', MB / 5),
  'many quotes': filled('> > > a\n', MB / 5),
  'deep quotes': `${filled('>', 10_000)} a\n`.repeat(20),
  'deep lists': Array.from({ length: 1_000 }, (_, index) => `${' '.repeat(index * 2)}- [ ] a`).join('\n'),
  'many action items': `# Actions\n${filled('- Ana to a\n  - b\n', MB / 5)}`,
  'many turns': filled('Ana: I will go.\nBen: b\n', MB / 5),
  'many table rows': `| Action | Owner |\n|---|---|\n${filled('| a | b |\n', MB / 5)}`,
  'an open fence': `\`\`\`\n${filled('- [ ] a\n', MB / 5)}`,
  'an open comment': `<!--\n${filled('- [ ] a\n', MB / 5)}`,
  'lone surrogates': filled('TODO: \ud800 a\udc00\n', MB / 5),
  zeros: filled('\u0000', MB / 5),
  'carriage returns': filled('TODO: a\r', MB / 5),
  'a byte order mark': `\uFEFF${filled('- [ ] a\r\n', 1_000)}`,
  'broken frontmatter': `---\n${filled('a: [')}\n---\n- [ ] a\n`,
};
/** Some take two seconds; what is not linear would take minutes. */
const LIMIT_MS = 20_000;

describe('hostile text', () => {
  it.each(Object.entries(HOSTILE))('%s is read in time in proportion', async (_, text) => {
    const spent = processorTime();
    const loops = await openLoopsIn(text, NOTE);
    const decisions = await decisionsIn(text, NOTE);
    const meeting = await meetingIn(text, NOTE);
    expect(spent()).toBeLessThan(LIMIT_MS);
    for (const { evidence } of [
      ...loops.slice(0, 50),
      ...decisions.slice(0, 50),
      ...meeting.actionItems.slice(0, 50),
    ]) {
      expect(text.slice(evidence.span.start, evidence.span.end)).toBe(evidence.textSpan);
      expect(evidence.textSpan.length).toBeLessThanOrEqual(300);
    }
  });

  /** Of the longest blocks that are read whole: what is quadratic in a line would show here. */
  const UNITS = [
    'a',
    ' ',
    'by ',
    'by 1 ',
    'in 2 ',
    'on the ',
    '[',
    '[[',
    '[[a|',
    '[a](',
    '(',
    '(a:: ',
    '[due:: ',
    '*',
    '**',
    '**a',
    '_',
    '~~',
    '==',
    '#',
    '#a ',
    '@',
    '@a',
    '@a.',
    'A',
    'Ana ',
    'Ana and ',
    'Ana, ',
    'Ana-',
    'A: ',
    'TODO(',
    'TODO: ',
    'WAITING FOR ',
    'Q: ',
    '?',
    '?) ',
    '. A',
    '! ',
    '-',
    ' - ',
    '– A',
    'we ',
    'we decided ',
    'we have all now ',
    'not yet ',
    'decide ',
    'if a, ',
    'because ',
    'over a ',
    'chose a ',
    'wir haben ',
    '|',
    '||',
    'a|',
    '📅',
    '🔁 every ',
    '🆔 a,',
    '⏫',
    '1',
    '1.',
    '1/2/',
    '00:',
    '00:01:02 ',
    '%',
    '%%',
    '%%a',
    '`',
    '``',
    '<',
    '<!--',
    '&',
    '\\\\',
    '"',
    '\u2019',
    'due:a ',
    'x ',
    '(A) ',
    '+a ',
    'risk ',
    'there is a ',
    'Ana to ',
    'will ',
  ];
  const LINES = 4;

  it.each([
    '',
    '- [ ] ',
    '# Actions\n\n- ',
    'Attendees: ',
    'Attendees: Ana\n\nAna to ',
    '| Action | Owner |\n|---|---|\n| ',
  ])('behind %j is read in time in proportion', async (before) => {
    for (const unit of UNITS) {
      const text = `${before}${filled(unit, 3_900)}\n\n`.repeat(LINES);
      const spent = processorTime();
      await openLoopsIn(text, NOTE);
      await decisionsIn(text, NOTE);
      await meetingIn(text, NOTE);
      expect(spent(), JSON.stringify(unit)).toBeLessThan(1_000);
    }
  });

  it('with a byte order mark and other line ends is read like any other', async () => {
    const text = '\uFEFF# A\r\n\r\n- [ ] one\r\n- [x] two\r\n\r\nTODO: three\r\nmore\r\n';
    const loops = await openLoopsIn(text, NOTE);
    expect(loops.map(({ text: words, status, evidence }) => [words, status, evidence.lineStart])).toEqual([
      ['one', 'open', 3],
      ['two', 'done', 4],
      ['three more', 'open', 6],
    ]);
    expect(loops[2]?.evidence).toMatchObject({ lineEnd: 7, textSpan: 'TODO: three\r\nmore', anchor: 'A' });
  });
});
