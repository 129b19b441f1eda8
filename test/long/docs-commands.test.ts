/** The commands of the documentation do what their pages say: each is run, in a home folder of its own, with sample notes. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { blocksIn, blocksOf, type CodeBlock, commandsOf, ROOT } from '../kit/code-blocks.ts';
import { answered, kindOf, reasonNotToRun } from '../kit/documented-commands.ts';
import { openSilverBullet, TOKEN as SPACE_TOKEN } from '../kit/silverbullet/open.ts';
import { CLEAN_ENVIRONMENT, temporaryFolder } from '../kit/temp.ts';
import { openTrilium, TOKEN as TRILIUM_TOKEN } from '../kit/trilium/open.ts';

/** Of the password "wonderland". */
const HASH = '$2b$04$oBhGRZahVXUYtxrs9xqXouaw0u2jQfBd.3IJIrWtEleE7crcSoJy2';
const FOLDERS = ['notes', 'work', 'vault'];
const START_MS = 20_000;
const BARE = 'set -e';
const EXAMPLE_ID = '01m7mhmx92qtjcfg';
/** Commands that need notes with changes. */
const ABOUT_CHANGES = new RegExp(`\\b(?:history|undo|review|${EXAMPLE_ID})\\b`);
const QUIRE_YAML = `notebooks:
  personal: { folder: ./notes }
mcp_servers:
  - { name: mail, transport: streamable_http, url: "https://mail.example.com/mcp" }
`;

/** What a page says in words is in the environment of these. */
const SURROUNDINGS: readonly (readonly [RegExp, string])[] = [
  [/quire silverbullet/, 'set -a; source .env.example; set +a'],
  [/quire trilium$/, 'export TRILIUM_URL=https://trilium.example.com TRILIUM_TOKEN="$ETAPI_TOKEN"'],
];

interface Sandbox {
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
  /** What stands for the examples of the page. */
  readonly filled: (text: string) => string;
}

const blocks = blocksIn('sh', 'bash').filter((block) =>
  commandsOf(block).some((command) => !reasonNotToRun(command)),
);

test.each(blocks.map((block) => [block.place, block] as const))('%s', async (_, block) => {
  const sandbox = await makeSandbox(block);
  let prelude = BARE;
  for (const command of commandsOf(block)) {
    if (reasonNotToRun(command)) continue;
    if (kindOf(command) === 'prelude') prelude = `${prelude}; ${sandbox.filled(command)}`;
    else await runCommand(command, prelude, sandbox);
  }
});

async function runCommand(command: string, prelude: string, sandbox: Sandbox): Promise<void> {
  const kind = kindOf(command);
  const [, around] = SURROUNDINGS.find(([pattern]) => pattern.test(command)) ?? [];
  if (around !== undefined && prelude === BARE) prelude = `${BARE}; ${sandbox.filled(around)}`;
  if (kind === 'request') return runRequest(command, prelude, sandbox);
  const process = start(command, prelude, sandbox);
  if (kind === 'http') await answersOverHttp(process, command);
  if (kind === 'stdio') await answersOverStdio(process);
  if (kind === 'once') process.child.stdin?.end('a password long enough\na password long enough\n');
  expect(await process.ended(), `${command}\n${process.output()}`).toBe(0);
}

/** curl, at a server of its page. */
async function runRequest(command: string, prelude: string, sandbox: Sandbox): Promise<void> {
  const server = start('quire silverbullet', `${prelude}; set -a; source .env.example; set +a`, sandbox);
  const origin = await server.origin();
  const asked = start(
    command.replace(/http:\/\/localhost:\d+/, `--fail --silent ${origin}`),
    `${prelude}; source .env.example`,
    sandbox,
  );
  expect(await asked.ended(), `${command}\n${asked.output()}`).toBe(0);
  server.child.kill('SIGTERM');
  expect(await server.ended()).toBe(0);
}

async function answersOverHttp(server: Running, command: string): Promise<void> {
  const origin = await server.origin();
  const path = command.includes('trilium') ? '/health' : '/healthz';
  expect((await fetch(new URL(path, origin))).status).toBe(200);
  server.child.kill('SIGTERM');
}

async function answersOverStdio(server: Running): Promise<void> {
  const tools = await callsOf(server, [{ method: 'tools/list' }]);
  expect(tools.at(-1)?.result.tools.length).toBeGreaterThan(3);
  server.child.stdin?.end();
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into messages of many shapes
type Message = any;

async function callsOf(server: Running, calls: readonly object[]): Promise<Message[]> {
  const initialize = {
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'docs', version: '1' } },
  };
  [initialize, ...calls].forEach((call, id) => {
    server.child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...call })}\n`);
    if (id === 0) server.child.stdin?.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
  });
  const answers: Message[] = [];
  for (const end = Date.now() + START_MS; answers.length <= calls.length; ) {
    answers.splice(0, Infinity, ...server.lines().filter(({ id }) => id !== undefined));
    if (Date.now() > end || server.child.exitCode !== null) throw new Error(`no answer: ${server.output()}`);
    await sleep(20);
  }
  return answers;
}

interface Running {
  readonly child: ChildProcess;
  readonly output: () => string;
  /** JSON lines on stdout. */
  readonly lines: () => Message[];
  /** Where it listens, as it says itself; the address for clients may be that of a proxy. */
  origin(): Promise<string>;
  ended(): Promise<number | null>;
}

function start(command: string, prelude: string, { home, env, filled }: Sandbox): Running {
  const [, variables = '', rest = ''] = /^((?:\w+=\S+ )*)(.*)$/s.exec(filled(answered(command))) ?? [];
  const child = spawn('bash', ['-c', `${prelude}; ${variables}exec ${rest}`], {
    cwd: home,
    env,
    stdio: 'pipe',
  });
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    err += text;
  });
  child.stdin.on('error', () => {});
  const exited = once(child, 'close');
  onTestFinished(async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
    await exited;
  });
  return {
    child,
    output: () => `${out}${err}`,
    lines: () =>
      out
        .split('\n')
        .filter((line) => line.startsWith('{'))
        .map((line) => JSON.parse(line)),
    async origin() {
      for (const end = Date.now() + START_MS; Date.now() < end && child.exitCode === null; await sleep(20)) {
        const port = /\bport"?[:=](\d+)/.exec(out + err)?.[1] ?? / at http:\S+:(\d+)/.exec(err)?.[1];
        if (port !== undefined && / at http/.test(err)) return `http://127.0.0.1:${port}`;
      }
      throw new Error(`${command} does not serve: ${out}${err}`);
    },
    ended: async () => (await exited)[0] as number | null,
  };
}

