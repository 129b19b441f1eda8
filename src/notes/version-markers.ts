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
  /** The page is known, the number is not. */
  | { readonly kind: 'foreign' }
  /** Nothing was given out for this page, as after a restart. */
  | { readonly kind: 'unknown' };

const MOST = 10_000;

export class VersionMarkers {
  readonly #most: number;
  /** Oldest first. */
  readonly #versions = new Map<string, { readonly page: string; readonly version: string }>();
  readonly #perPage = new Map<string, number>();

  constructor(most: number = MOST) {
    this.#most = most;
  }

  get size(): number {
    return this.#versions.size;
  }

  /** The number for a page as `caller` has just seen it: another one for another text, also within one tick. */
  issue(
    caller: string,
    { path, lastModified, version }: Pick<WrittenNote, 'path' | 'lastModified' | 'version'>,
  ) {
    const page = JSON.stringify([caller, path]);
    let marker = lastModified;
    while ((this.#versions.get(keyOf(page, marker))?.version ?? version) !== version) marker++;
    const key = keyOf(page, marker);
    if (!this.#versions.delete(key)) this.#perPage.set(page, (this.#perPage.get(page) ?? 0) + 1);
    this.#versions.set(key, { page, version });
    this.#forgetOldest();
    return marker;
  }

  judge(caller: string, path: NotePath, marker: number): MarkerVerdict {
    const page = JSON.stringify([caller, path]);
    const issued = this.#versions.get(keyOf(page, marker));
    if (issued) return { kind: 'issued', version: issued.version };
    return { kind: this.#perPage.has(page) ? 'foreign' : 'unknown' };
  }

  #forgetOldest(): void {
    for (const [key, { page }] of this.#versions) {
      if (this.#versions.size <= this.#most) return;
      this.#versions.delete(key);
      const left = (this.#perPage.get(page) ?? 1) - 1;
      if (left > 0) this.#perPage.set(page, left);
      else this.#perPage.delete(page);
    }
  }
}

function keyOf(page: string, marker: number): string {
  return `${page}${marker}`;
}
