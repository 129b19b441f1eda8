/**
 * Looks a SilverBullet over from outside: can it be used, and is it as safe as its owner thinks. Changes nothing there
 * and runs nothing but one sum.
 */
import { isAppError } from '../../shared/errors.ts';
import type { SilverBulletClient } from './client.ts';
import { configOf, isAnotherAnswer, type SpaceConfig } from './wire.ts';

export interface SpaceCheck {
  readonly check:
    | 'reach'
    | 'version'
    | 'address'
    | 'token'
    | 'read-only'
    | 'open'
    | 'shell'
    | 'events'
    | 'runtime';
  readonly level: 'ok' | 'warn' | 'error';
  readonly what: string;
  /** What to do about it. */
  readonly next?: string;
}

const RUNTIME_SECONDS = 10;
const TOKEN_UNTRIED =
  'The space answers. Whether the token is right cannot be seen while strangers get in too.';

/** What everything else needs comes first; when that fails, the rest is left out. */
export async function checkSilverBullet(client: SilverBulletClient): Promise<readonly SpaceCheck[]> {
  const ping = await client.ask('/.ping', { anonymous: true }).catch(asProblem);
  if (!(ping instanceof Response)) return [{ check: 'reach', level: 'error', ...ping }];
  const address = await checkAddress(client);
  if (address.level === 'error') return [address];
  const version: SpaceCheck = {
    check: 'version',
    level: 'ok',
    what: `SilverBullet ${ping.headers.get('x-server-version') ?? 'of unknown version'}`,
  };
  const config = await client.config().catch(asProblem);
  const openness = await checkOpenness(client);
  const token: SpaceCheck = openness.level === 'ok' ? address : { ...address, what: TOKEN_UNTRIED };
  if (!('readOnly' in config))
    return [version, token, { check: 'read-only', level: 'error', ...config }, openness];
  return [
    version,
    token,
    readOnlyOf(config),
    openness,
    shellOf(config),
    await checkEvents(client),
    await checkRuntime(client),
  ];
}

interface Problem {
  readonly what: string;
  readonly next: string;
}

function asProblem(error: unknown): Problem {
  if (!isAppError(error)) throw error;
  return { what: error.message, next: error.hint ?? 'Look at the server’s log.' };
}

/** Whether the token opens a space there. */
async function checkAddress(client: SilverBulletClient): Promise<SpaceCheck> {
  try {
    const files = await client.list();
    const pages = files.filter(({ name, isReadOnly }) => name.endsWith('.md') && !isReadOnly);
    return { check: 'token', level: 'ok', what: `The token works. Pages in the space: ${pages.length}.` };
  } catch (error) {
    if (isAppError(error, 'unauthorized')) return { check: 'token', level: 'error', ...asProblem(error) };
    if (await isAncient(client))
      return {
        check: 'version',
        level: 'error',
        what: 'The server is SilverBullet 0.x, which has no file interface we know.',
        next: 'Upgrade it to SilverBullet 2.',
      };
    return { check: 'address', level: 'error', ...(await whereItIs(client, error)) };
  }
}

/** The listing of 0.x has a place of its own. */
async function isAncient(client: SilverBulletClient): Promise<boolean> {
  const answer = await client.ask('/index.json').catch(() => undefined);
  return answer?.status === 200 && !isAnotherAnswer(answer, 'application/json');
}

/** A server that says it is SilverBullet at its root, and has no space there, has one under a prefix. */
async function whereItIs(client: SilverBulletClient, error: unknown): Promise<Problem> {
  const instance = await client.ask('/.instance', { anonymous: true }).catch(() => undefined);
  const isThere = instance?.status === 200 && !isAnotherAnswer(instance, 'application/json');
  if (!isThere) return asProblem(error);
  return {
    what: 'SilverBullet runs there, but no space is at this address.',
    next: 'Add the prefix of the space to SB_URL, as in https://host/prefix.',
  };
}

function readOnlyOf({ readOnly }: SpaceConfig): SpaceCheck {
  if (!readOnly) return { check: 'read-only', level: 'ok', what: 'The space can be written.' };
  return {
    check: 'read-only',
    level: 'warn',
    what: 'The server is read-only: every change is refused.',
    next: 'Unset SB_READ_ONLY there if pages are to be changed.',
  };
}

async function checkOpenness(client: SilverBulletClient): Promise<SpaceCheck> {
  const answer = await client.ask('/.config', { anonymous: true }).catch(() => undefined);
  const isOpen =
    answer?.status === 200 &&
    (await configOf(answer).then(
      () => true,
      () => false,
    ));
  if (answer && !isOpen) return { check: 'open', level: 'ok', what: 'Nobody gets in without a credential.' };
  if (!answer)
    return {
      check: 'open',
      level: 'warn',
      what: 'It could not be seen whether strangers get in.',
      next: 'Run this check again.',
    };
  return {
    check: 'open',
    level: 'error',
    what: 'The server is open to everybody: it asks for no credential, whatever SB_AUTH_TOKEN says.',
    next: 'Set SB_USER on the server; without it the token protects nothing.',
  };
}

function shellOf({ shellBackend, readOnly }: SpaceConfig): SpaceCheck {
  const isOff = readOnly || (shellBackend !== undefined && ['off', 'noop', 'none'].includes(shellBackend));
  if (isOff) return { check: 'shell', level: 'ok', what: 'The token cannot run commands on the server.' };
  return {
    check: 'shell',
    level: 'warn',
    what:
      shellBackend === undefined
        ? 'This version does not say whether the token can run commands on the server; it can unless that was switched off.'
        : 'The token can run commands on the server.',
    next: 'Set SB_SHELL_BACKEND=off on the server unless the space needs its shell.',
  };
}

async function checkEvents(client: SilverBulletClient): Promise<SpaceCheck> {
  const stream = await client.events().catch(() => undefined);
  stream?.close();
  const what = stream
    ? 'The server tells of changes as they happen.'
    : 'The server does not tell of changes; they are looked for every few seconds.';
  return { check: 'events', level: 'ok', what };
}

async function checkRuntime(client: SilverBulletClient): Promise<SpaceCheck> {
  const answer = await client
    .ask('/.runtime/lua', {
      method: 'POST',
      body: '1 + 1',
      headers: { 'x-timeout': String(RUNTIME_SECONDS) },
      timeoutMs: (RUNTIME_SECONDS + 2) * 1000,
    })
    .catch(() => undefined);
  if (answer?.status === 200 && !isAnotherAnswer(answer, 'application/json'))
    return { check: 'runtime', level: 'ok', what: 'The Runtime API is there.' };
  if (answer && answer.status !== 504)
    return { check: 'runtime', level: 'ok', what: 'The Runtime API is not there; nothing here needs it.' };
  return {
    check: 'runtime',
    level: 'warn',
    what: 'The Runtime API does not answer.',
    next: 'A script that never ends blocks it until SilverBullet is restarted.',
  };
}
