/** The start page and the landing page: each client only where it can reach the server. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CLIENTS } from '../../src/clients/table.ts';
import { isPublicAddress, waysToConnect } from '../../src/clients/ways-to-connect.ts';
import { serveConsole, signIn } from '../kit/console.ts';
import { eventually } from '../kit/eventually.ts';
import { temporaryFolder } from '../kit/temp.ts';

const clientsAt = (origin: string) => waysToConnect({ origin }).map(({ client }) => client);

test('clients on the internet are named only where the address is public and https', () => {
  for (const origin of ['https://notes.example.com', 'https://8.8.8.8:8443'])
    expect(clientsAt(origin)).toEqual(
      expect.arrayContaining(['ChatGPT', expect.stringContaining('on the web')]),
    );
  const near = ['http://127.0.0.1:8090', 'http://notes.example.com', 'https://10.0.0.7', 'https://[fd00::1]'];
  for (const origin of [...near, 'https://quire.local', 'https://localhost:8443', 'https://box']) {
    expect(isPublicAddress(origin), origin).toBe(false);
    expect(clientsAt(origin)).toContain('Claude Desktop');
    expect(clientsAt(origin)).not.toContain('ChatGPT');
  }
});

const LAUNCH = { command: '/usr/bin/node', args: ['/opt/quire/dist/quire.cjs'] };

test('Claude Desktop starts this very program over the notes of its own machine, else goes over the bridge', () => {
  const desktopAt = (origin: string, folders: [string, string][] = []) => {
    const machine = { launch: LAUNCH, platform: 'linux', folders: new Map(folders) } as const;
    const ways = waysToConnect({ origin, machine });
    return JSON.parse(ways.find(({ client }) => client === 'Claude Desktop')?.what ?? '').mcpServers;
  };
  const local = 'http://127.0.0.1:8090';
  expect(desktopAt(local, [['n', '/home/a "b"/n']])).toEqual({
    quire: {
      command: '/usr/bin/node',
      args: ['/opt/quire/dist/quire.cjs', '/home/a "b"/n', '--tools', 'notebook,history'],
    },
  });
  expect(
    Object.keys(
      desktopAt(local, [
        ['a', '/a'],
        ['b', '/b'],
      ]),
    ),
  ).toEqual(['quire-a', 'quire-b']);
  const bridge = { command: 'npx', args: ['-y', 'mcp-remote', `${local}/mcp`, '--allow-http'] };
  expect(desktopAt(local)).toEqual({ quire: bridge });
  expect(desktopAt('https://10.0.0.7', [['n', '/n']]).quire.args).toContain('https://10.0.0.7/mcp');
});

test('every client of the table has instructions, the common ones first', () => {
  const ways = waysToConnect({ origin: 'http://127.0.0.1:8090' });
  for (const { title } of CLIENTS) expect(ways.map(({ client }) => client)).toContain(title);
  const folded = ways.findIndex(({ isCommon }) => !isCommon);
  expect(ways.slice(folded).every(({ isCommon }) => !isCommon)).toBe(true);
  for (const { client, what } of ways) expect(what, client).toContain('http://127.0.0.1:8090/mcp');
});

test('each client has the path of its file, and each bridge the same words', () => {
  const origin = 'http://127.0.0.1:8090';
  const machine = { launch: LAUNCH, platform: 'win32', folders: new Map([['n', 'C:\\n']]) } as const;
  const wayIn = (client: string, place: Parameters<typeof waysToConnect>[0]) =>
    waysToConnect(place).find((way) => way.client === client)!;
  expect(wayIn('Goose', { origin }).how).toBe(
    'In ~/.config/goose/config.yaml (macOS, Linux) or %APPDATA%\\Block\\goose\\config\\config.yaml (Windows):',
  );
  expect(wayIn('Goose', { origin, machine }).how).toBe('In %APPDATA%\\Block\\goose\\config\\config.yaml:');
  expect(wayIn('Cursor', { origin }).how).toBe('In ~/.cursor/mcp.json:');
  expect(wayIn('Clients that only know stdio', { origin }).what).toBe(
    `npx -y mcp-remote ${origin}/mcp --allow-http`,
  );
  expect(wayIn('Claude Desktop', { origin }).how).toMatch(/^Simpler: run quire connect in a terminal, /);
  expect(wayIn('Claude Desktop', { origin, machine }).how).toMatch(/^In %APPDATA%/);
  expect(wayIn('Claude Desktop', { origin: 'https://10.0.0.7' }).how).toMatch(/^In ~/);
});

test('the operator sees notebooks, counts and the folder; a stranger none of them', async () => {
  const parent = await temporaryFolder({
    'garden/a.md': 'alpha',
    'garden/b.md': 'beta',
    'work/c.md': 'gamma',
  });
  const notebooks = {
    plants: { folder: join(parent, 'garden') },
    office: { folder: join(parent, 'work'), readOnly: true },
  };
  const server = await serveConsole({ config: { notebooks } });
  const stranger = await (await fetch(server.origin)).text();
  expect(stranger).toContain('/console/enter');
  expect(stranger).toContain('mcp-remote');
  for (const secret of ['plants', 'office', 'garden', parent]) expect(stranger).not.toContain(secret);
  expect(stranger).not.toContain('ChatGPT</h2>');

  const person = await signIn(server);
  await eventually(async () => expect((await person.get('/')).text).toContain('2 notes'));
  const { text } = await person.get('/');
  expect(text).toMatch(/plants.*folder garden.*2 notes.*\/mcp\/plants/s);
  expect(text).toMatch(/office.*read-only.*folder work.*1 note.*\/mcp\/office/s);
  expect(text).toContain(join(parent, 'garden'));
  expect(text).toContain('serve.publicUrl');
  // Started from here, not by npx: the instructions start the same program.
  expect(text).toContain('quire.cjs');
  expect(text).not.toContain('npx -y quire-mcp');
});

test('a user who is no admin does not see where the folder is', async () => {
  const folder = await temporaryFolder({ 'a.md': 'alpha' });
  const config = { notebooks: { mine: { folder } } };
  const server = await serveConsole({ config, users: ['alex', 'bo'], admins: ['alex'] });
  expect((await (await signIn(server, 'alex')).get('/')).text).toContain(folder);
  const { text } = await (await signIn(server, 'bo')).get('/');
  expect(text).toContain('mine');
  expect(text).not.toContain(`${folder}&`);
  expect(text).toContain('mcp-remote');
  expect(text).not.toContain('quire.cjs');
});
