/** Errors as results of a tool call. No SDK here: the second brain, which is a bundle of its own, needs none. */
import type * as z from 'zod';
import type { AppError } from '../shared/errors.ts';
import type { CallResult } from './tool.ts';

/** First line: the message. Second line: the next step. */
export function plainResult({ message, hint }: Pick<AppError, 'message' | 'hint'>): CallResult {
  const text = hint === undefined ? `Error: ${message}` : `Error: ${message}\n${hint}`;
  return { content: [{ type: 'text', text }], isError: true };
}

const LONGEST = 200;

/** The SDK's description of a bad message without the message itself, which may contain notes. */
export function protocolProblem({ name, message }: Error): string {
  return message.replace(/:?\s*[[{"][\s\S]*$/, '').slice(0, LONGEST) || name;
}

/** The issues with the arguments of a call, as the cause of its error, for surfaces that list them. */
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

/** By name: the program is bundled in parts, and each has a class of its own. */
export function argumentIssuesOf(error: { readonly cause?: unknown }): ArgumentIssues | undefined {
  const { cause } = error;
  return cause instanceof Error && cause.name === 'ArgumentIssues' ? (cause as ArgumentIssues) : undefined;
}
