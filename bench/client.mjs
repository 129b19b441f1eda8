// A bare MCP client over stdio, so that what is measured is the server.
import { spawn } from 'node:child_process';
import { performance } from 'node:perf_hooks';
import { memoryOf, processorTimeOf } from './process-figures.mjs';

const LIMIT_MS = 120_000;
const STOP_MS = 2_000;
const LAST_WORDS = 1000;

export class BenchClient {
  #process;
  #begun = performance.now();
  #next = 1;
  #waiting = new Map();
  #ended;
  #lastWords = '';
  #logged = new Map();
  #kill = () => this.#process.kill('SIGKILL');

  /** Resolves to the client and the milliseconds from spawn to the answer of `initialize`. */
  static async start(command, args, options) {
    const client = new BenchClient(command, args, options);
    try {
      await client.request('initialize', {
        protocolVersion: '2025-06-18',
        capabilities: {},
        clientInfo: { name: 'bench', version: '1' },
      });
    } catch (error) {
      await client.stop();
      throw error;
    }
    const milliseconds = performance.now() - client.#begun;
    client.#send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    return { client, milliseconds };
  }

  constructor(command, args, options) {
    this.#process = spawn(command, args, { ...options, stdio: ['pipe', 'pipe', 'pipe'] });
    this.#process.on('error', (error) => this.#end(error));
    this.#process.on('exit', (code) => this.#end(new Error(`exited ${code}: ${this.#lastWords.trim()}`)));
    this.#process.stdin.on('error', () => {});
    // An interrupted benchmark must not leave a server behind that saves into a folder already removed.
    process.prependOnceListener('exit', this.#kill);
    eachLine(this.#process.stdout, (line) => this.#receive(parsed(line)));
    eachLine(this.#process.stderr, (line) => this.#note(line));
  }

  request(method, params) {
    if (this.#ended) return Promise.reject(this.#ended);
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => this.#settle(id, () => reject(new Error(`${method} took over ${LIMIT_MS} ms`))),
        LIMIT_MS,
      );
      this.#waiting.set(id, { resolve, reject, timer });
      this.#send({ jsonrpc: '2.0', id, method, params });
    });
  }

  /** The result of one tool call and the milliseconds it took; throws when the tool reports an error. */
  async ask([name, args]) {
    const begun = performance.now();
    const result = await this.request('tools/call', { name, arguments: args });
    const milliseconds = performance.now() - begun;
    const text = (result.content ?? []).map((part) => part.text ?? '').join('\n');
    if (result.isError) throw new Error(`${name}: ${text.slice(0, 200)}`);
    return { milliseconds, result, text };
  }

  /** Milliseconds one tool call took. */
  async call(toolCall) {
    return (await this.ask(toolCall)).milliseconds;
  }

  /** Milliseconds from spawn until the server logged the message on stderr; undefined if it has not by the limit. */
  async loggedAfter(message, limit) {
    const deadline = performance.now() + limit;
    while (!this.#logged.has(message) && !this.#ended && performance.now() < deadline)
      await new Promise((resolve) => setTimeout(resolve, 20));
    return this.#logged.get(message);
  }

  /** Resident megabytes now, where the system tells. */
  memory() {
    try {
      return memoryOf(this.#process.pid);
    } catch {
      return undefined;
    }
  }

  /** Milliseconds of processor time so far. */
  processorTime() {
    return processorTimeOf(this.#process.pid);
  }

  /** Closes its input and, when it does not end in time, ends it. */
  async stop(patience = STOP_MS) {
    if (this.#ended) return;
    const gone = new Promise((resolve) => this.#process.once('exit', resolve));
    this.#process.stdin.end();
    const timer = setTimeout(this.#kill, patience);
    await gone;
    clearTimeout(timer);
  }

  #send(message) {
    this.#process.stdin.write(`${JSON.stringify(message)}\n`);
  }

  #receive(message) {
    if (message?.id === undefined) return;
    if (message.method)
      this.#send({ jsonrpc: '2.0', id: message.id, error: { code: -32601, message: 'not offered' } });
    else
      this.#settle(message.id, ({ resolve, reject }) =>
        message.error ? reject(new Error(message.error.message)) : resolve(message.result),
      );
  }

  #note(line) {
    this.#lastWords = `${this.#lastWords}\n${line}`.slice(-LAST_WORDS);
    const message = parsed(line)?.message;
    if (typeof message === 'string' && !this.#logged.has(message))
      this.#logged.set(message, performance.now() - this.#begun);
  }

  #settle(id, how) {
    const waiting = this.#waiting.get(id);
    if (!waiting) return;
    this.#waiting.delete(id);
    clearTimeout(waiting.timer);
    how(waiting);
  }

  #end(error) {
    this.#ended = error;
    process.off('exit', this.#kill);
    for (const id of [...this.#waiting.keys()]) this.#settle(id, ({ reject }) => reject(error));
  }
}

function eachLine(stream, take) {
  let rest = '';
  stream.setEncoding('utf8').on('data', (chunk) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) take(line);
  });
}

/** Undefined of what is not JSON: some servers greet in plain text. */
function parsed(line) {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
