/** What can go wrong between us and SilverBullet, in words that name the next step. Never a token, never a body. */
import { AppError } from '../../shared/errors.ts';

/** Whether the answer is of another kind than expected; SilverBullet sends its web page to every address it does not know. */
export function isAnotherAnswer({ headers }: Pick<Response, 'headers'>, expected: string): boolean {
  return !(headers.get('content-type') ?? '').toLowerCase().startsWith(expected);
}

export function notSilverBullet(): AppError {
  return new AppError('upstream_failed', 'The server does not answer like SilverBullet 2', {
    hint: 'Check SB_URL: it needs the prefix of the space where there is one (https://host/prefix), and SilverBullet 0.x is not supported.',
  });
}

/** The error of an answer that is no success, for whatever was asked of `subject`. */
export function errorOf(response: Pick<Response, 'status' | 'headers'>, subject?: string): AppError {
  const { status } = response;
  const about = subject === undefined ? {} : { subject };
  const isPage = (response.headers.get('content-type') ?? '').startsWith('text/html');
  if (status >= 300 && status < 400)
    return new AppError('upstream_failed', 'SilverBullet points elsewhere', {
      hint: `It answered ${status}. Check SB_URL, and let requests with SB_TOKEN pass the login page in front of it.`,
    });
  if (status === 401)
    return new AppError('unauthorized', 'SilverBullet refuses the token', {
      hint: 'Check SB_TOKEN: it has to be the SB_AUTH_TOKEN of the server, or an API token of an account there.',
    });
  if (isPage) return status === 404 ? notSilverBullet() : refusedOnTheWay(status, subject);
  switch (status) {
    case 403:
      return new AppError('forbidden', 'SilverBullet refuses it', {
        ...about,
        hint: 'The page is read-only there, or the token may not change it. Nothing was changed.',
      });
    case 404:
      return new AppError('not_found', 'File not found', about);
    case 405:
      return new AppError('read_only', 'SilverBullet is read-only', {
        ...about,
        hint: 'The server takes no changes (SB_READ_ONLY). Nothing was changed.',
      });
    case 413:
      return new AppError('unsupported', 'Too large for the server', {
        ...about,
        reason: 'too_large',
        hint: 'SilverBullet or a proxy in front of it limits how much may be sent. Make the page smaller, or raise the limit there.',
      });
    case 429:
      return new AppError('rate_limited', 'Too many requests for the server', {
        hint: 'SilverBullet or a proxy in front of it asks for patience. Wait a moment and try again.',
      });
    default:
      return new AppError('upstream_failed', 'SilverBullet failed', {
        ...about,
        hint: `It answered ${status}. Look at its log; try again later.`,
      });
  }
}

function refusedOnTheWay(status: number, subject: string | undefined): AppError {
  return new AppError('upstream_failed', 'Something in front of SilverBullet refuses it', {
    subject,
    hint: `It answered ${status} with a web page. Some proxies refuse names that hold ? # or ; and some want a login: look at its log.`,
  });
}

export function tooLarge(subject: string, megabytes: number): AppError {
  return new AppError('unsupported', 'File too large', {
    subject,
    reason: 'too_large',
    hint: `The limit is ${megabytes} MB.`,
  });
}

/** Whether something may have happened on the server all the same. */
export function isUncertain(error: unknown): error is AppError {
  return error instanceof AppError && (error.code === 'upstream_failed' || error.code === 'timeout');
}
