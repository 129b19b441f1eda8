/** One Trilium: how it was set up, what it holds, and how it is made to misbehave. */
import type { Database } from './database.ts';

/** The fate of one request instead of an answer. `applies` says whether it was carried out all the same. */
export type Fate =
  | { readonly kind: 'reset'; readonly applies: boolean }
  | { readonly kind: 'status'; readonly status: number; readonly applies: boolean }
  | { readonly kind: 'redirect'; readonly to: string }
  /** Stopped: the request is taken and answered when the process goes on. */
  | { readonly kind: 'frozen'; readonly until: Promise<unknown> }
  /** The answer breaks off in the middle. */
  | { readonly kind: 'half' }
  | { readonly kind: 'html' };

export interface Faults {
  /** How long an answer takes on its way. */
  latencyMs: () => number;
  fate: (request: { method: string; path: string }) => Fate | undefined;
  /** Called when a request has been carried out, before its answer is sent: the moment others act in. */
  after: (request: { method: string; path: string }) => void;
}

export interface Trilium {
  readonly db: Database;
  readonly version: string;
  readonly startedMs: number;
  isAtLeast(version: string): boolean;
  readonly password: string;
  readonly tokens: Set<string>;
  /** No token is asked for, as with `General.noAuthentication`. */
  readonly isOpen: boolean;
  readonly faults: Faults;
  /** Failed and successful tries to log in, within the window. */
  loginTries: number;
  /** Looks at a note's new content some time after it was saved. */
  later(noteId: string): void;
}

/** `0.102.0` and so on, by their numbers. */
export function isAtLeast(version: string, wanted: string): boolean {
  const [mine, other] = [version, wanted].map((text) =>
    text.split('.').map((part) => Number.parseInt(part, 10)),
  );
  for (const at of [0, 1, 2]) {
    const difference = (mine?.[at] ?? 0) - (other?.[at] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return true;
}
