/** What happens where no rule says anything: by permission mode, class and trust. */
import type { ActionClass, Outcome, PermissionMode, Trust } from '../types.ts';

type ByTrust = Readonly<Record<Exclude<Trust, 'blocked'>, Outcome>>;
export type Matrix = Readonly<Record<PermissionMode, Readonly<Record<ActionClass, ByTrust>>>>;

const never: ByTrust = { untrusted: 'deny', reviewed: 'deny', trusted: 'deny' };
const reading: ByTrust = { untrusted: 'ask', reviewed: 'allow', trusted: 'allow' };
const writing: ByTrust = { untrusted: 'ask', reviewed: 'ask', trusted: 'allow' };
const destroying: ByTrust = { untrusted: 'deny', reviewed: 'ask', trusted: 'ask' };

export const DEFAULT_MATRIX: Matrix = {
  'read-only': { read_only: reading, local_write: never, external: never, destructive: never },
  ask: {
    read_only: reading,
    local_write: writing,
    external: { untrusted: 'ask', reviewed: 'ask', trusted: 'ask' },
    destructive: destroying,
  },
  auto: {
    read_only: reading,
    local_write: writing,
    external: { untrusted: 'ask', reviewed: 'ask', trusted: 'allow' },
    destructive: destroying,
  },
};
