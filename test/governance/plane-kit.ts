/** A configured plane with real servers behind it: through the binary, or opened in this process. */
import { spawn } from 'node:child_process';
import { hash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { stringify } from 'yaml';
import { openPlane, type Plane, type PlaneOptions } from '../../src/governance/plane.ts';
import { mcpLine } from '../kit/mcp-line.ts';
import { CLEAN_ENVIRONMENT, fileText, putFile, temporaryFolder } from '../kit/temp.ts';
import { planeOf } from './kit.ts';
import { testServer, USUAL_SANDBOX } from './sandbox-kit.ts';
import { ABSENT_OPERATOR } from './upstream-kit.ts';

/** The key of the tests' own automation: without it nothing is approved through a pipe. */
const APPROVAL_KEY = 'the-key-of-the-tests-of-the-plane';
const APPROVAL_KEYS = { tests: `sha256:${hash('sha256', APPROVAL_KEY)}` };

const BINARY = fileURLToPath(new URL('../../dist/quire.cjs', import.meta.url));

type Settings = Readonly<Record<string, unknown>>;

/** A server that passes every check. */
export function shop(settings: Settings = {}): Settings {
  const script = testServer('shop.mjs');
  return {
    name: 'shop',
    transport: 'stdio',
    command: 'node',
    args: [script],
    stdio_allowed_commands: ['node'],
    manifest_digest: `sha256:${'a'.repeat(64)}`,
    manifest_signature: 'somebody:c2lnbmF0dXJl',
    sandbox_profile: 'restricted',
    sandbox_cwd: './work',
    sandbox_read: [dirname(script)],
    client_consent: 'approved',
    trust: 'reviewed',
    first_definitions: 'accept',
    ...settings,
  };
}

/** Starts nothing: its command is not in a list of reviewed ones. */
export const BLOCKED: Settings = shop({ name: 'bad', command: 'uvx', stdio_allowed_commands: [] });

/** Who a command of these tests is recorded as. */
export const OPERATOR = `cli:${userInfo().username}`;

export interface PlaneFolder {
  readonly folder: string;
  /** In this process, with a key that may approve. */
  run(...words: string[]): Promise<CommandResult>;
  /** Without that key, and with these variables. */
  runAs(environment: Settings, ...words: string[]): Promise<CommandResult>;
  /** In this process, at a terminal where a person answers the questions in this order. */
  answer(answers: readonly string[], ...words: string[]): Promise<CommandResult>;
  /** The binary; `input` is what stands on stdin. */
  start(words: readonly string[], input?: string): CommandProcess;
  /** Sets the definitions the servers return from now on. */
  says(what: Settings): Promise<void>;
  heard(): Promise<Record<string, unknown>[]>;
  audit(): Promise<Record<string, unknown>[]>;
}

export interface CommandResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CommandProcess {
  readonly ended: Promise<CommandResult>;
  readonly stdout: () => string;
  readonly stderr: () => string;
  interrupt(): void;
}

export async function planeFolder(
  servers: readonly Settings[],
  section: Settings = {},
  others: Settings = {},
): Promise<PlaneFolder> {
  const folder = await temporaryFolder();
  await mkdir(join(folder, 'work'));
  const control_plane = {
    mcp_approval_keys: APPROVAL_KEYS,
    mcp_sandbox: USUAL_SANDBOX,
    ...section,
    mcp_servers: servers,
  };
  await putFile(folder, 'quire.yaml', stringify({ control_plane, ...others }));
  const start = (words: readonly string[], input = '') => startLine(folder, words, input);
  const environment = { ...CLEAN_ENVIRONMENT, HOME: folder, USER: 'tester' };
  return {
    folder,
    start,
    run: (...words) =>
      mcpLine(words, {
        workingFolder: folder,
        environment: { ...environment, QUIRE_APPROVAL_KEY: APPROVAL_KEY },
      }),
    runAs: (environmentOver, ...words) =>
      mcpLine(words, { workingFolder: folder, environment: { ...environment, ...environmentOver } }),
    answer: (answers, ...words) => {
      const left = [...answers];
      const ask = async () => left.shift();
      return mcpLine(words, { workingFolder: folder, environment, canAsk: true, columns: 200, ask });
    },
    says: (what) => putFile(folder, 'work/says.json', JSON.stringify(what)),
    heard: () => jsonLines(folder, 'work/heard.jsonl'),
    audit: () => jsonLines(folder, '.quire/plane/audit.jsonl'),
  };
}

function startLine(folder: string, words: readonly string[], input: string): CommandProcess {
  const child = spawn(process.execPath, [BINARY, 'mcp', ...words], {
    cwd: folder,
    env: { ...CLEAN_ENVIRONMENT, HOME: folder, USER: 'tester' },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin.on('error', () => undefined).end(input);
  onTestFinished(() => void child.kill('SIGKILL'));
  const said = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said.stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said.stderr += text;
  });
  return {
    ended: new Promise((resolve) => child.once('close', (code) => resolve({ code, ...said }))),
    stdout: () => said.stdout,
    stderr: () => said.stderr,
    interrupt: () => void child.kill('SIGINT'),
  };
}

/** On a real terminal, of util-linux: what is typed when a text is seen, in this order. */
export async function onTerminal(
  { folder }: PlaneFolder,
  words: readonly string[],
  typed: readonly (readonly [seen: string, type: string])[] = [],
): Promise<{ code: number | null; screen: string }> {
  const line = [process.execPath, BINARY, 'mcp', ...words].map((word) => `'${word}'`).join(' ');
  const child = spawn('script', ['-qefc', line, '/dev/null'], {
    cwd: folder,
    env: { ...CLEAN_ENVIRONMENT, HOME: folder, USER: 'tester', TERM: 'xterm' },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const left = [...typed];
  let screen = '';
  let from = 0;
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    screen += text;
    const [next] = left;
    const at = next === undefined ? -1 : screen.indexOf(next[0], from);
    if (next === undefined || at < 0) return;
    from = at + next[0].length;
    left.shift();
    child.stdin.write(next[1]);
  });
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, screen };
}

async function jsonLines(folder: string, path: string): Promise<Record<string, unknown>[]> {
  const text = await fileText(folder, path).catch(() => '');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

/** In this process, without a sandbox around its servers. */
export async function openedPlane(
  servers: readonly Settings[],
  section: Settings = {},
  options: Partial<PlaneOptions> = {},
): Promise<{ plane: Plane; folder: string }> {
  const folder = await temporaryFolder();
  await mkdir(join(folder, 'work'));
  const mcp_sandbox = { backend: 'process', policy: 'warn' };
  const plane = openPlane({
    config: planeOf({ mcp_sandbox, ...section }, servers as Record<string, unknown>[], folder),
    environment: CLEAN_ENVIRONMENT,
    operator: ABSENT_OPERATOR,
    client: { name: 'quire-test', version: '1' },
    log: () => {},
    ...options,
  });
  onTestFinished(() => plane.close());
  return { plane, folder };
}
