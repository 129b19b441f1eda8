/** The pages about notebooks, over HTTP. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { keepWarnings } from '../../src/app/console/notebook-warnings.ts';
import { serveConsole, signIn } from '../kit/console.ts';
import { eventually } from '../kit/eventually.ts';
import { startSilverBullet } from '../kit/silverbullet/server.ts';
import { temporaryFolder } from '../kit/temp.ts';

const NOTES = {
  'garden.md': '# Garden\n\nPrune the roses <b>in</b> spring.',
  'spring.md': 'Spring: roses and bulbs.',
  'third.md': 'Nothing of the kind.',
};

it('says of each notebook what is known, searches it as an assistant does, and says why a note ranked so', async () => {
  const folder = await temporaryFolder(NOTES);
  const space = await startSilverBullet({ files: { 'index.md': 'hello' }, bare: true });
  const server = await serveConsole({
    config: {
      notebooks: {
        personal: { folder },
        space: { silverbullet: { url: space.url, token: space.token }, tools: 'pages' },
      },
    },
    users: ['alex', 'sam'],
    admins: ['alex'],
  });
  const [alex, sam] = [await signIn(server, 'alex'), await signIn(server, 'sam')];
  const page = await eventually(async () => {
    const { text } = await alex.get('/console/notebooks');
    expect(text).toContain('3 indexed');
    expect(text).toContain('1 indexed');
    return text;
  });
  for (const known of [
    'a folder',
    'a silverbullet space',
    folder,
    'index complete',
    'History',
    'yes, known since',
  ])
    expect(page).toContain(known);
  expect(page).not.toContain('Search by meaning');
  expect((await sam.get('/console/notebooks')).text).not.toContain(folder);

  const found = (await sam.get('/console/notebook?name=personal&query=prune+roses')).text;
  expect(found).toContain('1. Garden');
  expect(found).toContain('&#60;b&#62;');
  expect(found).not.toContain('<b>in');
  expect(found).toContain('has “roses” in the text');
  expect(found).toContain('has the words together');
  expect(found).not.toContain('Rebuild the index');
  expect((await sam.get('/console/notebook?name=personal&query=zebra')).text).toContain(
    'Nothing fits “zebra”',
  );
  expect((await sam.get('/console/notebook?name=nothing')).status).toBe(404);

  const rebuild = { name: 'personal', action: 'rebuild' };
  expect((await sam.post('/console/notebook', rebuild)).status).toBe(403);
  for (const forged of [{ csrf: '' }, { csrf: 'x' }])
    expect((await alex.post('/console/notebook', { ...rebuild, ...forged })).status).toBe(403);
  expect((await alex.post('/console/notebook', { ...rebuild, action: 'burn' })).status).toBe(400);
  await writeFile(join(folder, 'fourth.md'), 'Fourth: more roses.');
  const done = await alex.post('/console/notebook', rebuild);
  expect([done.status, done.location]).toEqual([303, '/console/notebook?name=personal']);
  expect((await alex.get('/console/notebook?name=personal')).text).toContain('being rebuilt');
  expect((await alex.get('/console/notebook?name=personal&query=fourth')).text).toContain('One note fits');
});

it('keeps the last warnings of each notebook, without secrets', () => {
  const logged: string[] = [];
  const { logOf, of } = keepWarnings((level, message) => logged.push(`${level} ${message}`));
  logOf('a')('info', 'fine');
  logOf('a')('warn', 'bad', { path: '<i>.md', token: 'secret-value' });
  for (let count = 0; count < 50; count++) logOf('b')('error', `worse ${count}`);
  expect(logged).toHaveLength(52);
  expect(of('a').map(({ message, details }) => [message, details])).toEqual([
    ['bad', '{"path":"<i>.md","token":"[redacted]"}'],
  ]);
  expect(of('b')).toHaveLength(20);
  expect(of('b')[0]?.message).toBe('worse 49');
  expect(of('c')).toEqual([]);
});
