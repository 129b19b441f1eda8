/** The binary as a child process, spoken to in raw lines: what no well-behaved client library would send. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { onTestFinished } from 'vitest';
import { BINARY } from '../../kit/server.ts';
import { CLEAN_ENVIRONMENT } from '../../kit/temp.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests look into messages of many shapes
export type Message = any;

export interface Exit {
  readonly code: number | null;
  /** Milliseconds from the end of stdin to the end of the process. */
  readonly after: number;
}

export interface RawClient {
  readonly pid: number;
  /** Every line stdout has carried so far. */
  readonly lines: readonly string[];
  readonly stderr: () => string;
  /** Text goes out as it is, anything else as JSON; both with a line break. */
  send(message: unknown): void;
  /** Sends a request with an id of its own and waits for its answer. */
  request(method: string, params?: object): Promise<Message>;
  /** The first message, seen or still to come, that fits. */
  wait(fits: (message: Message) => boolean, timeoutMs?: number): Promise<Message>;
  /** Closes stdin and waits for the process to leave. */
  end(): Promise<Exit>;
}

export interface RawOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** The user to run as, where the test may choose. */
  readonly uid?: number;
}

export function startRaw(args: readonly string[], options: RawOptions = {}): RawClient {
  const child = spawn(process.execPath, [BINARY, ...args], {
    // Without the start cache nothing is left in the home folder of the user who runs the tests.
    env: { ...CLEAN_ENVIRONMENT, ...options.env },
    ...(options.uid !== undefined && { uid: options.uid }),
  });
  const exited = new Promise<number | null>((resolve) => child.once('close', resolve));
  onTestFinished(async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
    await exited;
  });
  const { lines, wait } = readLines(child);
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  child.stdin.on('error', () => {});
  let lastId = 0;

  const send = (message: unknown) => {
    child.stdin.write(`${typeof message === 'string' ? message : JSON.stringify(message)}\n`);
  };
  return {
    pid: child.pid ?? 0,
    lines,
    stderr: () => stderr,
    send,
    wait,
    request: (method, params) => {
      const id = `raw-${++lastId}`;
      send({ jsonrpc: '2.0', id, method, ...(params && { params }) });
      return wait((message) => message.id === id);
    },
    end: async () => {
      const from = performance.now();
      child.stdin.end();
      return { code: await exited, after: performance.now() - from };
    },
  };
}

function readLines(child: ChildProcessWithoutNullStreams) {
  const lines: string[] = [];
  const waiting = new Set<() => void>();
  let rest = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    const parts = (rest + chunk).split('\n');
    rest = parts.pop() ?? '';
    lines.push(...parts);
    for (const look of waiting) look();
  });
  const wait = (fits: (message: Message) => boolean, timeoutMs = 45_000): Promise<Message> =>
    new Promise((resolve, reject) => {
      let seen = 0;
      const stop = (finish: () => void) => {
        clearTimeout(timer);
        waiting.delete(look);
        finish();
      };
      const timer = setTimeout(
        () =>
          stop(() =>
            reject(
              new Error(`No such message in ${timeoutMs} ms; seen: ${lines.join('\n').slice(0, 2_000)}`),
            ),
          ),
        timeoutMs,
      );
      const look = () => {
        for (; seen < lines.length; seen++) {
          const message = parsed(lines[seen] ?? '');
          if (message !== undefined && fits(message)) return stop(() => resolve(message));
        }
      };
      waiting.add(look);
      look();
    });
  return { lines, wait };
}

function parsed(line: string): Message | undefined {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

export function initialize(client: RawClient, protocolVersion = '2025-11-25'): Promise<Message> {
  return client.request('initialize', {
    protocolVersion,
    capabilities: {},
    clientInfo: { name: 'raw', version: '1' },
  });
}

export const callTool = (client: RawClient, name: string, args: object): Promise<Message> =>
  client.request('tools/call', { name, arguments: args });

export interface Run {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the binary with nothing on stdin until it leaves. */
export async function run(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Run> {
  const client = startRaw(args, { env });
  const { code } = await client.end();
  return { code, stdout: client.lines.join('\n'), stderr: client.stderr() };
}
