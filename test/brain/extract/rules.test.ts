import { describe, expect, it } from 'vitest';
import { openLoopsIn } from '../../../src/brain/extract/extract.ts';

const NOTE = { sourcePath: 'a.md', referenceDate: '2026-11-16' };

describe('open loops', () => {
  it('are not looked for in code, comments, frontmatter and quotes of others', async () => {
    const text = [
      '---\ntodo: "TODO: in frontmatter"\n---',
      '```\n- [ ] fenced\nTODO: fenced\n```',
      '    TODO: indented',
      'Say `TODO: inline` to it.',
      '<!-- TODO: hidden -->',
      '%% TODO: hidden too %%',
      '%%\n- [ ] hidden block\n%%',
      '> - [ ] of somebody else',
      '- [ ] mine',
    ].join('\n\n');
    expect((await openLoopsIn(text, NOTE)).map((loop) => loop.text)).toEqual(['mine']);
    const quotes = await openLoopsIn(text, { ...NOTE, includeQuotes: true });
    expect(quotes.map((loop) => loop.text)).toEqual(['of somebody else', 'mine']);
  });
});
