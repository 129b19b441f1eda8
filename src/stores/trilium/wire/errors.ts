/**
 * Errors of the ETAPI client, each with the next step. Trilium's own message is the title, since the server is the
 * user's; its status and code are in `upstream`. Never contains a token.
 */
import { AppError, type ErrorCode, type ErrorParts, isAppError } from '../../../shared/errors.ts';

/** A response without success status, as far as it could be parsed. */
export interface Failure {
  readonly status: number;
  readonly code?: string | undefined;
  readonly message?: string | undefined;
  /** Whether the body is JSON; an HTML page did not come from ETAPI. */
  readonly isJson: boolean;
  /** The delay of `Retry-After`. */
  readonly waitSeconds?: number | undefined;
}

interface Advice {
  readonly code: ErrorCode;
  readonly hint: string;
}

const MAX_MESSAGE = 500;

const PROTECTED: Advice = {
  code: 'forbidden',
  hint: 'Protected notes can be read and changed only inside Trilium, after unlocking them there.',
};

const ADVICE: Readonly<Record<string, Advice>> = {
  NOTE_NOT_FOUND: {
    code: 'not_found',
    hint: 'Check the note id; search_notes finds notes. A deleted note can be brought back with delete_note, action "undelete".',
  },
  BRANCH_NOT_FOUND: {
    code: 'not_found',
    hint: 'Check the branch id: it is "<parent id>_<note id>". get_note lists the branches of a note.',
  },
  ATTRIBUTE_NOT_FOUND: { code: 'not_found', hint: 'Check the attribute id; get_attributes lists them.' },
  ATTACHMENT_NOT_FOUND: {
    code: 'not_found',
    hint: 'Check the attachment id; get_attachment with a note id lists them.',
  },
  REVISION_NOT_FOUND: { code: 'not_found', hint: 'Check the revision id; get_revisions lists them.' },
  WEEK_NOT_FOUND: {
    code: 'not_found',
    hint: 'Week notes are off. Put the label #enableWeekNote on the calendar root note, or use a day note.',
  },
  NOTE_IS_PROTECTED: PROTECTED,
  ATTACHMENT_IS_PROTECTED: PROTECTED,
  REVISION_IS_PROTECTED: PROTECTED,
  NOTE_NOT_DELETED: { code: 'conflict', hint: 'There is nothing to bring back.' },
  CANNOT_UNDELETE: { code: 'conflict', hint: 'Bring back its parent note first.' },
  PROPERTY_NOT_ALLOWED: { code: 'invalid_input', hint: 'Trilium does not let this property be set here.' },
  PROPERTY_VALIDATION_ERROR: { code: 'invalid_input', hint: 'Correct that property and try again.' },
  INVALID_MIME_FOR_IMAGE: { code: 'invalid_input', hint: 'Give a mime such as image/png.' },
  SEARCH_QUERY_PARAM_MANDATORY: { code: 'invalid_input', hint: 'Give a query.' },
  SEARCH_PARAM_VALIDATION_ERROR: { code: 'invalid_input', hint: 'Correct that parameter and try again.' },
  DATE_INVALID: { code: 'invalid_input', hint: 'Write the date as YYYY-MM-DD.' },
  WEEK_INVALID: { code: 'invalid_input', hint: 'Write the week as YYYY-Www, for example 2026-W07.' },
  MONTH_INVALID: { code: 'invalid_input', hint: 'Write the month as YYYY-MM.' },
  YEAR_INVALID: { code: 'invalid_input', hint: 'Write the year as YYYY.' },
  UNRECOGNIZED_EXPORT_FORMAT: { code: 'invalid_input', hint: 'Use html or markdown.' },
};

/** Undefined for what does not exist. */
export function ifFound<T>(found: Promise<T>): Promise<T | undefined> {
  return found.catch((error: unknown) => {
    if (isAppError(error, 'not_found')) return undefined;
    throw error;
  });
}

