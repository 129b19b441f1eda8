/** `mcp_tools: { mode: search }`: two tools instead of all of them, under the same rules. */
import { expect, it, test } from 'vitest';
import { createToolFinder, createToolIndex } from '../../src/governance/exposure/find.ts';
import type { Exposure } from '../../src/governance/exposure/visibility.ts';
import { connectHttp, startHttp } from '../kit/http.ts';
import { processorTime } from '../kit/processor-time.ts';
import { SHIFTING, writePlane } from './exposed-kit.ts';

function tool(name: string, description: string, isVisible = true): Exposure {
  const definition = { kind: 'tool', name, description } as const;
  const entry = { definition, fingerprint: `${name} ${description}` };
  return { name, isVisible, candidate: { entry } } as unknown as Exposure;
}

const THINGS = [
  'invoice',
  'calendar',
  'mail',
  'ticket',
  'contact',
  'file',
  'image',
  'branch',
  'song',
  'order',
];
const DEEDS = [
  'search',
  'create',
  'update',
  'delete',
  'list',
  'export',
  'archive',
  'share',
  'count',
  'rename',
];
const MANY = Array.from({ length: 500 }, (_, at) => {
  const [thing, deed] = [THINGS[at % 10], DEEDS[Math.floor(at / 10) % 10]];
  return tool(
    `s${at % 5}__${deed}_${thing}_${at}`,
    `This tool can ${deed} every ${thing} of number ${at}. `.repeat(5),
  );
});

test('finds tools by name, title and description, the best first, and never a hidden one', () => {
  const find = createToolFinder([
    tool('mail__searchMessages', 'Looks through the mailbox.'),
    tool('git__log', 'Shows messages of commits.'),
    tool('git__hidden_messages', 'Messages, messages', false),
    tool('box__pay', 'Pays a bill.'),
  ]);
  const names = (query: string, most = 10) => find(query, most).found.map(({ name }) => name);
  expect(names('search message')).toEqual(['mail__searchMessages', 'git__log']);
  expect(names('paying bills')).toEqual(['box__pay']);
  expect(names('hidden')).toEqual([]);
  expect(names('', 2)).toEqual(['mail__searchMessages', 'git__log']);
  expect(find('messages', 1)).toMatchObject({ total: 2 });
});

test('of 500 tools the right ones are found within 20 ms', () => {
  const find = createToolFinder(MANY);
  const times: number[] = [];
  for (let at = 0; at < 10; at++) {
    const begun = performance.now();
    const { found } = find('archive the calendar', 5);
    times.push(performance.now() - begun);
    expect(found.every(({ name }) => name.includes('archive_calendar'))).toBe(true);
  }
  expect(Math.min(...times)).toBeLessThan(20);
});

test('the words of very many tools are read in turns with other work', async () => {
  const index = createToolIndex();
  const copies = Array.from({ length: 8 }, (_, copy) =>
    MANY.map(({ name }) =>
      tool(`${name}_${copy}`, 'Does what its name says, for one person after the other.'),
    ),
  );
  let turns = 0;
  const ticking = setInterval(() => turns++, 1);
  await index.prepare(copies.flat());
  clearInterval(ticking);
  expect(turns).toBeGreaterThan(2);
});

test('the first search after a refresh has the words of 500 tools, and reads those of a changed one anew', async () => {
  const index = createToolIndex();
  await index.prepare(MANY);
  const [first, ...others] = MANY;
  const changed = tool(first?.name ?? '', 'Plays the trombone.');
  const times: number[] = [];
  for (let at = 0; at < 5; at++) {
    const used = processorTime();
    const { found } = index.finder([changed, ...others])('trombone', 5);
    times.push(used());
    expect(found).toEqual([changed]);
  }
  expect(Math.min(...times)).toBeLessThan(20);
});

it('lists two tools, finds what would be listed, and calls it under the same rules', async () => {
  const written = await writePlane([{ ...SHIFTING, trust: 'reviewed' }], {
    control_plane: { mcp_tools: { mode: 'search' }, mcp_exposure: { max_tools: 1 } },
  });
  const server = await startHttp(['serve', '--config', written.file]);
  const client = await connectHttp(server.origin);
  const { tools } = await client.listTools();
  const names = tools.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['read_note', 'find_tools', 'call_tool']));
  expect(names.filter((name) => name.includes('__'))).toEqual([]);

  const call = (name: string, args: Record<string, unknown>) => client.callTool({ name, arguments: args });
  const found = async (query: string) =>
    (await call('find_tools', { query })).structuredContent as { tools: Record<string, unknown>[] };
  const [first] = (await found('get the time')).tools;
  expect(first).toMatchObject({
    name: 'box__get_time',
    class: 'read_only',
    needs_approval: false,
    input_schema: { type: 'object' },
  });
  expect(JSON.stringify(await found('forbidden one'))).not.toContain('forbidden');
  expect(await call('call_tool', { name: 'box__get_time' })).toMatchObject({ content: [{ text: 'noon' }] });

  const asked = await call('call_tool', { name: 'box__send_note', arguments: {} });
  expect(asked).toMatchObject({ isError: true, _meta: { 'sb/approval': 'required' } });
  const hidden = await call('call_tool', { name: 'box__forbidden_one', arguments: {} });
  expect(hidden).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining('Unknown tool') }],
  });
  for (const bad of [{}, { name: 'box__get_time', arguments: [] }, { name: 'x', more: 1 }])
    expect(await call('call_tool', bad)).toMatchObject({ isError: true });
  expect(await call('find_tools', { limit: 0 })).toMatchObject({ isError: true });
  const decided = (await written.audit()).filter(({ event }) => event === 'decided');
  expect(decided.map(({ capability, outcome }) => [capability, outcome])).toEqual([
    ['get_time', 'allow'],
    ['send_note', 'ask'],
    ['forbidden_one', 'deny'],
  ]);
});
