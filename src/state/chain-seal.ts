/**
 * The seal of a chain's end: a MAC (HMAC-SHA-256) by a key outside the state folder, and a copy of the end beside that key.
 * Who can write the state folder alone can neither make another end nor bring an old one back unseen.
 */
import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { closeSync, openSync, readSync, writeSync } from 'node:fs';
import { link, open, readFile, realpath, stat, unlink } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { AppError } from '../shared/errors.ts';
import { ifPresent, isErrno } from '../shared/fs/errno.ts';
import { hasFileModes } from '../shared/fs/platform.ts';
import { makePrivateFolder } from '../shared/fs/private.ts';

/** The last line that was acknowledged. */
export interface ChainEnd {
  readonly seq: number;
  readonly hash: string;
  /** The id of the key that sealed it, and the MAC. */
  readonly key?: string;
  readonly mac?: string;
}

export interface ChainKey {
  /** Names the key without revealing it. */
  readonly id: string;
  /** HMAC-SHA-256 in hex. */
  sign(text: string): string;
}

/** `plain`: without a seal; `elsewhere`: sealed by a key that is not here; `forged`: the seal is wrong. */
export type SealState = 'sealed' | 'plain' | 'elsewhere' | 'forged';

export interface ChainSeal {
  readonly key: ChainKey;
  /** The copies of ends beside the key, one for each state folder. */
  readonly headsFolder: string;
}

const KEY_BYTES = 32;
const MAX_KEY_BYTES = 4_096;
const ID_LENGTH = 16;
const END_BYTES = 256;

export function chainKeyOf(bytes: Uint8Array): ChainKey {
  return {
    id: hash('sha256', Buffer.concat([Buffer.from('quire audit key\n'), bytes])).slice(0, ID_LENGTH),
    sign: (text) => createHmac('sha256', bytes).update(text).digest('hex'),
  };
}

function macOf(key: ChainKey, { seq, hash: line }: ChainEnd): string {
  return key.sign(`quire audit head\n${seq}\n${line}`);
}

export function sealed(end: ChainEnd, key: ChainKey | undefined): ChainEnd {
  const { seq, hash: line } = end;
  return key ? { seq, hash: line, key: key.id, mac: macOf(key, end) } : { seq, hash: line };
}

export function sealStateOf(end: ChainEnd, key: ChainKey | undefined): SealState {
  if (end.mac === undefined || end.key === undefined) return 'plain';
  if (end.key !== key?.id) return 'elsewhere';
  const [given, wanted] = [Buffer.from(end.mac), Buffer.from(macOf(key, end))];
  return given.length === wanted.length && timingSafeEqual(given, wanted) ? 'sealed' : 'forged';
}

/** Reads the key, and makes it at its first use. Several processes may do so at once. */
export async function openSeal(keyFile: string, stateFolder?: string): Promise<ChainSeal> {
  if (stateFolder !== undefined && !relative(stateFolder, keyFile).startsWith('..'))
    throw unusable(keyFile, 'it is inside the state folder, which it is to protect');
  const bytes = (await readKey(keyFile)) ?? (await makeKey(keyFile));
  return { key: chainKeyOf(bytes), headsFolder: `${keyFile}.heads` };
}

/** Undefined for a missing file. */
export async function readKey(keyFile: string): Promise<Buffer | undefined> {
  const found = await ifPresent(stat(keyFile)).catch((cause) => {
    throw unusable(keyFile, 'it cannot be read', cause);
  });
  if (!found) return undefined;
  if (!found.isFile() || found.size < KEY_BYTES || found.size > MAX_KEY_BYTES)
    throw unusable(keyFile, `it must be a file of ${KEY_BYTES} to ${MAX_KEY_BYTES} bytes`);
  if (hasFileModes() && (found.mode & 0o077) !== 0)
    throw unusable(keyFile, 'other users may read it: make it yours alone with chmod 600');
  return readFile(keyFile).catch((cause) => {
    throw unusable(keyFile, 'it cannot be read', cause);
  });
}

async function makeKey(keyFile: string): Promise<Buffer> {
  const made = `${keyFile}.${randomBytes(6).toString('hex')}`;
  try {
    await makePrivateFolder(dirname(keyFile));
    const handle = await open(made, 'wx', 0o600);
    try {
      await handle.writeFile(randomBytes(KEY_BYTES));
      await handle.sync();
    } finally {
      await handle.close();
    }
    // A link fails where another process was faster: its key counts.
    await link(made, keyFile).catch((error: unknown) => {
      if (!isErrno(error, 'EEXIST')) throw error;
    });
  } catch (cause) {
    throw unusable(keyFile, 'it cannot be made', cause);
  } finally {
    await ifPresent(unlink(made)).catch(() => {});
  }
  return readFile(keyFile);
}

function unusable(keyFile: string, why: string, cause?: unknown): AppError {
  return new AppError('forbidden', 'The key of the audit log cannot be used', {
    subject: `${basename(keyFile)}: ${why}`,
    hint: 'Name a private file outside the state folder with QUIRE_AUDIT_KEY_FILE or mcp_audit.key_file. With key_file: none the log is kept without a key, as before, and a cut of it may go unseen.',
    reason: 'audit_key',
    cause,
  });
}

/** The copy of the end beside the key; it is named after the place of the chain. */
export function outsideHead({ headsFolder }: ChainSeal, folder: string, name: string) {
  const place = async () => {
    const real = await realpath(folder).catch(() => resolve(folder));
    return join(headsFolder, `${hash('sha256', `${real}\n${name}`).slice(0, 32)}`);
  };
  return {
    /** Which rotated files were looked at. */
    stampsFile: async () => `${await place()}.parts`,
    async read(): Promise<ChainEnd | undefined> {
      return endOf(await ifPresent(readFile(await place(), 'utf8')));
    },
    /** Never goes back. */
    async write(end: ChainEnd): Promise<void> {
      const file = await place();
      try {
        advance(file, end);
      } catch (error) {
        if (!isErrno(error, 'ENOENT')) throw error;
        await makePrivateFolder(headsFolder);
        await (await open(file, 'a', 0o600)).close();
        advance(file, end);
      }
    },
  };
}

export function endOf(text: string | undefined): ChainEnd | undefined {
  try {
    const { seq, hash: line, key, mac } = JSON.parse(text ?? '') as Partial<ChainEnd>;
    if (typeof seq !== 'number' || typeof line !== 'string') return undefined;
    return {
      seq,
      hash: line,
      ...(typeof key === 'string' && typeof mac === 'string' && { key, mac }),
    };
  } catch {
    return undefined;
  }
}

function textOf(end: ChainEnd): string {
  return `${JSON.stringify(end).padEnd(END_BYTES - 1)}\n`;
}

/** Without effect when a later end stands there; synchronous. */
export function advance(file: string, end: ChainEnd): void {
  const handle = openSync(file, 'r+');
  try {
    const bytes = Buffer.alloc(END_BYTES);
    const before = endOf(bytes.toString('utf8', 0, readSync(handle, bytes, 0, END_BYTES, 0)));
    if ((before?.seq ?? -1) < end.seq) writeSync(handle, textOf(end), 0);
  } finally {
    closeSync(handle);
  }
}

/** In place and of one length, so that a crash leaves the old note or the new one. */
export async function overwriteEnd(file: string, end: ChainEnd): Promise<void> {
  const there = await ifPresent(open(file, 'r+'));
  const handle = there ?? (await open(file, 'wx', 0o600));
  try {
    await handle.write(textOf(end), 0);
    await handle.datasync();
  } finally {
    await handle.close();
  }
}
