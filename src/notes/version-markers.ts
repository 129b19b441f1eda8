/**
 * The numbers callers prove with that they have seen a page: its time of change, given out together with its
 * text. What each stood for is remembered, so that the number alone is never believed for a page that is known:
 * clocks tick coarsely, times repeat, and a number may come from elsewhere.
 */
import type { NotePath } from './path.ts';
import type { WrittenNote } from './store.ts';

export type MarkerVerdict =
  /** It was given out here, for this version. */
  | { readonly kind: 'issued'; readonly version: string }
  /** The page is known, to whomever, and this caller was not given the number. */
  | { readonly kind: 'foreign' }
  /** Nothing was given out for this page, as after a restart. */
  | { readonly kind: 'unknown' };

const MOST = 10_000;

export class VersionMarkers {
  readonly #most: number;
  /** Oldest first. */
  readonly #issued = new Map<string, { readonly path: NotePath; readonly version: string }>();
  readonly #perPage = new Map<NotePath, number>();

  constructor(most: number = MOST) {
    this.#most = most;
  }

  get size(): number {
    return this.#issued.size;
  }

  /** The number for a page as `caller` has just seen it: another one for another text, also within one tick. */
  issue(caller: string, seen: Pick<WrittenNote, 'path' | 'lastModified' | 'version'>): number {
    const { path, version } = seen;
    let marker = seen.lastModified;
    while ((this.#issued.get(keyOf(caller, path, marker))?.version ?? version) !== version) marker++;
    const key = keyOf(caller, path, marker);
    if (!this.#issued.delete(key)) this.#perPage.set(path, (this.#perPage.get(path) ?? 0) + 1);
    this.#issued.set(key, { path, version });
    this.#forgetOldest();
    return marker;
  }

  judge(caller: string, path: NotePath, marker: number): MarkerVerdict {
    const issued = this.#issued.get(keyOf(caller, path, marker));
    if (issued) return { kind: 'issued', version: issued.version };
    return { kind: this.#perPage.has(path) ? 'foreign' : 'unknown' };
  }

  #forgetOldest(): void {
    for (const [key, { path }] of this.#issued) {
      if (this.#issued.size <= this.#most) return;
      this.#issued.delete(key);
      const left = (this.#perPage.get(path) ?? 1) - 1;
      if (left > 0) this.#perPage.set(path, left);
      else this.#perPage.delete(path);
    }
  }
}

function keyOf(caller: string, path: NotePath, marker: number): string {
  return JSON.stringify([caller, path, marker]);
}
