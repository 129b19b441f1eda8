/**
 * Tool sets on real public vaults, which are not part of the project: QUIRE_CORPORA names the folder they are unpacked
 * in. What a set says is held against what plain patterns find in the files.
 */
import { cp, readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { withSets } from '../kit/note-sets.ts';
import type { ToolClient } from '../kit/server.ts';
import { fileText, putFile, temporaryFolder } from '../kit/temp.ts';
import { snapshot } from '../wire/notebook/support.ts';

const corpora = process.env.QUIRE_CORPORA;
const onVaults = test.skipIf(corpora === undefined);

interface Vault extends ToolClient {
  readonly folder: string;
  /** The text of every note by its path. */
  readonly notes: ReadonlyMap<string, string>;
}

async function vault(sets: readonly string[], from = 'kepano'): Promise<Vault> {
  const folder = await temporaryFolder();
  await cp(join(corpora!, 'markdown', from), folder, { recursive: true });
  const notes = new Map<string, string>();
  for (const path of await pathsIn(folder, '.md')) notes.set(path, await fileText(folder, path));
  return { folder, notes, ...(await withSets(sets, { folder })) };
}

async function pathsIn(folder: string, ending: string): Promise<string[]> {
  const all = await readdir(folder, { recursive: true });
  return all.filter((path) => path.endsWith(ending) && !path.startsWith('.')).sort();
}

const stem = (path: string) => basename(path, '.md').toLowerCase();
const frontmatterOf = (text: string) => /^---\n([\s\S]*?)^---$/m.exec(text)?.[1] ?? '';

/** Wikilinks to notes: the vault has no code and no links to notes in other forms. */
function* wikilinks(notes: Vault['notes']) {
  const byStem = new Map([...notes.keys()].map((path) => [stem(path), path]));
  for (const [from, text] of notes)
    for (const { 1: target } of text.matchAll(/\[\[([^\]|#\n]+)(?:[#|][^\]\n]*)?\]\]/g))
      if (!/\.(?:base|jpg)$/.test(target!))
        yield { from, target: target!.trim(), to: byStem.get(stem(target!.trim())) };
}

/** All pages of a list. */
async function whole<T>(
  call: ToolClient['call'],
  tool: string,
  key: string,
  args: Record<string, unknown>,
): Promise<T[]> {
  const all: T[] = [];
  for (let cursor: string | undefined; ; ) {
    const { json } = await call(tool, { ...args, ...(cursor !== undefined && { cursor }) });
    all.push(...json[key]);
    cursor = json.next_cursor;
    if (cursor === undefined) return all;
  }
}

onVaults('daily notes, sections and tasks of an Obsidian vault (needs QUIRE_CORPORA)', async () => {
  const { call, folder } = await vault(['tasks', 'sections', 'daily']);
  const made = (await call('append_to_periodic_note', { date: '2026-11-18', content: '- [ ] try it' })).json;
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
});

onVaults('links: backlinks, broken ones, orphans and ways (needs QUIRE_CORPORA)', async () => {
  const { call, notes } = await vault(['links']);
  const links = [...wikilinks(notes)];
  const broken = await whole<{ path: string; link: string }>(call, 'find_broken_links', 'broken', {});
  const pair = (path: string, link: string) => `${path}: ${link}`;
  expect(broken.map(({ path, link }) => pair(path, link)).sort()).toEqual(
    links
      .filter(({ to }) => to === undefined)
      .map(({ from, target }) => pair(from, target))
      .sort(),
  );
  const linked = new Set(links.filter(({ from, to }) => to !== from).map(({ to }) => to));
  const orphans = await whole<{ path: string }>(call, 'find_orphans', 'orphans', {});
  expect(orphans.map(({ path }) => path)).toEqual([...notes.keys()].filter((path) => !linked.has(path)));

  for (const path of ['References/Kevin Kelly.md', 'References/Jazz.md', 'Categories/Books.md']) {
    const expected = links.filter(({ from, to }) => to === path && from !== path).map(({ from }) => from);
    const backlinks = await whole<{ path: string; text: string; line: number }>(
      call,
      'get_links',
      'backlinks',
      {
        path: stem(path),
        direction: 'backlinks',
      },
    );
    expect(backlinks.map((one) => one.path).sort()).toEqual(expected.sort());
    for (const one of backlinks)
      expect(notes.get(one.path)!.split('\n')[one.line - 1]).toContain(one.text.replace(/…$/, ''));
  }

  const near = new Map<string, Set<string>>();
  for (const { from, to } of links)
    if (to !== undefined)
      for (const [a, b] of [
        [from, to],
        [to, from],
      ] as const)
        near.set(a, (near.get(a) ?? new Set()).add(b));
  const start = 'References/Blade Runner.md';
  const distances = new Map([[start, 0]]);
  for (const [path, distance] of distances)
    for (const next of near.get(path) ?? []) if (!distances.has(next)) distances.set(next, distance + 1);
  const found = await whole<{ path: string; distance: number }>(call, 'explore_links', 'notes', {
    path: start,
    depth: 4,
  });
  expect(new Map(found.map(({ path, distance }) => [path, distance]))).toEqual(
    new Map([...distances].filter(([, distance]) => distance > 0 && distance <= 4)),
  );
  for (const [path, distance] of [...distances].slice(1, 40).filter((_, at) => at % 5 === 0)) {
    const { json } = await call('explore_links', { path: start, to: path });
    expect(json.way).toHaveLength(distance + 1);
  }
});

onVaults(
  'tags: counts, expressions, and a renaming that is undone as one change (needs QUIRE_CORPORA)',
  async () => {
    const { call, folder, notes } = await vault(['tags']);
    const tagsOf = (text: string) => {
      const list = /^tags:[ \t]*\n((?:[ \t]*- .*\n?)+)/m.exec(frontmatterOf(text))?.[1] ?? '';
      return [...list.matchAll(/^[ \t]*- "?#?([^"\n]+?)"?[ \t]*$/gm)].map((match) => match[1]!);
    };
    const counts = new Map<string, number>();
    for (const text of notes.values())
      for (const tag of new Set(tagsOf(text))) counts.set(tag, (counts.get(tag) ?? 0) + 1);
    const listed = await whole<{ tag: string; notes: number }>(call, 'list_tags', 'tags', {});
    expect(new Map(listed.map(({ tag, notes: count }) => [tag, count]))).toEqual(counts);
    const { json } = await call('find_by_tags', { expression: 'music OR categories', limit: 200 });
    const isMeant = (path: string) =>
      tagsOf(notes.get(path)!).some((tag) => /^(?:music|categories)(?:\/|$)/.test(tag));
    expect(json.notes.map(({ path }: { path: string }) => path)).toEqual([...notes.keys()].filter(isMeant));

    const before = await snapshot(folder);
    const renamed = (await call('rename_tag', { from: 'categories', to: 'kinds/all' })).json;
    expect(renamed).toMatchObject({ notes: counts.get('categories') });
    for (const [path, text] of notes)
      expect(await fileText(folder, path)).toBe(
        tagsOf(text).includes('categories') ? text.replace('- categories\n', '- kinds/all\n') : text,
      );
    const { changes } = (await call('list_changes')).json;
    expect(changes).toHaveLength(1);
    await call('undo_changes', { id: changes[0].id });
    expect(await snapshot(folder)).toEqual(before);
  },
);

onVaults('properties: queries, and every view of every base (needs QUIRE_CORPORA)', async () => {
  const { call, folder, notes } = await vault(['properties']);
  const property = (text: string, key: string) =>
    new RegExp(`^${key}:[ \\t]*(\\S.*)$`, 'm').exec(frontmatterOf(text))?.[1];
  const rated = [...notes].filter(([, text]) => Number(property(text, 'rating')) >= 6).map(([path]) => path);
  const { json } = await call('query_notes', { where: { rating: { '>=': 6 } }, columns: ['rating'] });
  expect(json.notes.map(({ path }: { path: string }) => path)).toEqual(rated);
  expect(rated.length).toBeGreaterThan(3);
  const years = [...notes].filter(([, text]) => property(text, 'year') !== undefined).length;
  const { groups } = (await call('query_notes', { where: { year: { exists: true } }, group_by: 'year' }))
    .json;
  expect(groups.reduce((sum: number, group: { notes: number }) => sum + group.notes, 0)).toBe(years);

  /** Notes of a category, as the bases of this vault choose them: not the templates. */
  const inCategory = (name: string) =>
    [...notes].flatMap(([path, text]) => {
      const list = /^categories:[ \t]*\n((?:[ \t]*- .*\n?)+)/m.exec(frontmatterOf(text))?.[1] ?? '';
      return list.includes(`[[${name}]]`) && !path.includes('Template.md') ? [path] : [];
    });
  for (const name of ['Movies', 'Books', 'Albums', 'People', 'Places', 'Podcast episodes', 'Events']) {
    const { json: base, text } = await call('read_base', { path: `${name}.base` });
    expect([name, text]).toEqual([name, expect.stringContaining('rows')]);
    expect([name, base.unsupported, base.rows.map(({ path }: { path: string }) => path).sort()]).toEqual([
      name,
      undefined,
      inCategory(name).sort(),
    ]);
  }
  const unsupported = new Set<string>();
  for (const path of await pathsIn(folder, '.base')) {
    const views = [...(await fileText(folder, path)).matchAll(/^ {4}name: "?(.+?)"?$/gm)].map(
      ([, name]) => name!,
    );
    expect((await call('read_base', { path })).json.views).toEqual(views);
    for (const view of views) {
      const { isError, json: answer } = await call('read_base', { path, view });
      expect([path, view, isError]).toEqual([path, view, false]);
      for (const reason of answer.unsupported ?? []) unsupported.add(reason);
    }
  }
  expect([...unsupported].sort()).toEqual([
    '"coordinates" of the view is not supported',
    '"defaultZoom" of the view is not supported',
    '"markerColor" of the view is not supported',
    '"markerIcon" of the view is not supported',
    'filters of the view "not(empty(note.last))" uses not(), empty(), which is not supported',
    'formula.Embeds uses file.embeds, which is not supported',
  ]);
});

onVaults(
  'files: other files, a folder moved with all links, a canvas over the notes (needs QUIRE_CORPORA)',
  async () => {
    const { call, folder, notes } = await vault(['files', 'links']);
    const bases = await pathsIn(folder, '.base');
    const sizes = await Promise.all(bases.map(async (path) => (await stat(join(folder, path))).size));
    const { total, bytes } = (await call('list_files', {})).json;
    expect({ total, bytes }).toEqual({ total: bases.length, bytes: sizes.reduce((a, b) => a + b) });
    const embedded = new Set(
      [...notes.values()].flatMap((text) =>
        [...text.matchAll(/\[\[([^\]|#]+\.base)/g)].map(([, name]) => name!),
      ),
    );
    const unlinked = await whole<{ path: string }>(call, 'list_files', 'files', { unlinked: true });
    expect(unlinked.map(({ path }) => path)).toEqual(bases.filter((path) => !embedded.has(basename(path))));
    const read = await call('read_file', { path: 'Movies.base' });
    expect(read.content.at(-1)).toMatchObject({
      text: await fileText(folder, 'Templates/Bases/Movies.base'),
    });

    const nodes = [...notes.keys()].slice(0, 20).map((file, at) => ({ id: `n${at}`, type: 'file', file }));
    await putFile(folder, 'map.canvas', '{}');
    await call('edit_canvas', {
      path: 'map.canvas',
      nodes: [...nodes, { id: 'x', type: 'file', file: 'Gone.md' }],
    });
    const canvas = (await call('read_canvas', { path: 'map' })).json;
    expect(
      canvas.nodes.flatMap(({ id, broken }: { id: string; broken?: true }) => (broken ? id : [])),
    ).toEqual(['x']);

    const before = await snapshot(folder);
    const isBroken = async () => (await call('find_broken_links')).json.total;
    const broken = await isBroken();
    const inside = [...notes.keys()].filter((path) => path.startsWith('References/'));
    const moved = (await call('move_folder', { folder: 'References', to: 'Library/Things' })).json;
    expect(moved).toMatchObject({ files: inside.length });
    expect(await isBroken()).toBe(broken);
    for (const path of inside)
      expect(await fileText(folder, path.replace('References', 'Library/Things'))).toBe(notes.get(path));
    const [change] = (await call('list_changes')).json.changes;
    await call('undo_changes', { id: change.id });
    expect(await snapshot(folder)).toEqual(before);
  },
);

onVaults('trash: what is deleted is listed and comes back as it was (needs QUIRE_CORPORA)', async () => {
  const { call, folder, notes } = await vault(['trash']);
  const before = await snapshot(folder);
  const gone = [...notes.keys()].filter((path) => path.startsWith('Notes/'));
  for (const path of gone) {
    const { isError } = await call('delete_note', { path, confirmPath: path });
    expect([path, isError]).toEqual([path, false]);
  }
  const listed = await whole<{ original: string; size: number }>(call, 'list_trash', 'notes', {});
  expect(listed.map(({ original }) => original).sort()).toEqual(gone);
  for (const { original, size } of listed) expect(size).toBe(Buffer.byteLength(notes.get(original)!));
  for (const path of gone) expect((await call('restore_note', { path })).json.path).toBe(path);
  expect((await call('list_trash')).json.total).toBe(0);
  const files = Object.entries(await snapshot(folder)).filter(([path]) => !path.startsWith('.trash'));
  expect(Object.fromEntries(files)).toEqual(before);
});

onVaults('vault-info and chatgpt: counts, and every note by its title (needs QUIRE_CORPORA)', async () => {
  const { call, notes } = await vault(['vault-info', 'chatgpt']);
  const info = (await call('vault_info')).json;
  const folders = new Set(
    [...notes.keys()].filter((path) => path.includes('/')).map((path) => path.split('/')[0]),
  );
  const size = (text: string) => Buffer.byteLength(text);
  const largest = [...notes].sort(([, a], [, b]) => size(b) - size(a))[0]!;
  expect(info).toMatchObject({
    notes: notes.size,
    folders: folders.size,
    bytes: [...notes.values()].reduce((sum, text) => sum + size(text), 0),
    index: { indexed: notes.size, pending: 0, unreadable: 0 },
  });
  expect(info.largest[0]).toEqual({ path: largest[0], bytes: size(largest[1]) });
  expect(info.top_folders.Templates).toBe(
    [...notes.keys()].filter((path) => path.startsWith('Templates/')).length,
  );
  expect(info.top_properties.categories).toBe(
    [...notes.values()].filter((text) => /^categories:/m.test(frontmatterOf(text))).length,
  );
  expect(Object.keys(info.languages)[0]).toBe('en');

  const lost: string[] = [];
  for (const [path, text] of notes) {
    const { results } = (await call('search', { query: basename(path, '.md') })).json;
    if (!results.slice(0, 3).some(({ id }: { id: string }) => id === path)) lost.push(path);
    expect((await call('fetch', { id: path })).json).toMatchObject({ id: path, text });
  }
  expect(lost).toEqual([]);
});

onVaults('prompts bring the notes of the vault (needs QUIRE_CORPORA)', async () => {
  const { client, notes } = await vault([]);
  const textOf = async (name: string, args: Record<string, string>) => {
    const [first] = (await client.getPrompt({ name, arguments: args })).messages;
    return first?.content.type === 'text' ? first.content.text : '';
  };
  const inside = [...notes.keys()].filter((path) => path.startsWith('Clippings/'));
  const folder = await textOf('summarize_folder', { folder: 'Clippings' });
  expect(folder).toContain(`Its ${inside.length} notes`);
  for (const path of inside) expect(folder).toContain(path);
  const note = 'References/Blade Runner.md';
  const broken = [...wikilinks(notes)].filter(({ from, to }) => from === note && to === undefined);
  const tidy = await textOf('tidy_note', { path: 'Blade Runner' });
  const listed = /<broken-links>\n([\s\S]*?)\n<\/broken-links>/.exec(tidy)![1]!.split('\n');
  expect(listed.map((line) => line.replace(/^line \d+: /, ''))).toEqual(broken.map(({ target }) => target));
  const completed = await client.complete({
    ref: { type: 'ref/prompt', name: 'tidy_note' },
    argument: { name: 'path', value: 'references/' },
  });
  expect(completed.completion.total).toBe(
    [...notes.keys()].filter((path) => path.startsWith('References/')).length,
  );
  const sameName = [...notes.keys()].filter((path, _, all) =>
    all.some((one) => one !== path && stem(one) === stem(path)),
  );
  const twins = await textOf('find_duplicates', {});
  for (const path of sameName) expect(twins).toContain(path);
  expect(await textOf('daily_review', { date: '2023-09-12' })).toContain('Daily/2023-09-12.md');
});

onVaults('properties of many notes: those of a manual (needs QUIRE_CORPORA)', async () => {
  const { call, notes } = await vault(['properties', 'vault-info'], 'mdn/files/en-us/web/http');
  const counts = new Map<string, number>();
  for (const text of notes.values()) {
    const type = /^page-type:[ \t]*(\S+)$/m.exec(frontmatterOf(text))?.[1] ?? '';
    counts.set(type, (counts.get(type) ?? 0) + 1);
  }
  const groups = await whole<{ value?: string; notes: number }>(call, 'query_notes', 'groups', {
    group_by: 'page-type',
  });
  expect(new Map(groups.map(({ value, notes: count }) => [value ?? '', count]))).toEqual(counts);
  expect((await call('vault_info')).json.notes).toBe(notes.size);
  expect(notes.size).toBeGreaterThan(200);
});
