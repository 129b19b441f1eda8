/** Looks a Trilium over from outside: can it be used, and as whom. Changes nothing there. */
import { isAppError } from '../../shared/errors.ts';
import type { TriliumClient } from './client.ts';
import { isAtLeast } from './wire/transport.ts';
import type { AppInfo } from './wire/types.ts';

export interface TriliumCheck {
  readonly check: 'reach' | 'token' | 'open' | 'version' | 'clock' | 'search' | 'subtree';
  readonly level: 'ok' | 'warn' | 'error';
  readonly what: string;
  /** What to do about it. */
  readonly next?: string;
}

export interface DoctorTarget {
  /** Where it is, as the operator wrote it. */
  readonly url: string;
  readonly client: TriliumClient;
  /** The same Trilium, with a token it cannot know. */
  readonly stranger: TriliumClient;
  readonly subtree?: string | undefined;
  readonly now?: () => number;
}

/** Older ones lack history, revisions, undeleting and the list of attachments. */
const COMPLETE_SINCE = '0.102';
const CLOCK_TOLERANCE_MS = 120_000;

/** What everything else needs comes first; when that fails, the rest is left out. */
export async function checkTrilium({
  url,
  client,
  stranger,
  subtree,
  now = Date.now,
}: DoctorTarget): Promise<readonly TriliumCheck[]> {
  const info = await client.system.appInfo().catch(asProblem);
  if ('next' in info) return [{ ...info, what: `${info.what} (${hostOf(url)})` }];
  const isOpen = await stranger.system.appInfo().then(
    () => true,
    () => false,
  );
  return [
    isOpen ? OPEN : TOKEN_WORKS,
    versionOf(info),
    clockOf(await client.system.clock(), now()),
    await checkSearch(client),
    ...(subtree === undefined ? [] : [await checkSubtree(client, subtree)]),
  ];
}

/** Not more of it: an address can hold a password. */
function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : 'no address';
}

const TOKEN_WORKS: TriliumCheck = {
  check: 'token',
  level: 'ok',
  what: 'Trilium answers and takes the token.',
};

const OPEN: TriliumCheck = {
  check: 'open',
  level: 'error',
  what: 'Trilium is open to everybody: it answers whatever the token is.',
  next: 'Take noAuthentication=true out of its config.ini, set a password and make an ETAPI token.',
};

interface Problem extends TriliumCheck {
  readonly next: string;
}

function asProblem(error: unknown): Problem {
  if (!isAppError(error)) throw error;
  return {
    check: isAppError(error, 'unauthorized') ? 'token' : 'reach',
    level: 'error',
    what: error.message,
    next: error.hint ?? 'Look at the log of Trilium.',
  };
}

function versionOf({ appVersion }: AppInfo): TriliumCheck {
  if (isAtLeast(appVersion, COMPLETE_SINCE))
    return { check: 'version', level: 'ok', what: `Trilium ${appVersion}` };
  return {
    check: 'version',
    level: 'warn',
    what: `Trilium ${appVersion} has no history, no list of revisions or attachments, and brings no note back.`,
    next: `Update it to ${COMPLETE_SINCE} or newer. Everything else works.`,
  };
}

/** "Today" is said by our clock, and the journal is kept by theirs. */
function clockOf(theirs: number | undefined, now: number): TriliumCheck {
  if (theirs === undefined)
    return { check: 'clock', level: 'ok', what: 'Trilium does not say what time it is.' };
  const difference = theirs - now;
  if (Math.abs(difference) <= CLOCK_TOLERANCE_MS)
    return { check: 'clock', level: 'ok', what: 'Its clock and the one here agree.' };
  const minutes = Math.round(Math.abs(difference) / 60_000);
  return {
    check: 'clock',
    level: 'warn',
    what: `Its clock is ${minutes} minutes ${difference > 0 ? 'ahead of' : 'behind'} the one here: notes of today may be those of another day.`,
    next: 'Set both clocks by the network (NTP).',
  };
}

/** A note below itself breaks every search of a Trilium. */
async function checkSearch(client: TriliumClient): Promise<TriliumCheck> {
  const found = await client.search({ search: '#calendarRoot', fastSearch: true }).catch(asProblem);
  return 'next' in found
    ? { ...found, check: 'search' }
    : { check: 'search', level: 'ok', what: 'Notes can be searched.' };
}

async function checkSubtree(client: TriliumClient, subtree: string): Promise<TriliumCheck> {
  const note = await client.notes.get(subtree).catch(asProblem);
  if (!('next' in note))
    return { check: 'subtree', level: 'ok', what: `The subtree is there: ${note.title.slice(0, 200)}` };
  return {
    check: 'subtree',
    level: 'error',
    what: `The subtree cannot be reached. ${note.what}`,
    next: 'Give the id of a note that exists (--subtree, TRILIUM_SUBTREE); Trilium shows it under Note Info.',
  };
}
