// A Trilium to measure: one that runs already, or the fake of our tests in a process of its own.
import { spawn } from 'node:child_process';
import { Agent, request } from 'node:http';
import { Agent as SecureAgent, request as secureRequest } from 'node:https';
import { join } from 'node:path';
import { build } from 'esbuild';

/** Does the work with the address and the token of a fake whose every answer takes so long. */
export async function withFakeTrilium(folder, latencyMs, work) {
  const script = join(folder, 'trilium.mjs');
  await build({
    entryPoints: ['bench/trilium-fake.ts'],
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile: script,
    logLevel: 'warning',
  });
  const fake = spawn(process.execPath, [script, String(latencyMs)], { stdio: ['pipe', 'pipe', 'inherit'] });
  try {
    const said = await new Promise((resolve) => fake.stdout.once('data', (chunk) => resolve(String(chunk))));
    const [url, token] = said.trim().split(' ');
    return await work({ url, token });
  } finally {
    fake.stdin.end();
  }
}

/** Asks ETAPI itself, over connections that are kept. */
export function directClient({ url, token }) {
  const base = new URL(`${url.replace(/\/+$/, '').replace(/\/etapi$/, '')}/etapi/`);
  const isSecure = base.protocol === 'https:';
  const agent = new (isSecure ? SecureAgent : Agent)({ keepAlive: true, maxSockets: 8, scheduling: 'lifo' });
  const ask = (method, path, body) =>
    new Promise((resolve, reject) => {
      const isText = typeof body === 'string';
      const headers = {
        authorization: token,
        ...(body !== undefined && { 'content-type': isText ? 'text/plain' : 'application/json' }),
      };
      (isSecure ? secureRequest : request)(new URL(path, base), { method, agent, headers }, (answer) => {
        const chunks = [];
        answer.on('data', (chunk) => chunks.push(chunk));
        answer.on('error', reject);
        answer.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          if (answer.statusCode >= 300) reject(new Error(`${method} ${path}: ${answer.statusCode} ${text}`));
          else if (/json/.test(answer.headers['content-type'] ?? '')) resolve(JSON.parse(text));
          else resolve(text);
        });
      })
        .on('error', reject)
        .end(body === undefined ? undefined : isText ? body : JSON.stringify(body));
    });
  return { ask, close: () => agent.destroy() };
}

/** A note of our own with so many below it; gone when the work is done. */
export async function withPlanted({ ask }, children, work) {
  const make = async (parentNoteId, title, content) =>
    (await ask('POST', 'create-note', { parentNoteId, title, type: 'text', content })).note.noteId;
  const top = await make('root', `Quire bench ${Date.now()}`, '<p>gone soon</p>');
  try {
    const text = '<p>The quick brown fox jumps over the lazy dog.</p>'.repeat(40);
    const note = await make(top, 'The note that is read', text);
    await ask('POST', 'attributes', { noteId: note, type: 'label', name: 'bench', value: '1' });
    const folder = await make(top, 'A folder', '');
    const ids = [];
    for (let at = 0; at < children; at++) ids.push(await make(folder, `Child ${at}`, `<p>${at}</p>${text}`));
    return await work({ note, folder, ids, top });
  } finally {
    await ask('DELETE', `notes/${top}`);
  }
}
