/**
 * Which of our random ids stands for which of the recorded ones. An id is bound where the two are first compared,
 * one to one; from then on it has to be that one everywhere. Times of the recording are compared by their form.
 */
import { expect } from 'vitest';

const ID = /(?<![A-Za-z0-9])(?:[A-Za-z0-9]{12}|[A-Za-z0-9]{10})(?![A-Za-z0-9])/g;
const TIME = /\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d\.\d{3}(?:Z|\+0000)/g;
const SECONDS = /\b1[78]\d{8}\b/g;
/** Of a shortened row or list: the rest of it is not in the recording. */
const REST = '…';
const NOT_COMPARED = ['dataDirectory', 'totalBlobs'];

export class Bindings {
  /** Whether the content of the next answer's note names random ids, so that its hash is another one. */
  hasOurIds = false;
  readonly #actual = new Map<string, string>();
  readonly #recorded = new Map<string, string>();

  /** The text to send where the recording sent this one. */
  actual(text: string): string {
    const replaced = text.replace(ID, (id) => this.#actual.get(id) ?? id);
    return replaced.replace('<NEW_TOKEN>', (token) => this.#actual.get(token) ?? token);
  }

  unify(recorded: unknown, actual: unknown, at = ''): void {
    if (typeof recorded === 'string' && typeof actual === 'string') this.#unifyText(recorded, actual, at);
    else if (Array.isArray(recorded) && Array.isArray(actual)) this.#unifyLists(recorded, actual, at);
    else if (isObject(recorded) && isObject(actual)) this.#unifyObjects(recorded, actual, at);
    else expect(actual, at).toEqual(recorded);
  }

  #unifyLists(recorded: readonly unknown[], actual: readonly unknown[], at: string): void {
    const last = recorded.at(-1);
    const cut =
      isObject(last) && typeof last[REST] === 'string' ? /^(\d+) rows/.exec(last[REST])?.[1] : undefined;
    const shown = cut === undefined ? recorded : recorded.slice(0, -1);
    expect(actual.length, `${at} length`).toBe(cut === undefined ? recorded.length : Number(cut));
    for (const [index, one] of shown.entries()) this.unify(one, actual[index], `${at}[${index}]`);
  }

  #unifyObjects(recorded: Record<string, unknown>, actual: Record<string, unknown>, at: string): void {
    const isShortened = REST in recorded;
    const keys = Object.keys(recorded).filter((key) => key !== REST);
    if (!isShortened) expect(Object.keys(actual), `${at} keys`).toEqual(keys);
    for (const key of keys)
      if (!NOT_COMPARED.includes(key)) this.unify(recorded[key], actual[key], `${at}.${key}`);
  }

  #unifyText(recorded: string, actual: string, at: string): void {
    const isOfOurIds = this.hasOurIds && at.endsWith('.blobId');
    if (recorded === '<NEW_TOKEN>' || isOfOurIds) this.#bind(recorded, actual, at);
    else this.#unifyWords(recorded, actual, at);
  }

  #unifyWords(recorded: string, actual: string, at: string): void {
    const [wanted, got] = [recorded, actual].map((text) =>
      text
        .replace(/^(trilium_blobs_total) \d+$/m, '$1 n')
        .replace(TIME, 'time')
        .replace(SECONDS, 'seconds'),
    );
    if (wanted === undefined || got === undefined || wanted === got) return;
    expect(got.replace(ID, 'id'), at).toBe(wanted.replace(ID, 'id'));
    const [ids, ours] = [wanted.match(ID) ?? [], got.match(ID) ?? []];
    for (const [index, id] of ids.entries()) this.#bind(id, ours[index] ?? '', at);
  }

  #bind(recorded: string, actual: string, at: string): void {
    const before = this.#actual.get(recorded) ?? actual;
    expect([before, this.#recorded.get(actual) ?? recorded], `${at} id`).toEqual([actual, recorded]);
    this.#actual.set(recorded, actual);
    this.#recorded.set(actual, recorded);
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
