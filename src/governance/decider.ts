/** Who made a decision, and how. */

/**
 * `terminal`: a question was answered there; `page`: in the console; `elicitation`: a form of the client;
 * `automation`: with a key of `mcp_approval_keys`; `command`: a command that only takes away, which needs no person;
 * `configuration`: by an edit of the file, noticed afterwards.
 */
export type DecidedVia = 'terminal' | 'page' | 'elicitation' | 'automation' | 'command' | 'configuration';

/** Recorded with every decision, with these names. */
export interface Decider {
  /** `cli:<user of the system>`, `console:<principal>`. */
  readonly by: string;
  readonly via: DecidedVia;
  /** Of the user of the system. */
  readonly uid?: number;
  /** The name of the automation key. */
  readonly key?: string;
}
