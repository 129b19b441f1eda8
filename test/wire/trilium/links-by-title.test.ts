/** `[[Title]]` in markdown is a reference link if exactly one note has that title, and a text if not. */
import { describe, expect, it } from 'vitest';
import { REAL, type WithTrilium, withTrilium } from './support.ts';

const NOTES = [
  { id: 'plan1', title: 'Plan' },
  { id: 'twin1', title: 'Twin' },
  { id: 'twin2', title: 'Twin' },
  { id: 'lower1', title: 'budget' },
  { id: 'odd1', title: 'It\'s "odd" (50 %) & more' },
  { id: 'target', title: 'Target', content: '<p>old</p>' },
];
/** A real Trilium may have notes of these titles elsewhere: all that happens, happens below the note of the test. */
const PARTS = { conversion: REAL, subtree: 'root' };

async function linkTo({ note }: WithTrilium): Promise<string> {
  return `<a class="reference-link" href="#root/${(await note('plan1'))?.noteId}">Plan</a>`;
}

const searchesIn = (asked: readonly string[]) =>
  asked.filter((request) => request.startsWith('GET /etapi/notes?'));

describe('a link by title', () => {
  it('leads to the one note of that title, whatever is written where', async () => {
    const trilium = await withTrilium(NOTES, PARTS);
    const { ok, text } = trilium;
    const link = await linkTo(trilium);
    const content = 'To [[Plan]], [[Twin]], [[Nowhere]], [[Budget]] and `[[Plan]]`.';
    const html = `<p>To ${link}, [[Twin]], [[Nowhere]], [[Budget]] and <code spellcheck="false">[[Plan]]</code>.</p>`;
    await ok('write_note', { noteId: 'target', mode: 'replace', content, format: 'markdown' });
    expect(await text('target')).toBe(html);
    await ok('write_note', { noteId: 'target', mode: 'append', content: 'See [[Plan]]', format: 'markdown' });
    expect(await text('target')).toBe(`${html}<p>See ${link}</p>`);
  });

  it('may have quotes in it', async () => {
    const { ok, text, note } = await withTrilium(NOTES, PARTS);
    const content = '[[It\'s "odd" (50 %) & more]]';
    await ok('write_note', { noteId: 'target', mode: 'replace', content, format: 'markdown' });
    expect(await text('target')).toContain(`href="#root/${(await note('odd1'))?.noteId}"`);
  });

  it('reads back as a link, or as it was written', async () => {
    const { ok } = await withTrilium(NOTES, PARTS);
    const content = 'To [[Plan]] and [[Nowhere]].';
    await ok('write_note', { noteId: 'target', mode: 'replace', content, format: 'markdown' });
    const answer = await ok('get_note', { noteId: 'target', format: 'markdown' });
    expect(JSON.stringify(answer.content)).toContain('and [[Nowhere]].');
    // Ids of a real one are as they are here again, in answers.
    const link = '<a class="reference-link" href="#root/plan1">Plan</a>';
    expect(answer.content.some((block) => 'text' in block && String(block.text).includes(`To ${link}`))).toBe(
      true,
    );
  });

  it('costs no request where there is none, and one for many', async () => {
    const { ok, fake } = await withTrilium(NOTES, { conversion: REAL });
    await ok('write_note', { noteId: 'target', mode: 'replace', content: 'plain', format: 'markdown' });
    expect(searchesIn(fake.requests)).toHaveLength(0);
    const content = Array.from({ length: 40 }, (_, at) => `[[Title ${at}]]`).join(' ');
    await ok('write_note', { noteId: 'target', mode: 'replace', content, format: 'markdown' });
    expect(searchesIn(fake.requests)).toHaveLength(1);
  });
});

describe('a note too long to be converted', () => {
  it('is given as its HTML, which the answer says', async () => {
    const { ok } = await withTrilium(NOTES, {
      conversion: {
        ...REAL,
        toMarkdown: async () => {
          const { AppError } = await import('../../../src/shared/errors.ts');
          throw new AppError('invalid_input', 'The text is too long to be converted', {
            subject: '11 characters',
          });
        },
      },
    });
    const { content } = await ok('get_note', { noteId: 'target', format: 'markdown' });
    expect(JSON.stringify(content[0])).toContain(
      'This is the stored HTML, not markdown: the text is too long',
    );
    expect(JSON.stringify(content[0])).toContain(String.raw`\"format\":\"html\"`);
    expect(JSON.stringify(content[1])).toContain('<p>old</p>');
  });
});
