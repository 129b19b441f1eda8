/** Errors as results of a tool call, and as errors of the protocol for other requests. */
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type * as z from 'zod';
import { type AppError, isAppError } from '../shared/errors.ts';
import type { CallResult } from './tool.ts';

/** First line: the message. Second line: the next step. */
export function plainResult({ message, hint }: Pick<AppError, 'message' | 'hint'>): CallResult {
  const text = hint === undefined ? `Error: ${message}` : `Error: ${message}\n${hint}`;
  return { content: [{ type: 'text', text }], isError: true };
}

export function problemOf(error: unknown): unknown {
  if (!isAppError(error)) return error;
  return new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    error.hint ? `${error.message}. ${error.hint}` : error.message,
  );
}

/** What the SDK has to say about a message, without the message, which it likes to repeat: notes may be in there. */
const LONGEST = 200;

export function protocolProblem({ name, message }: Error): string {
  return message.replace(/:?\s*[[{"][\s\S]*$/, '').slice(0, LONGEST) || name;
}

/** What is wrong with the arguments of a call, one by one: the cause of the error, for surfaces that list them. */

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
