// A bare MCP client over stdio, so that what is measured is the server.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';

const LIMIT_MS = 120_000;

export class BenchClient {
  #process;
  #next = 1;
  #waiting = new Map();

  /** Resolves to the client and the milliseconds from spawn to the answer of `initialize`. */
  static async start(command, args) {
    const client = new BenchClient();
    const begun = performance.now();
    client.#process = spawn(command, args, { stdio: ['pipe', 'pipe', 'ignore'] });
    client.#process.on('error', (error) => client.#failAll(error));
    client.#process.on('exit', (code) => client.#failAll(new Error(`exited ${code}`)));
    client.#process.stdin.on('error', () => {});
    client.#listen();
    await client.request('initialize', {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'bench', version: '1' },
    });
    const milliseconds = performance.now() - begun;
    client.#send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    return { client, milliseconds };
  }

  request(method, params) {
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

  /** Milliseconds one tool call took; throws when the tool reports an error. */
  async call([name, args]) {
    const begun = performance.now();
    const result = await this.request('tools/call', { name, arguments: args });
    const milliseconds = performance.now() - begun;
    if (result.isError) throw new Error(`${name}: ${result.content?.[0]?.text?.slice(0, 200)}`);
    return milliseconds;
  }

  /** Resident megabytes now. */
  memory() {
    const status = readFileSync(`/proc/${this.#process.pid}/status`, 'utf8');
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
  }

  async stop() {
    const gone = new Promise((resolve) => this.#process.once('exit', resolve));
    this.#process.stdin.end();
    const timer = setTimeout(() => this.#process.kill('SIGKILL'), 2000);
    await gone;
    clearTimeout(timer);
  }

  #send(message) {
    this.#process.stdin.write(`${JSON.stringify(message)}\n`);
  }

  #listen() {
    let rest = '';
    this.#process.stdout.setEncoding('utf8').on('data', (chunk) => {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) if (line !== '') this.#receive(JSON.parse(line));
    });
  }

  #receive(message) {
    if (message.method && message.id !== undefined)
      this.#send({ jsonrpc: '2.0', id: message.id, error: { code: -32601, message: 'not offered' } });
    else if (message.id !== undefined) {
      this.#settle(message.id, ({ resolve, reject }) =>
        message.error ? reject(new Error(message.error.message)) : resolve(message.result),
      );
    }
  }

  #settle(id, how) {
    const waiting = this.#waiting.get(id);
    if (!waiting) return;
    this.#waiting.delete(id);
    clearTimeout(waiting.timer);
    how(waiting);
  }

  #failAll(error) {
    for (const id of [...this.#waiting.keys()]) this.#settle(id, ({ reject }) => reject(error));
  }
}
