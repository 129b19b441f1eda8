/** Where the second brain's resources are. */
import { AppError } from '../../shared/errors.ts';

export const SCHEME = 'secondbrain://';
export const HELP_URI = `${SCHEME}context/help`;
export const STATUS_URI = `${SCHEME}context/status`;
export const SEARCH_URI = `${SCHEME}context/search`;
export const SEARCH_TEMPLATE = `${SEARCH_URI}{?query,limit}`;

export const USUAL_LIMIT = 10;
const MOST = 50;
const LONGEST_QUERY = 2_000;

export interface ContextSearch {
  readonly query: string;
  readonly limit: number;
}

export function searchUri({ query, limit }: ContextSearch): string {
  return `${SEARCH_URI}?query=${encodeURIComponent(query)}&limit=${limit}`;
}

/** Undefined for a URI that is no search. */
export function searchIn(uri: string): ContextSearch | undefined {
  const mark = uri.indexOf('?');
  if ((mark < 0 ? uri : uri.slice(0, mark)) !== SEARCH_URI) return undefined;
  const given = new URLSearchParams(mark < 0 ? '' : uri.slice(mark + 1));
  return checkedSearch(given.get('query') ?? undefined, given.get('limit') ?? undefined);
}

/** Throws for what is no query, or no limit. */
export function checkedSearch(query: string | undefined, limit: string | undefined): ContextSearch {
  if (query === undefined || query.trim() === '')
    throw new AppError('invalid_input', 'query is missing', { hint: 'Say what to look for.' });
  if (query.length > LONGEST_QUERY)
    throw new AppError('invalid_input', `query is longer than ${LONGEST_QUERY} characters`);
  if (limit === undefined) return { query, limit: USUAL_LIMIT };
  if (/^[1-9]\d?$/.test(limit) && Number(limit) <= MOST) return { query, limit: Number(limit) };
  throw new AppError('invalid_input', `limit must be a whole number from 1 to ${MOST}`);
}
