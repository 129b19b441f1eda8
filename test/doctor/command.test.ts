/** `quire doctor --json` as a script reads it: settings with their origins, clients, and no secret. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { BINARY } from '../kit/server.ts';
import { CLEAN_ENVIRONMENT, putFile, temporaryFolder } from '../kit/temp.ts';

const SECRET = 'hidden-secret-0123456789';

test('a configuration, the variables over it, and a client whose program is gone', async () => {
  const home = await temporaryFolder({ 'notes/a.md': 'alpha' });
  await putFile(
    home,
    'quire.yaml',
    `notebooks:\n  work:\n    folder: notes\nserve:\n  port: 1\nauth:\n  mode: bearer\n  tokens: ["${SECRET}"]\n`,
  );
  const entry = { command: '/no/such/quire', args: ['/notes', SECRET] };
  await putFile(home, '.cursor/mcp.json', JSON.stringify({ mcpServers: { quire: entry } }));
  const child = spawn(process.execPath, [BINARY, 'doctor', '--json', '--config', join(home, 'quire.yaml')], {
    env: { ...CLEAN_ENVIRONMENT, HOME: home, XDG_STATE_HOME: home, QUIRE_PORT: '0', QUIRE_HSOT: 'x' },
    cwd: home,
  });
  onTestFinished(() => void child.kill());
  let text = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    text += chunk;
  });
  child.stderr.setEncoding('utf8').on('data', (chunk) => {
    err += chunk;
  });
  const [code] = await once(child, 'close');
  expect(text + err).not.toContain(SECRET);
  const found = JSON.parse(text) as Record<string, { check: string; level: string; what: string }[]>;
  expect(code).toBe(0);
  expect(Object.keys(found)).toEqual([
    'work',
    'Server',
    'Login',
    'State',
    'Start',
    'Configuration',
    'Clients',
    'Machine',
  ]);
  expect(found.Start).toEqual([{ check: 'start', level: 'ok', what: 'It would start.' }]);
  const settings = found.Configuration?.map(({ what }) => what) ?? [];
  expect(settings).toContain('serve.port: 0 (QUIRE_PORT)');
  expect(settings).toContain('serve.host: 127.0.0.1 (default)');
  expect(settings.find((what) => what.startsWith('auth.tokens'))).toMatch(
    /\[redacted\] \(.*quire\.yaml line 8\)$/,
  );
  expect(settings.find((what) => what.startsWith('notebooks.work.folder'))).toMatch(/quire\.yaml line 3\)$/);
  expect(found.Configuration?.[0]).toMatchObject({
    check: 'variables',
    level: 'warn',
    what: expect.stringMatching(/^The environment variable QUIRE_HSOT .*did you mean QUIRE_HOST\?$/),
  });
  expect(found.Clients).toEqual([
    {
      check: 'clients',
      level: 'warn',
      what: 'Cursor: "quire" starts /no/such/quire, which is not there.',
      next: 'Write the entry again with: quire connect',
    },
  ]);
});
