/** The dialogue of `quire connect`, in a home folder of its own: questions, answers, and mistakes on the command line. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { createQuestions } from '../../src/cli/ask.ts';
import { type ConnectOptions, connectAll, notWritten } from '../../src/cli/connect/run.ts';
import { systemTerminal } from '../../src/cli/mcp/terminal.ts';
import { CLIENTS } from '../../src/clients/table.ts';
import { fileText, temporaryFolder } from '../kit/temp.ts';

/** Runs it at a terminal where a person types these lines. */
async function at(home: string, options: Partial<ConnectOptions>, lines: readonly string[] = []) {
  const shown: string[] = [];
  const say = async (text: string) => void shown.push(text);
  const input = Object.assign(new PassThrough(), { isTTY: true });
  const output = Object.assign(new PassThrough(), { isTTY: true });
  let asked = 0;
  // An answer is typed when the question is there.
  output.on('data', (text: Buffer) => {
    shown.push(text.toString());
    if (/\[y\/N\] $|\[Y\/n\/a\] $/.test(text.toString())) input.write(`${lines[asked++] ?? 'n'}\n`);
  });
  const failed = await connectAll(
    { clients: [], ...options },
    {
      terminal: {
        ...systemTerminal(),
        out: say,
        err: say,
        environment: {},
        workingFolder: home,
        columns: 100,
      },
      questions: createQuestions({ input, output }),
      system: { platform: 'linux', env: {}, home },
    },
  );
  return { failed, asked, text: shown.join('') };
}

test('each file is asked about, and written on yes only', async () => {
  const home = await temporaryFolder({
    'notes/a.md': '',
    '.cursor/mcp.json': '{}\n',
    '.gemini/settings.json':
      '{\n  "mcpServers": {\n    "x": { "env": { "API_TOKEN": "hush-hush" } }\n  }\n}\n',
  });
  const { asked, text, failed } = await at(home, { folder: 'notes' }, ['n', '']);
  expect([asked, failed]).toEqual([2, 0]);
  expect(text).toContain('Found: Cursor, Gemini CLI.');
  expect(text).toContain('\u001b[32m+    "quire": {');
  expect(text).toContain('Cursor: left as it is.');
  expect(text).toContain(`Write this to ${join(home, '.gemini/settings.json')}? [Y/n/a] `);
  expect(text).not.toContain('hush-hush');
  expect(await fileText(home, '.cursor/mcp.json')).toBe('{}\n');
  expect(await fileText(home, '.gemini/settings.json')).toContain('"quire"');
  const copies = (await readdir(join(home, '.gemini'))).filter((name) => name.includes('quire-backup'));
  expect(copies).toHaveLength(1);
  expect(text).toContain(copies[0]);
});

test('all answers for the files that follow, but not for the entry of another server', async () => {
  const other = '{ "mcpServers": { "quire": { "command": "python", "args": ["x.py"] } } }';
  const home = await temporaryFolder({
    'notes/a.md': '',
    '.cursor/mcp.json': '{}\n',
    '.codeium/windsurf/mcp_config.json': other,
    '.gemini/settings.json': '{}\n',
  });
  const { asked, text } = await at(home, { folder: 'notes' }, ['a', '']);
  expect(asked).toBe(2);
  expect(text).toContain(`${join('windsurf', 'mcp_config.json')}? [y/N] `);
  expect(await fileText(home, '.cursor/mcp.json')).toContain('"quire"');
  expect(await fileText(home, '.codeium/windsurf/mcp_config.json')).toBe(other);
  expect(await fileText(home, '.gemini/settings.json')).toContain('"quire"');
});

test('a folder without permission is named, and not the file that was to be made in it', async () => {
  const cursor = CLIENTS.find(({ name }) => name === 'cursor')!;
  const place = { file: '/home/a/.cursor/mcp.json', sign: '/home/a/.cursor' };
  const cause = Object.assign(new Error('EACCES: permission denied'), {
    code: 'EACCES',
    path: '/home/a/.cursor/mcp.json',
    dest: '/home/a/.cursor/mcp.json.quire-backup-1',
  });
  expect(notWritten({ client: cursor, place }, cause)).toMatchObject({
    message: 'The configuration of Cursor cannot be written: /home/a/.cursor/mcp.json',
    hint: expect.stringMatching(
      /^Nothing was changed\. You may not write in the folder \/home\/a\/\.cursor\. .*quire connect cursor --print/,
    ),
  });
});

