/** Tool sets on a real public vault, which is not part of the project: QUIRE_CORPORA names the folder it is unpacked in. */
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { withSets } from '../kit/note-sets.ts';
import { fileText, temporaryFolder } from '../kit/temp.ts';

const corpora = process.env.QUIRE_CORPORA;

test.skipIf(corpora === undefined)(
  'daily notes, sections and tasks of an Obsidian vault (needs QUIRE_CORPORA)',
  async () => {
    const folder = await temporaryFolder();
    await cp(join(corpora!, 'markdown', 'kepano'), folder, { recursive: true });
    const { call } = await withSets(['tasks', 'sections', 'daily'], { folder });
    const made = (await call('append_to_periodic_note', { date: '2026-11-18', content: '- [ ] try it' }))
      .json;
    expect(made).toMatchObject({ path: 'Daily/2026-11-18.md', created: true });
    const text = await fileText(folder, made.path);
    expect(text).toBe('---\ntags:\n  - daily\n---\n## Notes\n\n![[Daily.base]]\n\n- [ ] try it\n');
    await call('change_task', { path: made.path, text: 'try it', due: '2026-12-01' });
    expect((await call('list_tasks', { due_before: '2026-12-01' })).json.tasks).toMatchObject([
      { path: made.path, text: 'try it 📅 2026-12-01' },
    ]);
    const { headings } = (await call('get_outline', { path: 'Readme.md' })).json;
    for (const { heading, line } of headings) {
      const section = (await call('read_section', { path: 'Readme.md', heading, line })).json;
      expect(section.line).toBe(line);
    }
    expect(headings.length).toBeGreaterThan(0);
  },
);
