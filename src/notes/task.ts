/** A task in a note, as it stands there. */

export interface Task {
  /** From the top of the page, counted from 1. */
  readonly line: number;
  /** The text in the brackets. */
  readonly state: string;
  readonly done: boolean;
  /** The text after the brackets, attributes and tags included. */
  readonly text: string;
  /** `2026-11-20`. */
  readonly due?: string;
  readonly tags: readonly string[];
  /** Where the state stands in the page. */
  readonly stateRange: { readonly start: number; readonly end: number };
}
