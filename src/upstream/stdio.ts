/**
 * The transport to a stdio server: one process in a group of its own, which inherits nothing but three pipes and the
 * configured environment.
 */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import {
  deserializeMessage,
  type JSONRPCMessage,
  serializeMessage,
  type Transport,
} from '@modelcontextprotocol/client';
import type { AppError } from '../shared/errors.ts';
import { TOO_MANY_VALUES } from './calls.ts';
import {
  coverInheritedDescriptors,
  HAS_GROUPS,
  openStderrLog,
  STOP_TIMES,
  type StderrLog,
  type StopTimes,
  signalGroup,
  stopGroup,
} from './child-process.ts';
import { endingOf, type LaunchFacts } from './ending.ts';
import { failure } from './failure.ts';
import { readPaced } from './pace.ts';
import type { Launch } from './sandbox/backends.ts';
import { hasTooManyValues, idOfUnparsed } from './value-count.ts';

const NEWLINE = 10;

interface LineSink {
  line(text: string): void;
  /** A line of too many values, which is not worth a text. */
  tooMany?(bytes: Buffer): void;
  /** A line exceeds the limit; nothing more is read after it. */
  tooLong(): void;
}

export function createLineReader(maxBytes: number, sink: LineSink): (chunk: Buffer) => void {
  let pieces: Buffer[] = [];
  let held = 0;
  let isOver = false;

  function finish(tail: Buffer): void {
    const bytes = pieces.length === 0 ? tail : Buffer.concat([...pieces, tail]);
    pieces = [];
    held = 0;
    if (sink.tooMany && hasTooManyValues(bytes)) sink.tooMany(bytes);
    else sink.line(bytes.toString('utf8'));
  }

  function giveUp(): void {
    isOver = true;
    pieces = [];
    sink.tooLong();
  }

  return (chunk) => {
    let from = 0;
    while (!isOver && from < chunk.length) {
      const end = chunk.indexOf(NEWLINE, from);
      const piece = chunk.subarray(from, end === -1 ? chunk.length : end);
      if (held + piece.length > maxBytes) return giveUp();
      if (end === -1) {
        pieces.push(piece);
        held += piece.length;
        return;
      }
      finish(piece);
      from = end + 1;
    }
  };
}

interface StdioOptions {
  /** Name of the server, for messages. */
  readonly name: string;
  readonly launch: Launch;
  readonly facts?: LaunchFacts;
  /** Where its stderr goes. */
  readonly logFile?: string;
  readonly stopTimes?: StopTimes;
  readonly maxMessageBytes?: number;
}

const MAX_LINE_BYTES = 4 * 1024 * 1024;
/** A longer message is parsed in one turn of the event loop, and read in the next. */
const LONG = 64 * 1024;
const MAX_STRAY_LINES = 10;
const MAX_UNSENT_BYTES = 8 * 1024 * 1024;
/** How long output is read after a process has exited, when another process still holds its pipe. */
const DRAIN_MS = 500;

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

/** Fails the request that it answers; anything else is counted as unknown. */
function unparsed(bytes: Buffer): JSONRPCMessage {
  const id = idOfUnparsed(bytes);
  return id === undefined
    ? { jsonrpc: '2.0', method: 'notifications/unparsed' }
    : { jsonrpc: '2.0', id, error: TOO_MANY_VALUES };
}