export function errorOf(failure: Failure): AppError {
  const { status, code, isJson } = failure;
  const upstream = { status, code };
  const fail = (as: ErrorCode, title: string, parts: ErrorParts) =>
    new AppError(as, title, { ...parts, upstream });
  if (status >= 300 && status < 400)
    return fail('upstream_failed', 'Trilium points elsewhere', {
      hint: `It answered ${status}; redirects are not followed. Give the address it points to, and let requests with a token pass the login page in front of it.`,
    });
  if (status === 401)
    return fail('unauthorized', 'Trilium refuses the token', {
      hint: 'Make an ETAPI token in Trilium under Options, ETAPI, and give it whole (--token, TRILIUM_TOKEN, or the X-Trilium-Token header). It is not the password.',
    });
  if (status === 429)
    return fail('rate_limited', 'Too many requests for Trilium', {
      hint: `Wait ${failure.waitSeconds === undefined ? 'a moment' : `${failure.waitSeconds} seconds`} and try again.`,
    });
  if (status === 413)
    return fail('unsupported', 'Too large for the server', {
      reason: 'too_large',
      hint: 'Trilium or a proxy in front of it limits how much may be sent.',
    });
  if (!isJson) return status === 404 ? notTrilium(upstream) : refusedOnTheWay(upstream);
  const title = sentenceOf(failure);
  const advice = code === undefined ? undefined : ADVICE[code];
  if (advice) return fail(advice.code, title, { hint: advice.hint });
  return fail(codeOf(status), title, { hint: hintOf(failure) });
}

function codeOf(status: number): ErrorCode {
  if (status === 403) return 'forbidden';
  if (status === 404) return 'not_found';
  if (status === 409) return 'conflict';
  return status >= 400 && status < 500 ? 'invalid_input' : 'upstream_failed';
}

function hintOf({ status, message = '' }: Failure): string {
  if (message.includes('Maximum call stack size exceeded'))
    return 'Some note of this Trilium has been put below itself, which breaks every search there. Find the loop in Trilium and remove one of its places.';
  if (status >= 500) return 'Trilium failed. Look at its log; try again later.';
  return status === 404 ? 'Check the id.' : 'Correct the request and try again.';
}

/** The message as one bounded line. */
function sentenceOf({ message, status }: Failure): string {
  const line = (message ?? '').replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ').trim();
  return line === '' ? `Trilium answered ${status}` : line.slice(0, MAX_MESSAGE);
}

export function notTrilium(upstream?: AppError['upstream']): AppError {
  return new AppError('upstream_failed', "The server does not answer like Trilium's ETAPI", {
    hint: 'Check the address: it is that of Trilium itself, for example http://localhost:37740, and a proxy in front of it must let /etapi pass.',
    upstream,
  });
}

function refusedOnTheWay(upstream: { status: number }): AppError {
  return new AppError('upstream_failed', 'Something in front of Trilium refuses it', {
    hint: `It answered ${upstream.status}, and not as ETAPI does. Look at the proxy in front of Trilium; try again later.`,
    upstream,
  });
}

export function needsVersion(wanted: string, present: string, what: string): AppError {
  return new AppError('unsupported', `${what} needs Trilium ${wanted} or newer`, {
    hint: `This one is ${present}. Everything else works; to use this, update Trilium.`,
    upstream: { status: 404 },
  });
}

/** A missing or incomplete response. Does not contain the address, which callers of tools need not know. */
export function brokenOff(
  error: unknown,
  { isRead, timeoutMs }: { readonly isRead: boolean; readonly timeoutMs: number },
): unknown {
  if (!(error instanceof AppError) || error.upstream) return error;
  const { code, reason, hint, cause } = error;
  const next = isRead ? 'Try again later, or ask for less.' : LOOK_FIRST;
  if (reason === 'too_large')
    return new AppError('unsupported', 'Too large to be read', {
      reason,
      hint: `${hint} Ask with include_content=false for what is known of it, or open it in Trilium.`,
      cause: error,
    });
  if (code === 'timeout')
    return new AppError('timeout', 'Trilium took too long', {
      hint: `There was no whole answer within ${timeoutMs / 1000} s. ${next}`,
      cause: error,
    });
  if (code === 'upstream_failed' && reason === undefined)
    return new AppError('upstream_failed', 'Trilium cannot be reached, or broke off', {
      hint: `${socketWord(cause)}Check that it runs and that its address is right. ${next}`,
      cause: error,
    });
  return error;
}

const LOOK_FIRST = 'The change may have been made all the same: look before you try again.';

function socketWord(cause: unknown): string {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  return /^[A-Z_]{3,40}$/.test(code) ? `The connection failed with ${code}. ` : '';
}
