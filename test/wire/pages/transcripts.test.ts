/** The recorded calls of the reference server, made again on ours: the same shape and meaning, or a difference by name. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { NotePath } from '../../../src/notes/path.ts';
import type { NoteStore } from '../../../src/notes/store.ts';
import { AppError } from '../../../src/shared/errors.ts';
import { openMemoryStore } from '../../../src/stores/memory.ts';
import { type Answer, withPages, withPagesOver } from '../../kit/server.ts';
import { bodyOf, contentsOf, errorOf, expectCode } from './support.ts';

type Payload = Record<string, unknown>;

interface Recorded {
  readonly tool: string;
  readonly arguments: Payload;
  readonly answer: readonly (Payload | string)[];
  readonly isError?: true;
}

interface Fixture {
  readonly tools: readonly { name: string; title: string; input: Payload; required: string[] }[];
  readonly calls: readonly Recorded[];
}

const FIXTURE = JSON.parse(
  readFileSync(new URL('../../fixtures/pages/transcripts.json', import.meta.url), 'utf8'),
) as Fixture;
const BUNDLED = 'Library/Std/Config.md';
/** When the calls were recorded, so that the trash has the same months. */
const RECORDED_AT = 1_794_710_388_637;

/** Deliberate differences from the recording, by the position of the call in it. */
const DIFFERENCES: Readonly<Record<number, { why: string; check: (answer: Answer) => void }>> = {
  10: {
    why: 'wrong arguments are ordinary content: with isError claude.ai hides them from the model',
    check: (answer) =>
      expect(expectCode(answer, 'invalid_arguments', { status: 400 }).message).toContain(
        'expected_last_modified',
      ),
  },
  17: {
    why: 'frontmatter that ends with the file is frontmatter: the text goes below it, not above',
    check: ({ json }) => expect(json).toMatchObject({ bytesAdded: 9, insertedAfterFrontmatter: true }),
  },
  18: {
    why: 'the same: the block stands below the frontmatter',
    check: (answer) => expect(bodyOf(answer)).toBe('---\na: 1\n---\n\nprepended\n'),
  },
  25: {
    why: 'SilverBullet takes what follows the last dot for an extension and cannot open such a page',
    check: (answer) =>
      expect(expectCode(answer, 'invalid_path', { status: 422 }).remediation).toContain(
        '"Release 1.2 1794710394832-5"',
      ),
  },
  27: {
    why: 'a page that may not be written is a forbidden path, not a failure of the server behind',
    check: (answer) => expectCode(answer, 'forbidden_path', { status: 403, path: BUNDLED }),
  },
  28: {
    why: 'the same; and no copy stays behind in the trash',
    check: (answer) => expectCode(answer, 'forbidden_path', { status: 403, path: BUNDLED }),
  },
  36: {
    why: 'a deletion repeated within two minutes has happened: its answer may have been lost',
    check: ({ json }) =>
      expect(json).toMatchObject({
        deleted: true,
        trashPath: expect.stringMatching(/^_trash\/2026-11\/ref\/page-1794710388637-moved-\d{13}\.md$/),
        deduplicated: true,
      }),
  },
  38: {
    why: 'a missing argument is ordinary content: with isError claude.ai hides it from the model',
    check: (answer) => expect(expectCode(answer, 'invalid_path', { status: 422 }).message).toContain('page'),
  },
  39: {
    why: 'an unknown tool is ordinary content: with isError claude.ai hides it from the model',
    check: (answer) =>
      expect(expectCode(answer, 'not_found', { status: 404 }).message).toContain('nonexistent_tool'),
  },
};

/** A server like the one behind the recording: no moves, and a bundled page that cannot be changed. */
function recordedSpace(): NoteStore {
  const { move: _, ...store } = openMemoryStore({ 'index.md': '# Home\n' });
  const bundled = openMemoryStore({ [BUNDLED]: '# Config\n' }, () => 1_794_707_753_000);
  const of = (path: NotePath) => (path === BUNDLED ? bundled : store);
  const refuse = (path: NotePath) =>
    new AppError('forbidden', 'Page is read-only in SilverBullet', { subject: path });
  return {
    ...store,
    list: async (options) => store.list(options),
    read: (path) => of(path).read(path),
    stat: async (path) => of(path).read(path),
    write: async (path, content, conditions) => {
      if (path === BUNDLED) throw refuse(path);
      return store.write(path, content, conditions);
    },
    remove: async (path, conditions) => {
      if (path === BUNDLED) throw refuse(path);
      return store.remove(path, conditions);
    },
  };
}

/** Ticks, so that no two pages are of the same moment. */
function clock(): () => number {
  let time = RECORDED_AT;
  return () => time++;
}

/** Markers are other numbers here: each recorded one stands for the one ours gave at the same place. */
class Markers {
  readonly #ours = new Map<number, number>();

  learn(recorded: unknown, ours: unknown): void {
    const { lastModified: theirs } = recorded as Payload;
    const { lastModified: mine } = (ours ?? {}) as Payload;
    if (typeof theirs === 'number' && typeof mine === 'number') this.#ours.set(theirs, mine);
  }

  translate({ body, expected_last_modified: marker, ...rest }: Payload): Payload {
    const ours = this.#ours.get(Number(marker)) ?? marker;
    return {
      ...rest,
      ...(body !== undefined && { body: body === '[262145 chars]' ? 'x'.repeat(262_145) : body }),
      ...(marker !== undefined && {
        expected_last_modified: typeof marker === 'string' ? String(ours) : ours,
      }),
    };
  }
}

const TOOL_NAMES = /\b[a-z]+(?:_to)?_pages?\b/g;
const namedTools = (text: unknown) => [...new Set(String(text).match(TOOL_NAMES))].sort();

