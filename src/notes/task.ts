/** A task in a note, as it stands there. */

/** How dates and the like are written in the text of a task. */
export type TaskForm = 'emoji' | 'dataview' | 'silverbullet' | 'plain';

export type Priority = 'highest' | 'high' | 'medium' | 'low' | 'lowest';

export interface Task {
  /** From the top of the page, counted from 1. */
  readonly line: number;
  /** The sign of its list: `-`, `*`, `+` or `1.`. */
  readonly bullet: string;
  /** The text in the brackets. */
  readonly state: string;
  readonly done: boolean;
  /** The text after the brackets, attributes and tags included. */
  readonly text: string;
  /** `2026-11-20`. */
  readonly due?: string;
  readonly scheduled?: string;
  readonly start?: string;
  /** The day on which it was done, as it says itself. */
  readonly doneOn?: string;
  readonly priority?: Priority;
  readonly owners?: readonly string[];
  /** How the owner is written; `name` for `@name`. */
  readonly ownerForm?: TaskForm | 'name';
  /** Such as `every week`. */
  readonly recurrence?: string;
  /** Absent when it has no such fields. */
  readonly form?: TaskForm;
  readonly tags: readonly string[];
  /** Where the state stands in the page. */
  readonly stateRange: { readonly start: number; readonly end: number };
}
