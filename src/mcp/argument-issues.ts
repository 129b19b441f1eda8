/** What is wrong with the arguments of a call, one by one: the cause of the error, for surfaces that list them. */
import type * as z from 'zod';

export class ArgumentIssues extends Error {
  readonly tool: string;
  readonly issues: readonly z.core.$ZodIssue[];

  constructor(tool: string, issues: readonly z.core.$ZodIssue[]) {
    super(`${issues.length} in the arguments of ${tool}`);
    this.name = 'ArgumentIssues';
    this.tool = tool;
    this.issues = issues;
  }
}

/** By its shape: the program is bundled in parts, and the class is another in each. */
export function argumentIssuesOf(error: { readonly cause?: unknown }): ArgumentIssues | undefined {
  const { cause } = error;
  return cause instanceof Error && cause.name === 'ArgumentIssues' ? (cause as ArgumentIssues) : undefined;
}
