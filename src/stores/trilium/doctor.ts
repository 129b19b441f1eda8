/** Checks of a Trilium from outside: is it usable, and with which rights? They change nothing there. */
import { randomBytes } from 'node:crypto';
import { type CheckResult, resultsFor } from '../../shared/checks.ts';
import { isAppError } from '../../shared/errors.ts';
import { createTriliumClient, type TriliumClient } from './client.ts';
import type { AppInfo } from './wire/entities.ts';
import { isAtLeast } from './wire/transport.ts';

interface DoctorTarget {
  readonly notebook: string;
  /** Address of Trilium as configured. */
  readonly url: string;
  readonly client: TriliumClient;
  /** A client of the same Trilium with a random token. */
  readonly stranger: TriliumClient;
  readonly subtree?: string | undefined;
  readonly now?: () => number;
}

/** Older versions lack history, revisions, undeleting and the list of attachments. */
const COMPLETE_SINCE = '0.102';
const CLOCK_TOLERANCE_MS = 120_000;
const SEE_LOG = 'Look at the log of Trilium.';

type Results = ReturnType<typeof resultsFor>;

export async function examineTrilium(
  notebook: string,
  settings: { readonly url: string; readonly token: string; readonly subtree?: string | undefined },
): Promise<readonly CheckResult[]> {
  const { url, subtree } = settings;
  const clientWith = (token: string) =>
    createTriliumClient({ url, token, allow: 'private', retryPauses: [] });
  try {
    const client = clientWith(settings.token);
    const stranger = clientWith(randomBytes(24).toString('base64url'));
    return await checkTrilium({ notebook, url, client, stranger, subtree }).finally(() => {
      client.close();
      stranger.close();
    });
  } catch (error) {
    return [resultsFor(notebook).failWith('token', error, SEE_LOG)];
  }
}

/** The checks that all others depend on come first; when one of them fails, the rest is left out. */
export async function checkTrilium(target: DoctorTarget): Promise<readonly CheckResult[]> {
  const { notebook, url, client, stranger, subtree, now = Date.now } = target;
  const results = resultsFor(notebook);
  const { ok, fail, failWith } = results;
  const info = await client.system
    .appInfo()
    .catch((error: unknown) =>
      failWith(isAppError(error, 'unauthorized') ? 'token' : 'reach', error, SEE_LOG),
    );
  if ('status' in info) return [{ ...info, detail: `${info.detail} (${hostOf(url)})` }];
  const isOpen = await stranger.system.appInfo().then(
    () => true,
    () => false,
  );
  return [
    isOpen
      ? fail(
          'open',
          'Trilium is open to everybody: it answers whatever the token is.',
          'Take noAuthentication=true out of its config.ini, set a password and make an ETAPI token.',
        )
      : ok('token', 'Trilium answers and accepts the token.'),
    versionOf(info, results),
    clockOf(await client.system.clock(), now(), results),
    await checkSearch(client, results),
    ...(subtree === undefined ? [] : [await checkSubtree(client, subtree, results)]),
  ];
}

/** Only the host, because an address can hold a password. */
function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : 'no address';
}

function versionOf({ appVersion }: AppInfo, { ok, warn }: Results): CheckResult {
  return isAtLeast(appVersion, COMPLETE_SINCE)
    ? ok('version', `Trilium ${appVersion}`)
    : warn(
        'version',
        `Trilium ${appVersion} has no history, cannot list revisions or attachments, and cannot restore deleted notes.`,
        `Update it to ${COMPLETE_SINCE} or newer. Everything else works.`,
      );
}

/** "Today" is a date of this machine's clock, while journal notes follow Trilium's. */
function clockOf(theirs: number | undefined, now: number, { ok, warn }: Results): CheckResult {
  if (theirs === undefined) return ok('clock', 'Trilium does not say what time it is.');
  const difference = theirs - now;
  if (Math.abs(difference) <= CLOCK_TOLERANCE_MS)
    return ok('clock', 'The clock of Trilium agrees with the one of this machine.');
  const minutes = Math.round(Math.abs(difference) / 60_000);
  return warn(
    'clock',
    `The clock of Trilium is ${minutes} minutes ${difference > 0 ? 'ahead of' : 'behind'} the one of this machine, so today may be another day there.`,
    'Set both clocks by the network (NTP).',
  );
}

/** A loop in the tree breaks every search of a Trilium. */
function checkSearch(client: TriliumClient, { ok, failWith }: Results): Promise<CheckResult> {
  return client.search({ search: '#calendarRoot', fastSearch: true }).then(
    () => ok('search', 'Notes can be searched.'),
    (error: unknown) => failWith('search', error, SEE_LOG),
  );
}

function checkSubtree(
  client: TriliumClient,
  subtree: string,
  { ok, fail, failWith }: Results,
): Promise<CheckResult> {
  return client.notes.get(subtree).then(
    ({ title }) => ok('subtree', `The subtree is there: ${title.slice(0, 200)}`),
    (error: unknown) =>
      fail(
        'subtree',
        `The subtree cannot be reached. ${failWith('subtree', error, SEE_LOG).detail}`,
        'Give the id of a note that exists (--subtree, TRILIUM_SUBTREE); Trilium shows it under Note Info.',
      ),
  );
}
