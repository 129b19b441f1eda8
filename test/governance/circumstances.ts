/** The program as it is installed, on three kinds of machine: with bubblewrap, really without it, and for a plain user. */
import { spawn } from 'node:child_process';
import { hash } from 'node:crypto';
import { access, chown, mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { stringify } from 'yaml';
import { type Need, needOf } from '../kit/needs.ts';
import { putFile, temporaryFolder } from '../kit/temp.ts';
import { backends, bubblewrap } from './sandbox-kit.ts';

const BINARY = fileURLToPath(new URL('../../dist/quire.cjs', import.meta.url));
const NOBODY = 65534;
const SETPRIV = '/usr/bin/setpriv';
const BWRAP = backends.bwrap.path ?? '/usr/bin/bwrap';

export interface Circumstance {
  readonly name: string;
  readonly need: Need;
  /** Whether servers can have a sandbox there. */
  readonly hasSandbox: boolean;
  readonly prefix: readonly string[];
  readonly uid?: number;
}

/** Programs that stay where /usr/bin has nothing else. */
const KEPT = ['node', 'sh', 'cat', 'env', 'nice', 'prlimit', 'sleep', 'true', 'unshare', SETPRIV, 'script'];

/**
 * A root in which no folder has bubblewrap: not where the program looks by itself, and not in PATH. The machine is as it
 * is; only this process and its children see it so.
 */
async function withoutBubblewrap(): Promise<string[]> {
  const all = [process.execPath, ...KEPT.map((name) => join('/usr/bin', name.replace('/usr/bin/', '')))];
  const there: string[] = [];
  for (const path of new Set(all))
    if (
      await access(path).then(
        () => true,
        () => false,
      )
    )
      there.push(path);
  const kept = there.filter((path) => /^\/usr\/(local\/)?bin\//.test(path));
  return [
    ...[BWRAP, '--dev-bind', '/', '/', '--tmpfs', '/usr/bin', '--tmpfs', '/usr/local/bin'],
    ...kept.flatMap((path) => ['--ro-bind', path, path]),
    ...['--die-with-parent', '--'],
  ];
}

const hasSetpriv = await access(SETPRIV).then(
  () => true,
  () => false,
);
const root = needOf('root and setpriv', 'run as root', process.getuid?.() === 0 && hasSetpriv);
const asNobody = [SETPRIV, `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups', '--'];
const plain = bubblewrap.isMet ? root : bubblewrap;
const absent = await withoutBubblewrap();

export const CIRCUMSTANCES: readonly Circumstance[] = [
  { name: 'with bubblewrap', need: bubblewrap, hasSandbox: true, prefix: [] },
  { name: 'without bubblewrap', need: bubblewrap, hasSandbox: false, prefix: absent },
  { name: 'as a plain user', need: plain, hasSandbox: true, prefix: asNobody, uid: NOBODY },
  {
    name: 'as a plain user without bubblewrap',
    need: plain,
    hasSandbox: false,
    prefix: [...asNobody, ...absent],
    uid: NOBODY,
  },
];

const KEY = 'the-key-of-a-test-on-another-machine';

export interface Machine {
  readonly folder: string;
  at(path: string): string;
  /** `quire …`, as a pipe. */
  quire(...words: string[]): Promise<{ code: number | null; stdout: string; stderr: string }>;
  /** The same by a program that may approve. */
  approving(...words: string[]): Promise<{ code: number | null; stdout: string; stderr: string }>;
  /** Of each server what the listing says. */
  rows(): Promise<Record<string, unknown>[]>;
  /** The one of the malicious server. */
  row(): Promise<Record<string, unknown>>;
  /** What the server was asked, over all starts; nothing if it never ran. */
  heard(): Promise<Record<string, unknown>[]>;
  audit(): Promise<Record<string, unknown>[]>;
  configure(servers: readonly object[], section?: object, others?: object): Promise<void>;
  serve(): Promise<StdioClient>;
}

export async function machineOf(circumstance: Circumstance): Promise<Machine> {
  const folder = await temporaryFolder({ 'notes/tea.md': '# Tea\n\nGreen.' });
  for (const name of ['home', 'work']) await mkdir(join(folder, name));
  const at = (path: string) => join(folder, path);
  const run = async (words: readonly string[], more: Record<string, string> = {}) => {
    await giveAway(folder, circumstance.uid);
    return runLine(circumstance, { folder, words, more });
  };
  const quire = (...words: string[]) => run(words);
  const rows = async (): Promise<Record<string, unknown>[]> =>
    JSON.parse((await quire('mcp', 'servers', '--json')).stdout).data.servers;
  return {
    folder,
    at,
    quire,
    approving: (...words) => run(words, { QUIRE_APPROVAL_KEY: KEY }),
    rows,
    row: async () => (await rows()).find(({ name }) => name === 'evil')!,
    heard: () => jsonLines(at('work/heard.jsonl')),
    audit: () => jsonLines(at('.quire/plane/audit.jsonl')),
    configure: (servers, section = {}, others = {}) =>
      putFile(
        folder,
        'quire.yaml',
        stringify({
          notebooks: { personal: { folder: './notes' } },
          ...others,
          control_plane: {
            mcp_approval_keys: { tests: `sha256:${hash('sha256', KEY)}` },
            ...section,
            mcp_servers: servers,
          },
        }),
      ),
    async serve() {
      await giveAway(folder, circumstance.uid);
      return stdioClient(circumstance, folder);
    },
  };
}

async function giveAway(folder: string, uid: number | undefined): Promise<void> {
  if (uid === undefined) return;
  for (const name of ['', ...(await readdir(folder, { recursive: true }))])
    await chown(join(folder, name), uid, uid);
}

interface Line {
  readonly folder: string;
  readonly words: readonly string[];
  readonly more?: Record<string, string>;
}

function start({ prefix }: Circumstance, { folder, words, more }: Line) {
  const [file = '', ...args] = [...prefix, process.execPath, BINARY, ...words];
  const child = spawn(file, args, {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: join(folder, 'home'), ...more },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  child.stdin.on('error', () => undefined);
  return child;
}

function runLine(circumstance: Circumstance, line: Line) {
  const child = start(circumstance, line);
  child.stdin.end('y\n');
  const said = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text) => {
    said.stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    said.stderr += text;
  });
  return new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve, reject) =>
    child.once('error', reject).once('close', (code) => resolve({ code, ...said })),
  );
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into messages of many shapes
type Message = any;

export interface StdioClient {
  ask(method: string, params?: object): Promise<Message>;
  /** Messages without an id so far. */
  readonly notifications: readonly Message[];
}

/** What an assistant has: `quire --config quire.yaml` over stdio. */
async function stdioClient(circumstance: Circumstance, folder: string): Promise<StdioClient> {
  const child = start(circumstance, { folder, words: ['--config', 'quire.yaml'] });
  const waiting = new Map<number, (message: Message) => void>();
  const notifications: Message[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => {
    const message = JSON.parse(line);
    if (message.method === undefined) waiting.get(message.id)?.(message);
    else notifications.push(message);
  });
  let last = 0;
  const ask = (method: string, params: object = {}) =>
    new Promise<Message>((resolve, reject) => {
      waiting.set(++last, resolve);
      child.once('close', () => reject(new Error(`it ended before it answered ${method}`)));
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: last, method, params })}\n`);
    });
  await ask('initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'x', version: '1' },
  });
  child.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
  return { ask, notifications };
}

async function jsonLines(path: string): Promise<Record<string, unknown>[]> {
  const text = await readFile(path, 'utf8').catch(() => '');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}
