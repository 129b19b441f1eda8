import { expect, test } from 'vitest';
import type { NotePath } from '../path.ts';
import type { Period } from './period.ts';
import { spaceJournal } from './space-journal.ts';
import { fillTemplate } from './template.ts';

const DATE = new Date('2026-11-18T09:05:07Z');

test('a space keeps days in Journal, or where a page template says', () => {
  const page = (path: string, frontmatter: Record<string, unknown>) => ({
    path: path as NotePath,
    frontmatter,
    frontmatterTags: [String(frontmatter.tags)],
  });
  const journal = (pages: ReturnType<typeof page>[], period: Period = 'day', config = '') =>
    spaceJournal(pages, config, period, DATE);
  expect(journal([])).toMatchObject({ path: 'Journal/2026-11-18.md', template: undefined });
  expect(() => journal([], 'month')).toThrow('SilverBullet keeps notes of days');
  const two = page('Library/Journal.md', {
    tags: 'meta/template/page',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the syntax of SilverBullet
    suggestedName: 'Diary/${date.today()}',
  });
  expect(journal([two])).toMatchObject({ path: 'Diary/2026-11-18.md', template: two.path });
  const one = page('T.md', {
    tags: 'template',
    hooks: { newPage: { suggestedName: 'Journal/Week/{{weekStart}}' } },
  });
  expect(journal([one], 'week').path).toBe('Journal/Week/2026-11-16.md');
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the syntax of SilverBullet
  const other = page('X.md', { tags: 'meta/template/page', suggestedName: 'Inbox/${os.time()}' });
  expect(journal([other]).path).toBe('Journal/2026-11-18.md');
});

/** As its Configuration Manager writes them, and as people do by hand. */
const CONFIG_2_8 = (lua: string) =>
  `#meta\n\nThis page holds configuration.\n\n\`\`\`space-lua\n-- config.set("journal.prefix", "Example/")\nconfig.set {\n  shortWikiLinks = false\n}\n\`\`\`\n\n\`\`\`space-lua\n-- managed-by: configuration-manager\n${lua}\n\`\`\`\n\nconfig.set("journal.prefix", "Prose/")\n`;

test.each([
  ['2.0: no journal in it', 'config.set("std.widgets.toc.enabled", false)', 'Journal/2026-11-18.md', false],
  ['2.8', 'config.set("journal.prefix", "Diary/")', 'Diary/2026-11-18.md', false],
  ['2.8, a table', "config.set('journal', { tag = 'log', prefix = 'Log ' })", 'Log 2026-11-18.md', false],
  [
    '2.8, all in one table, the last counts',
    'config.set("journal.prefix", "Old/")\nconfig.set {\n  journal = { -- mine\n    prefix = "",\n    template = "My/Day"\n  }\n}',
    '2026-11-18.md',
    true,
  ],
])('the page CONFIG of SilverBullet %s', (_, lua, path, hasTemplate) => {
  const standard = {
    path: 'Library/Std/Journal/Template.md' as NotePath,
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the syntax of SilverBullet
    frontmatter: { frontmatter: 'tags: ${config.get("journal.tag")}\ndate: ${date.today()}\n' },
    frontmatterTags: ['meta/template'],
  };
  const journal = spaceJournal([standard], CONFIG_2_8(lua), 'day', DATE);
  expect(journal.path).toBe(path);
  expect(journal.template).toBe(hasTemplate ? 'My/Day.md' : standard.path);
  if (hasTemplate) return;
  const tag = lua.includes("tag = 'log'") ? 'log' : 'journal';
  expect(fillTemplate('---\ntags: meta/template\n---\n* |^|', journal, {})).toBe(
    `---\ntags: ${tag}\ndate: 2026-11-18\n---\n* `,
  );
});