test('in a file on one long line, the surroundings of the change are shown', async () => {
  const long = JSON.stringify({ a: 'x'.repeat(5_000), mcpServers: {}, z: 'y'.repeat(5_000), token: 'hush' });
  const home = await temporaryFolder({ 'notes/a.md': '', '.cursor/mcp.json': long });
  const { text } = await at(home, { folder: 'notes', print: true });
  expect(text).toContain('"quire": {');
  expect(text).not.toContain('hush');
  expect(text.length).toBeLessThan(1_500);
});

test('the entry of another server is replaced on yes, after the diff has shown it', async () => {
  const other =
    '{ "mcpServers": { "quire": { "command": "python", "args": ["x.py"], "env": { "A": "1" } } } }';
  const home = await temporaryFolder({ 'notes/a.md': '', '.cursor/mcp.json': other });
  const refused = await at(home, { folder: 'notes', yes: true });
  expect(refused.failed).toBe(1);
  expect(refused.text).toContain('Cursor has another server under this name: quire in ');
  expect(await fileText(home, '.cursor/mcp.json')).toBe(other);
  const { text } = await at(home, { folder: 'notes' }, ['y']);
  expect(text).toContain('This replaces quire, which does not start Quire.');
  expect(text).toMatch(/-.*x\.py/);
  expect(JSON.parse(await fileText(home, '.cursor/mcp.json')).mcpServers.quire).toEqual({
    command: expect.any(String),
    args: [expect.stringContaining('quire.cjs'), join(home, 'notes'), '--tools', 'notebook,history'],
  });
});

test('a variable that the configuration needs is named, and a comment is none', async () => {
  const home = await temporaryFolder({
    '.cursor/mcp.json': '',
    'quire.yaml': `# token: \${env:OLD}\nnotebooks:\n  s: { silverbullet: { url: "http://127.0.0.1:3000", token: "\${env:SB_TOKEN}" } }\n`,
  });
  const { text } = await at(home, { print: true });
  expect(text).toContain('takes SB_TOKEN from the environment: the client must be started with it set.');
  expect(text).toContain(`"--config", "${join(home, 'quire.yaml')}"]`);
  expect(text).not.toContain('OLD');
});

test.each([
  [['--folder', 'nowhere'], 'No such folder: '],
  [['--folder', 'notes/a.md'], 'is a file, not a folder'],
  [
    [],
    'There is no quire.yaml in this folder\nName a folder, as in quire connect --folder ~/notes, or write a configuration with quire init.',
  ],
  [
    ['cusor', '--folder', 'notes'],
    'This client is not known: cusor (did you mean cursor?)\nClients: claude-desktop, ',
  ],
  [
    ['zed', '--folder', 'notes'],
    'Not found on this machine: Zed\nTo see what to add by hand: quire connect zed --print.',
  ],
  [
    ['--folder', 'notes'],
    'No AI client was found on this machine\nTo see what to add by hand: quire connect claude-desktop --print.',
  ],
  [['--http', 'notes.example.com'], '--http needs the address of a server'],
  [['--http', 'http://notes.example.com'], 'Only https is safe beyond this machine'],
  [['--http', 'https://a:b@notes.example.com'], 'The address holds a password'],
  [['--http', 'https://a.example', '--folder', 'notes'], 'Give one of --folder, --config and --http'],
  [
    ['--folder', 'notes', '--name', 'my notes'],
    'The name of an entry has letters, digits, - and _ only: my notes',
  ],
  [['--remove', '--folder', 'notes'], '--remove takes the name of an entry only'],
] as [string[], string][])('connect %j is refused and says why', async (args, words) => {
  const home = await temporaryFolder({ 'notes/a.md': '' });
  const error = await at(home, optionsOf(args)).then(
    () => undefined,
    (failure: { message: string; hint?: string }) => failure,
  );
  expect(error).toMatchObject({ name: 'AppError' });
  expect(`${error?.message}\n${error?.hint}`).toContain(words);
});

/** As the command line gives them. */
function optionsOf(args: readonly string[]): Partial<ConnectOptions> {
  const clients = args.filter(
    (word, index) => !word.startsWith('--') && !/^--(?!remove)/.test(args[index - 1] ?? ''),
  );
  const given = args.flatMap((word, index) =>
    word.startsWith('--') ? [[word.slice(2), word === '--remove' ? true : args[index + 1]]] : [],
  );
  return { clients, ...Object.fromEntries(given) };
}