export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport['onmessage'];
  /** Lines on stdout that are not JSON-RPC messages. */
  strayLines = 0;
  readonly #options: StdioOptions;
  #child: Child | undefined;
  #stderrLog: StderrLog | undefined;
  #strayInARow = 0;
  #undelivered: JSONRPCMessage[] | undefined;
  #isClosed = false;
  /** How the process ended by itself. */
  #exit: string | undefined;
  #fault: AppError | undefined;
  #stopping: Promise<void> | undefined;
  #isGone: () => void = () => {};
  /** Resolves when nothing more comes from the process. */
  readonly gone = new Promise<void>((resolve) => {
    this.#isGone = resolve;
  });

  constructor(options: StdioOptions) {
    this.#options = options;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** The end of stderr. The SDK recognizes a transport to a process by this member. */
  get stderr(): string {
    return this.#stderrLog?.text() ?? '';
  }

  /** A line of ours among those of the server, in its log. */
  note(text: string): void {
    this.#stderrLog?.write(Buffer.from(`${text}\n`));
  }

  /** Why the process ended by itself, or was ended for a violation of the protocol. */
  get fault(): AppError | undefined {
    if (this.#fault || this.#exit === undefined) return this.#fault;
    const fault = this.#failed('closed', `It ended (${this.#exit}).`);
    // Its last lines may be read after its end.
    if (this.#isClosed) this.#fault = fault;
    return fault;
  }

  /** What its operator should know when it did not work. */
  get ending(): ReturnType<typeof endingOf> {
    const { facts } = this.#options;
    return facts ? endingOf(this.stderr, facts) : {};
  }

  start(): Promise<void> {
    const { launch, logFile } = this.#options;
    this.#stderrLog = openStderrLog(logFile);
    const cover = coverInheritedDescriptors();
    const child = spawn(launch.file, launch.args, {
      shell: false,
      detached: HAS_GROUPS,
      windowsHide: true,
      stdio: ['pipe', 'pipe', 'pipe', ...cover.stdio],
      cwd: launch.cwd,
      env: launch.env,
      argv0: launch.argv0,
    }) as Child;
    cover.close();
    this.#child = child;
    this.#listen(child);
    return new Promise((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', (cause) =>
        reject(this.#failed('launch_failed', 'It could not be started.', cause)),
      );
    });
  }

  #listen(child: Child): void {
    const { maxMessageBytes = MAX_LINE_BYTES } = this.#options;
    const read = createLineReader(maxMessageBytes, {
      line: (text) => this.#receive(text),
      tooMany: (bytes) => this.#deliver(unparsed(bytes)),
      tooLong: () =>
        this.#misbehaved(
          `It wrote a line of more than ${maxMessageBytes} bytes. Nothing more is read from it. max_result_bytes raises that to twice its value, 4 MiB at most.`,
        ),
    });
    readPaced(child.stdout, (piece) => {
      if (!this.#isClosed) read(piece);
    });
    child.stderr.on('data', (chunk: Buffer) => this.#stderrLog?.write(chunk));
    child.stdin.on('error', () => undefined);
    child.once('error', () => this.#closed());
    child.once('close', () => this.#closed());
    child.once('exit', (code, signal) => this.#exited(child, code, signal));
  }

  /** Children of the process may still hold the pipes, which then never close. */
  #exited(child: Child, code: number | null, signal: NodeJS.Signals | null): void {
    if (!this.#stopping) this.#exit = signal ?? `exit code ${code}`;
    const timer = setTimeout(() => {
      if (child.pid !== undefined) signalGroup(child.pid, 'SIGKILL');
      child.stdout.destroy();
      child.stderr.destroy();
      this.#closed();
    }, DRAIN_MS);
    child.once('close', () => clearTimeout(timer));
  }

  #receive(line: string): void {
    if (this.#isClosed || line.trim() === '') return;
    let message: JSONRPCMessage;
    try {
      message = deserializeMessage(line);
    } catch {
      this.#stray();
      return;
    }
    this.#strayInARow = 0;
    this.#deliver(message, line.length > LONG);
  }

  /** In the order in which they came. */
  #deliver(message: JSONRPCMessage, isLong = false): void {
    if (this.#undelivered) this.#undelivered.push(message);
    else if (!isLong) this.onmessage?.(message);
    else {
      this.#undelivered = [message];
      setImmediate(() => this.#deliverAll());
    }
  }

  #deliverAll(): void {
    const messages = this.#undelivered ?? [];
    this.#undelivered = undefined;
    for (const message of messages) this.onmessage?.(message);
  }

  #stray(): void {
    this.strayLines++;
    if (++this.#strayInARow >= MAX_STRAY_LINES)
      this.#misbehaved(
        `It wrote ${MAX_STRAY_LINES} lines in a row to stdout that are no messages. Is it an MCP server? Its log belongs on stderr.`,
      );
  }

  #misbehaved(hint: string): void {
    if (this.fault) return;
    this.#fault = this.#failed('handshake_invalid', hint);
    this.onerror?.(this.#fault);
    this.#closed();
    void this.close();
  }

  send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#child?.stdin;
    if (!stdin || this.#isClosed || !stdin.writable)
      return Promise.reject(this.fault ?? this.#failed('closed', 'It does not run.'));
    if (stdin.writableLength > MAX_UNSENT_BYTES)
      return Promise.reject(this.#failed('closed', 'It does not read what it is sent.'));
    return new Promise((resolve, reject) => {
      stdin.write(serializeMessage(message), (cause) => {
        if (cause) reject(this.fault ?? this.#failed('closed', 'It has closed its input.', cause));
        else resolve();
      });
    });
  }

  /** Resolves when the process is gone. */
  close(): Promise<void> {
    const child = this.#child;
    if (!child) return Promise.resolve();
    this.#stopping ??= stopGroup(child, this.#options.stopTimes ?? STOP_TIMES).then(() => this.#closed());
    return this.#stopping;
  }

  #closed(): void {
    if (this.#isClosed) return;
    this.#deliverAll();
    this.#isClosed = true;
    if (this.#child?.pid !== undefined) signalGroup(this.#child.pid, 'SIGKILL');
    this.#stderrLog?.close();
    this.#isGone();
    this.onclose?.();
  }

  #failed(reason: 'launch_failed' | 'closed' | 'handshake_invalid', hint: string, cause?: unknown): AppError {
    return failure(reason, { server: this.#options.name, hint, details: this.ending, cause });
  }
}
