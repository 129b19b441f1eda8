// npm run test:trilium -- --url <url> --token <token> [vitest arguments]
// The wire tests against a real Trilium. Everything happens below one note, which is deleted at the end; tests that look
// into the fake are skipped and listed with their reason.
import { spawn } from 'node:child_process';
import { parseArgs } from 'node:util';

const { values, positionals } = parseArgs({
  options: { url: { type: 'string', short: 'u' }, token: { type: 'string', short: 't' } },
  allowPositionals: true,
});
const url = values.url ?? process.env.TRILIUM_URL;
const token = values.token ?? process.env.TRILIUM_TOKEN;
if (!url || !token)
  fail('Give --url and --token (or TRILIUM_URL and TRILIUM_TOKEN) of a Trilium; its backup is up to you.');
const base = `${url.replace(/\/+$/, '').replace(/\/etapi$/, '')}/etapi`;

const { appVersion } = await ask('GET', 'app-info');
const title = `Quire tests, ${new Date().toISOString()}`;
const { note } = await ask('POST', 'create-note', { parentNoteId: 'root', title, type: 'text', content: '' });
process.stdout.write(`Trilium ${appVersion}; everything is below "${title}" (${note.noteId})\n`);

const vitest = spawn(
  process.execPath,
  [
    'node_modules/vitest/vitest.mjs',
    'run',
    '--reporter=verbose',
    ...(positionals.length > 0 ? positionals : ['test/wire/trilium']),
  ],
  {
    stdio: 'inherit',
    env: {
      ...process.env,
      QUIRE_TRILIUM_URL: url,
      QUIRE_TRILIUM_TOKEN: token,
      QUIRE_TRILIUM_NOTE: note.noteId,
    },
  },
);
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => vitest.kill(signal));
const code = await new Promise((resolve) => vitest.once('close', resolve));
await ask('DELETE', `notes/${note.noteId}`);
process.stdout.write(`"${title}" is deleted again.\n`);
process.exitCode = code ?? 1;

async function ask(method, path, body) {
  const answer = await fetch(`${base}/${path}`, {
    method,
    redirect: 'error',
    headers: { authorization: token, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  }).catch((error) => fail(`No Trilium answers there: ${error.cause?.code ?? error.message}`));
  if (!answer.ok) fail(`Trilium answered ${answer.status} to ${method} ${path}.`);
  const isJson = /json/.test(answer.headers.get('content-type') ?? '');
  if (answer.status !== 204 && !isJson) fail('The server does not answer like ETAPI. Check the address.');
  return isJson ? answer.json() : undefined;
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
