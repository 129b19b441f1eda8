/**
 * Checks of a SilverBullet space from outside: is it usable, and is it protected? They change nothing there and run no
 * code but one addition.
 */
import { type CheckResult, resultsFor } from '../../shared/checks.ts';
import { isAppError } from '../../shared/errors.ts';
import { createSilverBulletClient, type SilverBulletClient } from './client.ts';
import { configOf, isAnotherAnswer, type SpaceConfig } from './wire.ts';

const RUNTIME_SECONDS = 10;
const SEE_LOG = 'Look at the server’s log.';

type Results = ReturnType<typeof resultsFor>;

export async function examineSilverBullet(
  notebook: string,
  settings: { readonly url: string; readonly token: string },
): Promise<readonly CheckResult[]> {
  const client = createSilverBulletClient({ ...settings, retryPauses: [] });
  try {
    return await checkSilverBullet(client, notebook);
  } finally {
    client.close();
  }
}

/** The checks that all others depend on come first; when one of them fails, the rest is left out. */
export async function checkSilverBullet(
  client: SilverBulletClient,
  notebook: string,
): Promise<readonly CheckResult[]> {
  const results = resultsFor(notebook);
  const { ok, failWith } = results;
  const ping = await client
    .ask('/.ping', { anonymous: true })
    .catch((error: unknown) => failWith('reach', error, SEE_LOG));
  if (!(ping instanceof Response)) return [ping];
  const address = await checkAddress(client, results);
  if (address.status === 'fail') return [address];
  const version = ok(
    'version',
    `SilverBullet ${ping.headers.get('x-server-version') ?? 'of unknown version'}`,
  );
  const config = await client.config().catch((error: unknown) => failWith('read-only', error, SEE_LOG));
  const openness = await checkOpenness(client, results);
  const token =
    openness.status === 'ok'
      ? address
      : ok(
          'token',
          'The space answers. The token could not be checked, because the server also answers requests without one.',
        );
  if (!('readOnly' in config)) return [version, token, config, openness];
  return [
    version,
    token,
    readOnlyOf(config, results),
    openness,
    shellOf(config, results),
    await checkEvents(client, results),
    await checkRuntime(client, results),
  ];
}

/** Whether the token opens a space there. */
async function checkAddress(
  client: SilverBulletClient,
  { ok, fail, failWith }: Results,
): Promise<CheckResult> {
  try {
    const files = await client.list();
    const pages = files.filter(({ name, isReadOnly }) => name.endsWith('.md') && !isReadOnly);
    return ok('token', `The token works. Pages in the space: ${pages.length}.`);
  } catch (error) {
    if (isAppError(error, 'unauthorized')) return failWith('token', error, SEE_LOG);
    if (await answersJson(client, '/index.json'))
      return fail(
        'version',
        'The server is SilverBullet 0.x, which has no interface for files that Quire can use.',
        'Upgrade it to SilverBullet 2.',
      );
    // A SilverBullet server without a space at its root has one under a prefix.
    return (await answersJson(client, '/.instance', { anonymous: true }))
      ? fail(
          'address',
          'SilverBullet runs there, but no space is at this address.',
          'Add the prefix of the space to SB_URL, as in https://host/prefix.',
        )
      : failWith('address', error, SEE_LOG);
  }
}

async function answersJson(
  client: SilverBulletClient,
  ...question: Parameters<SilverBulletClient['ask']>
): Promise<boolean> {
  const answer = await client.ask(...question).catch(() => undefined);
  return answer?.status === 200 && !isAnotherAnswer(answer, 'application/json');
}

function readOnlyOf({ readOnly }: SpaceConfig, { ok, warn }: Results): CheckResult {
  return readOnly
    ? warn(
        'read-only',
        'The server is read-only: every change is refused.',
        'Unset SB_READ_ONLY there if pages are to be changed.',
      )
    : ok('read-only', 'The space can be written.');
}

async function checkOpenness(client: SilverBulletClient, { ok, warn, fail }: Results): Promise<CheckResult> {
  const answer = await client.ask('/.config', { anonymous: true }).catch(() => undefined);
  if (!answer)
    return warn(
      'open',
      'It is not known whether the server answers requests without a token.',
      'Run this check again.',
    );
  const isOpen =
    answer.status === 200 &&
    (await configOf(answer).then(
      () => true,
      () => false,
    ));
  return isOpen
    ? fail(
        'open',
        'The server is open to everybody: it asks for no credential, whatever SB_AUTH_TOKEN says.',
        'Set SB_USER on the server; without it the token protects nothing.',
      )
    : ok('open', 'The server refuses requests without a credential.');
}

function shellOf({ shellBackend, readOnly }: SpaceConfig, { ok, warn }: Results): CheckResult {
  const isOff = readOnly || (shellBackend !== undefined && ['off', 'noop', 'none'].includes(shellBackend));
  if (isOff) return ok('shell', 'The token cannot run commands on the server.');
  return warn(
    'shell',
    shellBackend === undefined
      ? 'This version does not say whether the token can run commands on the server; it can unless that was switched off.'
      : 'The token can run commands on the server.',
    'Set SB_SHELL_BACKEND=off on the server unless the space needs its shell.',
  );
}

async function checkEvents(client: SilverBulletClient, { ok }: Results): Promise<CheckResult> {
  const stream = await client.events().catch(() => undefined);
  stream?.close();
  return ok(
    'events',
    stream
      ? 'The server reports changes as they happen.'
      : 'The server does not report changes; Quire looks for them every few seconds.',
  );
}

async function checkRuntime(client: SilverBulletClient, { ok, warn }: Results): Promise<CheckResult> {
  const answer = await client
    .ask('/.runtime/lua', {
      method: 'POST',
      body: '1 + 1',
      headers: { 'x-timeout': String(RUNTIME_SECONDS) },
      timeoutMs: (RUNTIME_SECONDS + 2) * 1000,
    })
    .catch(() => undefined);
  if (answer?.status === 200 && !isAnotherAnswer(answer, 'application/json'))
    return ok('runtime', 'The Runtime API is there.');
  if (answer && answer.status !== 504)
    return ok('runtime', 'The Runtime API is not there; nothing here needs it.');
  return warn(
    'runtime',
    'The Runtime API does not answer.',
    'A script that never ends blocks it until SilverBullet is restarted.',
  );
}
