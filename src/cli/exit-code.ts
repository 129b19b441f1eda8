import type { ErrorCode } from '../shared/errors.ts';

/** What the shell sees: 2 for what the caller can mend, 1 for the rest. */
export function exitCodeOf(code: ErrorCode): number {
  switch (code) {
    case 'invalid_input':
    case 'not_found':
    case 'already_exists':
    case 'unsupported':
    case 'unauthorized':
    case 'forbidden':
    case 'read_only':
      return 2;
    case 'conflict':
    case 'approval_required':
    case 'rate_limited':
    case 'upstream_failed':
    case 'timeout':
    case 'internal':
      return 1;
  }
}