/** The same keys with the same values, but for times and wording; and wording that names the same tools. */
function expectSame(recorded: Payload, ours: Payload, where: string): void {
  const { message, remediation, lastModified, trashPath, hits, pages, count, reason, expectedLastModified } =
    recorded;
  expect(Object.keys(ours), where).toEqual(expect.arrayContaining(Object.keys(recorded)));
  const exact = Object.entries(recorded).filter(
    ([key]) =>
      !['message', 'remediation', 'lastModified', 'trashPath', 'hits', 'pages', 'count', 'reason'].includes(
        key,
      ) && key !== 'expectedLastModified',
  );
  expect(ours, where).toMatchObject(Object.fromEntries(exact));
  if (typeof recorded.path === 'string' && message !== undefined)
    expect(ours.message, where).toContain(recorded.path);
  if (message !== undefined) expect(ours.message, where).toMatch(/\S/);
  if (remediation !== undefined)
    expect(namedTools(ours.remediation), where).toEqual(expect.arrayContaining(namedTools(remediation)));
  if (lastModified !== undefined) expect(Number.isInteger(ours.lastModified), where).toBe(true);
  if (expectedLastModified !== undefined)
    expect(Number.isInteger(ours.expectedLastModified), where).toBe(true);
  if (reason !== undefined) expect(ours.reason, where).toBe(reason);
  if (typeof trashPath === 'string')
    expect(String(ours.trashPath).replace(/-\d{13}(?=\.md)/g, '-…'), where).toBe(
      trashPath.replace(/-\d{13}(?=\.md)/g, '-…'),
    );
  for (const [list, entries] of Object.entries({ hits, pages }))
    if (Array.isArray(entries)) {
      const mine = ours[list] as Payload[];
      expect(ours.count, where).toBe(mine.length);
      expect(mine.length > 0, where).toBe(count !== 0);
      for (const entry of mine) {
        expect(Object.keys(entry), where).toEqual(
          expect.arrayContaining(Object.keys((entries[0] as Payload | undefined) ?? {})),
        );
        expect(Number(entry.lastModified) % 1000, where).toBe(0);
      }
    }
}

async function replay(
  call: (tool: string, args: Payload) => Promise<Answer>,
  concerns: (args: Payload) => boolean = () => true,
): Promise<Answer[]> {
  const markers = new Markers();
  const answers: Answer[] = [];
  for (const [at, recorded] of FIXTURE.calls.entries()) {
    if (!concerns(recorded.arguments)) continue;
    const answer = await call(recorded.tool, markers.translate(recorded.arguments));
    answers.push(answer);
    const where = `call ${at}, ${recorded.tool}: ${answer.text.slice(0, 400)}`;
    expect(answer.isError, where).toBe(false);
    const [first, body] = recorded.answer;
    if (typeof first === 'object') markers.learn(first, answer.json);
    const difference = DIFFERENCES[at];
    if (difference) {
      difference.check(answer);
      continue;
    }
    expect(recorded.isError, `${where} is an error there and needs a reason here`).toBeUndefined();
    expect(answer.content, where).toHaveLength(recorded.answer.length);
    expectSame(first as Payload, answer.json, where);
    if ((first as Payload).error !== undefined) errorOf(answer);
    if (body !== undefined) expect(bodyOf(answer), where).toBe(body);
  }
  return answers;
}

test('there are 40 calls, and each difference is one of them and has its reason', () => {
  expect(FIXTURE.calls).toHaveLength(40);
  for (const [at, { why }] of Object.entries(DIFFERENCES)) {
    expect(FIXTURE.calls[Number(at)], at).toBeDefined();
    expect(why).toMatch(/\w+ \w+/);
  }
});

test('every recorded call is answered alike, on a store that cannot move pages', async () => {
  const store = recordedSpace();
  const { call } = await withPagesOver(store, { now: clock() });
  const answers = await replay(call);
  expect(answers).toHaveLength(40);
  expect(Object.keys(await contentsOf(store)).filter((path) => path.includes('Library'))).toEqual([]);
});

test('the bundled page apart, a folder answers alike too', async () => {
  const { call } = await withPages({ 'index.md': '# Home\n' });
  const month = new Date().toISOString().slice(0, 7);
  const inRecordedMonth = async (tool: string, args: Payload) =>
    JSON.parse(
      JSON.stringify(await call(tool, args)).replaceAll(`_trash/${month}`, '_trash/2026-11'),
    ) as Answer;
  const answers = await replay(inRecordedMonth, ({ page }) => !String(page).startsWith('Library/'));
  expect(answers).toHaveLength(38);
});

test('the tools have the recorded names, order, titles and parameters', async () => {
  const { client } = await withPages();
  const { tools } = await client.listTools();
  const recordedNames = FIXTURE.tools.map(({ name }) => name);
  expect(
    tools.filter(({ name }) => recordedNames.includes(name)).map(({ name, title }) => ({ name, title })),
  ).toEqual(FIXTURE.tools.map(({ name, title }) => ({ name, title })));
  for (const recorded of FIXTURE.tools) {
    const schema = tools.find(({ name }) => name === recorded.name)?.inputSchema as unknown as {
      properties: Record<string, { type: string; enum?: string[] }>;
      required?: string[];
    };
    expect(schema.required ?? [], recorded.name).toEqual(recorded.required);
    for (const [parameter, { type, enum: words }] of Object.entries(
      recorded.input as Record<string, { type: string; enum?: string[] }>,
    ))
      expect(schema.properties[parameter], `${recorded.name}.${parameter}`).toMatchObject({
        type,
        ...(words && { enum: words }),
      });
  }
});