async function makeSandbox(block: CodeBlock): Promise<Sandbox> {
  const { page } = block;
  const home = await temporaryFolder({
    'bin/quire': `#!/bin/sh\nexec "${process.execPath}" "${join(ROOT, 'dist/quire.cjs')}" "$@"\n`,
    'bin/npx':
      '#!/bin/sh\n[ "$1" = -y ] && shift\n[ "$1" = quire-mcp ] && shift && exec quire "$@"\nexit 1\n',
    'quire.yaml': configurationOf(page) ?? QUIRE_YAML,
    '.cursor/mcp.json': '{}',
  });
  await writeFile(join(home, 'bin/sb'), '#!/bin/sh\nexec quire "$@"\n');
  for (const name of ['quire', 'npx', 'sb']) await chmod(join(home, 'bin', name), 0o755);
  for (const name of FOLDERS) await cp(join(ROOT, 'examples/notes'), join(home, name), { recursive: true });
  for (const folder of foldersOf(configurationOf(page))) await mkdir(join(home, folder), { recursive: true });
  const space = await openSilverBullet({ files: { 'index.md': 'hello' } });
  const trilium = await openTrilium();
  onTestFinished(() => space.close());
  onTestFinished(() => trilium.close());
  const env = environmentOf(home);
  const example = await readFile(join(ROOT, '.env.example'), 'utf8');
  await writeFile(join(home, '.env.example'), filledVariables(example, space.url));
  const id = ABOUT_CHANGES.test(block.text) ? await changeNotes({ home, env, filled: (text) => text }) : '';
  return {
    home,
    env,
    filled: (text) =>
      text
        .replaceAll(
          'SB_URL=https://notes.example.com SB_TOKEN=the-token',
          `SB_URL=${space.url} SB_TOKEN=${SPACE_TOKEN}`,
        )
        .replaceAll('https://trilium.example.com', trilium.url)
        .replaceAll('/path/to/notes', '~/notes')
        .replaceAll('$2b$12$...', HASH)
        .replaceAll(EXAMPLE_ID, id),
  };
}

/** The configuration that the page itself shows, if it is one with notes. */
function configurationOf(page: string): string | undefined {
  return blocksOf(page)
    .filter(({ language, text }) => language === 'yaml' && /^notebooks:/m.test(text) && !text.includes('<'))
    .map(({ text }) => text.replace(/^ *space: .*\n/m, ''))[0];
}

function foldersOf(text = ''): string[] {
  const { notebooks = {} } = (parse(text) ?? {}) as { notebooks?: Record<string, { folder?: string }> };
  return Object.values(notebooks).flatMap(({ folder }) => (folder === undefined ? [] : [folder]));
}

function environmentOf(home: string): Record<string, string> {
  return {
    HOME: home,
    XDG_CACHE_HOME: CLEAN_ENVIRONMENT.XDG_CACHE_HOME ?? '',
    PATH: `${join(home, 'bin')}:${process.env.PATH}`,
    QUIRE_PORT: '0',
    TRILIUM_HTTP_PORT: '0',
    LISTEN_ADDR: '127.0.0.1:0',
    ETAPI_TOKEN: TRILIUM_TOKEN,
    GATEWAY_TOKEN: 'a-gateway-token-that-is-long-enough',
    METRICS_TOKEN: 'a-token-for-metrics',
    QUIRE_HASH: HASH,
    ALEX_HASH: HASH,
    KIM_HASH: HASH,
  };
}

/** `.env.example` as someone would fill it in. */
function filledVariables(text: string, url: string): string {
  return text
    .replace(/^SB_URL=.*/m, `SB_URL=${url}`)
    .replace(/^SB_TOKEN=.*/m, `SB_TOKEN=${SPACE_TOKEN}`)
    .replace(/^PORT=.*/m, 'PORT=0')
    .replaceAll(/^(\w+)=$/gm, `$1=${'0123456789abcdef'.repeat(8)}`);
}

/** So that there is something to list and undo. The id is that of the last change of `notes`. */
async function changeNotes(sandbox: Sandbox): Promise<string> {
  const write = { name: 'write_note', arguments: { path: 'New.md', content: 'new' } };
  for (const folder of ['vault', 'notes']) {
    const server = start(`quire ~/${folder}`, BARE, sandbox);
    await callsOf(server, [{ method: 'tools/call', params: write }]);
    server.child.stdin?.end();
    await server.ended();
  }
  const listed = start('quire history ~/notes --json', BARE, sandbox);
  await listed.ended();
  return /"id": ?"(\w{16})"/.exec(listed.output())?.[1] ?? '';
}
