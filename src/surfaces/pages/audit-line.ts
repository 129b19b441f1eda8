/** The operator's lines: `[WRITE] tool=… page=…` for what was changed, `[ERROR] tool=… code=… page=…` for what failed. */
import type { AuditedCall, AuditLine } from '../../mcp/tool.ts';
import { kindOf } from './render-error.ts';

const LONGEST_NAME = 200;

export function auditLine({ tool, effect, args, facts, error }: AuditedCall): AuditLine | undefined {
  if (error)
    return {
      level: 'warn',
      message: '[ERROR]',
      fields: { tool, code: kindOf(error).error, page: pageIn(args) },
    };
  if (effect === 'read' || facts === undefined) return undefined;
  return { level: 'info', message: '[WRITE]', fields: { tool, ...facts } };
}

/** As the caller gave it, which may be anything. */
function pageIn(args: unknown): string {
  const { page, from, path } = (args ?? {}) as Record<string, unknown>;
  const name = [page, from, path].find((value) => typeof value === 'string');
  return typeof name === 'string' ? name.slice(0, LONGEST_NAME).toWellFormed() : '-';
}
