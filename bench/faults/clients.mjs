// Clients that go on whatever happens, and remember what they were told: every acknowledged note, every token.
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { attempt, beginSession, call, inSession, insist, PAUSE_MS, post, rpc } from './requests.mjs';

/** Every so many writes, an earlier note is written again. */
const REWRITES = 8;

/** Writes notes of its own: each path with the texts it may have, and the one it had before. */
export async function writer(world, name) {
  const notes = new Map();
  for (let count = 0; world.isRunning(); count++) {
    const isRewrite = count % REWRITES === REWRITES - 1;
    const earlier = isRewrite ? notes.get(`${name}/${count - REWRITES / 2}.md`) : undefined;
    const path = earlier?.path ?? `${name}/${count}.md`;
    const content = `# ${count}\n\n${randomBytes(24).toString('hex')}\n`;
    const isDone = await attempt(world, 'write', () =>
      call(world, 'write_note', { path, content }).then(() => true),
    );
    if (isDone) notes.set(path, { path, texts: [content], before: earlier?.texts[0] });
    // It may have been made all the same.
    else if (earlier) earlier.texts.push(content);
    await sleep(PAUSE_MS);
  }
  return notes;
}

/** Those whose text is not one they may have. */
export async function missingOf(world, notes) {
  const missing = [];
  const left = [...notes.values()];
  const read = async () => {
    for (let note = left.pop(); note; note = left.pop()) {
      const text = await textOf(world, note.path);
      if (!note.texts.some((one) => text.includes(secretIn(one))))
        missing.push(`${note.path}: ${text.slice(0, 200)}`);
    }
  };
  await Promise.all(Array.from({ length: 8 }, read));
  return missing;
}

/** Undoes changes that were acknowledged; those whose text is not back. */
export async function notUndone(world, notes, most) {
  const rewritten = [...notes.values()].filter(({ before, texts }) => before && texts.length === 1);
  const step = Math.max(1, Math.floor(rewritten.length / most));
  const chosen = rewritten.filter((_, at) => at % step === 0).slice(0, most);
  const left = [];
  for (const { path, before } of chosen)
    try {
      const listed = await call(world, 'list_changes', { path, limit: 1 });
      await call(world, 'undo_changes', { id: JSON.parse(listed).changes[0].id });
      const text = await textOf(world, path);
      if (!text.includes(secretIn(before))) left.push(`${path}: ${text.slice(0, 200)}`);
    } catch (error) {
      left.push(`${path}: ${error}`);
    }
  return { tried: chosen.length, left };
}

async function textOf(world, path) {
  return call(world, 'read_note', { path }).catch(String);
}

function secretIn(text) {
  return text.trim().split('\n').at(-1);
}

/**
 * Refreshes its tokens again and again, and uses each. An answer that was lost is asked for again, as clients do. Counts
 * how often it was refused.
 */
export async function refresher(world) {
  let refused = 0;
  let { refresh_token, client_id } = await insist(world.logIn);
  while (world.isRunning()) {
    const form = { grant_type: 'refresh_token', refresh_token, client_id };
    const answer = await attempt(world, 'refresh', () => post(`${world.origin}/oauth/token`, form));
    let isRefused = answer !== undefined && answer.status !== 200;
    if (answer?.status === 200) {
      refresh_token = answer.body.refresh_token;
      const use = () => call(world, 'list_directory', {}, answer.body.access_token);
      isRefused = await use().then(
        () => false,
        ({ status }) => status === 401,
      );
    }
    if (isRefused) {
      refused++;
      process.stderr.write(`refused: ${JSON.stringify(answer).slice(0, 300)}\n`);
      ({ refresh_token, client_id } = await insist(world.logIn));
    }
    await sleep(PAUSE_MS * 4);
  }
  return refused;
}

/** Calls in one session of the older era, which must outlive every replica. Counts the sessions that did not. */
export async function sessionKeeper(world) {
  let lost = 0;
  let session = await beginSession(world);
  while (world.isRunning()) {
    const message = { method: 'tools/call', params: { name: 'list_directory', arguments: {} } };
    const answer = await attempt(world, 'session', () => rpc(world, message, inSession(session)));
    if (answer?.status === 404) {
      lost++;
      process.stderr.write(`session lost: ${answer.text.slice(0, 200)}\n`);
      session = await beginSession(world);
    }
    await sleep(PAUSE_MS);
  }
  return lost;
}
