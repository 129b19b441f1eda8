/** The start page and the landing page: each client only where it can reach the server. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isPublicAddress, waysToConnect } from '../../src/oauth/pages/ways-to-connect.ts';
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
  const [desktop] = waysToConnect({
    origin: 'http://127.0.0.1:1',
    folders: new Map([['n', '/home/a "b"/n']]),
  });
  expect(JSON.parse(desktop?.what ?? '')).toEqual({
    mcpServers: { n: { command: 'npx', args: ['-y', 'quire-mcp', '/home/a "b"/n'] } },
  });
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
  expect(stranger).toContain('quire-mcp');
  for (const secret of ['plants', 'office', 'garden', parent]) expect(stranger).not.toContain(secret);
  expect(stranger).not.toContain('ChatGPT</h2>');

  const person = await signIn(server);
  await eventually(async () => expect((await person.get('/')).text).toContain('2 notes'));
  const { text } = await person.get('/');
  expect(text).toMatch(/plants.*folder garden.*2 notes.*\/mcp\/plants/s);
  expect(text).toMatch(/office.*read-only.*folder work.*1 note.*\/mcp\/office/s);
  expect(text).toContain(join(parent, 'garden'));
  expect(text).toContain('serve.publicUrl');
});

test('a user who is no admin does not see where the folder is', async () => {
  const folder = await temporaryFolder({ 'a.md': 'alpha' });
  const config = { notebooks: { mine: { folder } } };
  const server = await serveConsole({ config, users: ['alex', 'bo'], admins: ['alex'] });
  expect((await (await signIn(server, 'alex')).get('/')).text).toContain(folder);
  const { text } = await (await signIn(server, 'bo')).get('/');
  expect(text).toContain('mine');
  expect(text).not.toContain(`${folder}&`);
  expect(text).toContain('/path/to/notes');
});
