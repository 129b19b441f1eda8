/**
 * Gives the SDK's client a long page of definitions as several short ones: the client checks a page in one go, and a
 * server may put all its definitions into one. Pages of the server are counted here, since the client sees more of them.
 */
import { randomUUID } from 'node:crypto';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { LruMap } from '../shared/memoize.ts';
import { TOO_MANY_VALUES } from './calls.ts';
import { failure } from './failure.ts';

/** The requests for lists, and where their answers have the definitions. */
const LISTS: ReadonlyMap<string, string> = new Map([
  ['tools/list', 'tools'],
  ['resources/list', 'resources'],
  ['resources/templates/list', 'resourceTemplates'],
  ['prompts/list', 'prompts'],
]);

const MAX_PAGES = 50;
/** Of the page that the client gets. */
const PAGE_VALUES = 1_500;
/** No honest definition has more. */
const MAX_DEFINITION_VALUES = 5_000;
/** That are read at the same time. */
const MAX_LISTS = 16;

type Page = Readonly<Record<string, unknown>>;

interface Rest {
  readonly page: Page;
  readonly field: string;
  /** What is left of the definitions. */
  readonly items: readonly unknown[];
}

/** Must be called before any other function changes the transport. */
export function shortenPages(transport: Transport, server: string): void {
  const send = transport.send.bind(transport);
  const isFrom = randomUUID();
  const asked = new LruMap<string>(MAX_LISTS);
  const rests = new LruMap<Rest>(MAX_LISTS);
  const pages = new Map<string, number>();
  let made = 0;

  /** The first part of it; the client asks for the others by a cursor of ours. */
  const shortened = ({ page, field, items }: Rest): Page => {
    const count = countOf(items);
    if (count === items.length) return { ...page, [field]: items };
    const nextCursor = `${isFrom} ${made++}`;
    rests.set(nextCursor, { page, field, items: items.slice(count) });
    return { ...page, [field]: items.slice(0, count), nextCursor };
  };

  transport.onmessage = (message) => {
    if ('method' in message || message.id === undefined) return;
    const field = asked.get(keyOf(message.id));
    if (field === undefined) return;
    asked.delete(keyOf(message.id));
    const answer = message as { result?: Page; error?: unknown };
    const items = answer.result?.[field];
    if (!answer.result || !Array.isArray(items)) return;
    if (items.some((item) => valuesIn(item, MAX_DEFINITION_VALUES) > MAX_DEFINITION_VALUES)) {
      delete answer.result;
      answer.error = TOO_MANY_VALUES;
    } else answer.result = shortened({ page: answer.result, field, items });
  };

  transport.send = (message, options) => {
    const request = listRequest(message);
    if (!request) return send(message, options);
    const { id, method, field, cursor } = request;
    const rest = cursor === undefined ? undefined : rests.get(cursor);
    if (cursor !== undefined && rest) {
      rests.delete(cursor);
      setImmediate(() => transport.onmessage?.({ jsonrpc: '2.0', id, result: shortened(rest) }));
      return Promise.resolve();
    }
    const count = cursor === undefined ? 1 : (pages.get(method) ?? 0) + 1;
    pages.set(method, count);
    if (count > MAX_PAGES)
      return Promise.reject(
        failure('too_many_pages', {
          server,
          hint: `Its answer to ${method} has more than ${MAX_PAGES} pages.`,
        }),
      );
    asked.set(keyOf(id), field);
    return send(message, options);
  };
}

function keyOf(id: string | number): string {
  return `${typeof id} ${id}`;
}

function listRequest(message: JSONRPCMessage) {
  const field = 'method' in message ? LISTS.get(message.method) : undefined;
  if (field === undefined || !('method' in message) || !('id' in message)) return undefined;
  const cursor = message.params?.cursor;
  return {
    id: message.id,
    method: message.method,
    field,
    cursor: typeof cursor === 'string' ? cursor : undefined,
  };
}

/** How many of the definitions make a page: at least one. */
function countOf(items: readonly unknown[]): number {
  let left = PAGE_VALUES;
  const end = items.findIndex((item, at) => {
    left -= valuesIn(item, PAGE_VALUES);
    return left < 0 && at > 0;
  });
  return end < 0 ? items.length : end;
}

/** Counts no further than to one more than `most`. */
function valuesIn(value: unknown, most: number): number {
  let count = 0;
  const waiting: unknown[] = [value];
  while (waiting.length > 0 && count <= most) {
    const next = waiting.pop();
    count++;
    if (typeof next === 'object' && next !== null)
      for (const inner of Object.values(next)) waiting.push(inner);
  }
  return count;
}
