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

/** For requests that are not tool calls. */
export function problemOf(error: unknown): unknown {
  if (!isAppError(error)) return error;
  return new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    error.hint ? `${error.message}. ${error.hint}` : error.message,
  );
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
