/**
 * Bounds what the SDK's client checks in one go, which would hold every other call: a long page of definitions reaches it
 * as several short ones, and a message of too many parts not at all. What does not fit its schema costs most, because the
 * client notes each fault of each part. Pages of a server are counted here, since the client sees more of them.
 */
import { randomUUID } from 'node:crypto';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { LruMap } from '../shared/memoize.ts';
import { recordOf } from '../shared/records.ts';
import { refuse, TOO_MANY_PARTS } from './calls.ts';
import { failure } from './failure.ts';

/** The requests for lists, and where their answers have the definitions. */
const LISTS: ReadonlyMap<string, string> = new Map([
  ['tools/list', 'tools'],
  ['resources/list', 'resources'],
  ['resources/templates/list', 'resourceTemplates'],
  ['prompts/list', 'prompts'],
]);

const MAX_PAGES = 50;
/** A part of a message costs about what the client takes to check it: a thousand are some ten milliseconds. */
const MAX_COST = 4_000;
const MAX_PAGE_COST = 2_000;
/** What a value costs more in a list. */
const COST_OF_ITEM = 7;
/** No honest definition costs more. */
const MAX_DEFINITION_COST = 5_000;
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
export function boundChecks(transport: Transport, server: string): void {
  const send = transport.send.bind(transport);
  const isFrom = randomUUID();
  const asked = new LruMap<string>(MAX_LISTS);
  const rests = new LruMap<Rest>(MAX_LISTS);
  const pages = new Map<string, number>();
  const own = new WeakSet<JSONRPCMessage>();
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
    if (own.has(message)) return;
    const key = 'id' in message && !('method' in message) ? keyOf(message.id) : undefined;
    const field = key === undefined ? undefined : asked.get(key);
    const { result } = message as { result?: Page };
    const items = field === undefined ? undefined : result?.[field];
    if (key !== undefined) asked.delete(key);
    if (field === undefined || !result || !Array.isArray(items)) {
      if (costOfMessage(message) > MAX_COST) refuse(message, TOO_MANY_PARTS);
    } else if (items.some((item) => costOf(item, MAX_DEFINITION_COST) > MAX_DEFINITION_COST))
      refuse(message, TOO_MANY_PARTS);
    else Object.assign(message, { result: shortened({ page: result, field, items }) });
  };

  transport.send = (message, options) => {
    const request = listRequest(message);
    if (!request) return send(message, options);
    const { id, method, field, cursor } = request;
    const rest = cursor === undefined ? undefined : rests.get(cursor);
    if (cursor !== undefined && rest) {
      rests.delete(cursor);
      const answer: JSONRPCMessage = { jsonrpc: '2.0', id, result: shortened(rest) };
      own.add(answer);
      setImmediate(() => transport.onmessage?.(answer));
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

function keyOf(id: unknown): string {
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
  let left = MAX_PAGE_COST;
  const end = items.findIndex((item, at) => {
    left -= COST_OF_ITEM + costOf(item, MAX_PAGE_COST);
    return left < 0 && at > 0;
  });
  return end < 0 ? items.length : end;
}

/** Of these the client looks at the names alone. */
const UNCHECKED: readonly string[] = ['structuredContent', '_meta', 'data'];
const BLOCKS: readonly string[] = ['content', 'contents', 'messages'];

function costOfMessage(message: JSONRPCMessage): number {
  const { result, params } = message as { result?: unknown; params?: unknown };
  let cost = 0;
  for (const [name, value] of Object.entries({ ...recordOf(result), ...recordOf(params) })) {
    if (UNCHECKED.includes(name)) continue;
    if (!BLOCKS.includes(name) || !Array.isArray(value)) cost += costOf(value, MAX_COST);
    else for (const block of value) cost += costOfBlock(block);
    if (cost > MAX_COST) break;
  }
  return cost;
}

const LINK_FIELDS: readonly string[] = ['type', 'uri', 'name', 'title', 'description', 'mimeType'];

/** The two kinds of which an answer may have many; where they are what they should be, they are checked quickly. */
function costOfBlock(block: unknown): number {
  const { type, text, ...rest } = recordOf(block);
  const names = Object.keys(rest);
  if (type === 'text' && typeof text === 'string' && names.length === 0) return 1;
  const isLink = type === 'resource_link' && text === undefined;
  if (isLink && names.every((name) => LINK_FIELDS.includes(name) && typeof rest[name] === 'string')) return 8;
  return COST_OF_ITEM + costOf(block, MAX_COST);
}

/** Each value costs one, that of a list more. Counts hardly further than to `most`. */
function costOf(value: unknown, most: number): number {
  let cost = 0;
  const waiting: unknown[] = [value];
  while (waiting.length > 0 && cost <= most) {
    const next = waiting.pop();
    cost++;
    if (typeof next !== 'object' || next === null) continue;
    if (Array.isArray(next)) cost += next.length * COST_OF_ITEM;
    for (const inner of Object.values(next)) waiting.push(inner);
  }
  return cost;
}
