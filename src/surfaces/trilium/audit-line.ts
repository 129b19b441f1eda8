/** The operator's lines: which tool, how long, and how it ended; for debugging also the shape of what it was given. */
import type { AnnouncedCall, AuditedCall, AuditLine, Caller } from '../../mcp/tool.ts';
import { isSecretName, summarizeArguments } from '../../shared/redact.ts';
import { classOf } from './render-error.ts';

const LONGEST_NAME = 100;

export function auditLine({ tool, milliseconds, error, cancelled, ...caller }: AuditedCall): AuditLine {
  const kind = error ? classOf(error) : cancelled && 'unknown';
  return {
    level: 'info',
    message: 'tool_call',
    fields: {
      ...sessionOf(caller),
      tool: tool.slice(0, LONGEST_NAME),
      duration_ms: Math.round(milliseconds),
      ok: kind === undefined,
      ...(kind && { error: kind }),
      ...(error?.upstream && { status: error.upstream.status }),
      ...(error?.upstream?.code !== undefined && { code: error.upstream.code }),
      ...principalOf(caller),
    },
  };
}

export function callingLine({ tool, args, ...caller }: AnnouncedCall): AuditLine {
  return {
    level: 'debug',
    message: 'tool_call_args',
    fields: {
      ...sessionOf(caller),
      tool: tool.slice(0, LONGEST_NAME),
      args: summarizeArguments(withoutSecretValue(args)),
      ...principalOf(caller),
    },
  };
}

export function listingLine(count: number, caller: Caller): AuditLine {
  const fields = { ...sessionOf(caller), count, ...principalOf(caller) };
  return { level: 'info', message: 'list_tools', fields };
}

function sessionOf({ session }: Caller): { session?: string } {
  return session === undefined ? {} : { session };
}

/** Where everybody may call, nobody is known. */
function principalOf({ principal }: Caller): { principal?: string } {
  return principal === undefined || principal.kind === 'anonymous' ? {} : { principal: principal.id };
}

/** An attribute can be a secret too: then its name says so, and its value is one. */
function withoutSecretValue(args: unknown): unknown {
  const { name, value, ...rest } = (args ?? {}) as Record<string, unknown>;
  return typeof name === 'string' && value !== undefined && isSecretName(name) ? { ...rest, name } : args;
}
