/** Who uses what other servers offer, and whether they may. */
import type { Exposure } from '../../governance/exposure.ts';
import type { Caller } from '../../mcp/tool.ts';
import { AppError } from '../../shared/errors.ts';
import { effectOf } from './definition.ts';

/** Where there is one caller only. */
const ONLY_CALLER = 'stdio';

export function whoCalls({ principal }: Caller): string {
  return principal?.id ?? ONLY_CALLER;
}

/** The gate asks for scopes by what was last listed; what is used unseen is checked here. */
export function mayUse({ principal }: Caller): (exposure: Exposure) => void {
  return (exposure) => {
    if (!principal) return;
    const needed = effectOf(exposure) === 'read' ? 'notes:read' : 'notes:write';
    if (principal.scopes.includes(needed) || principal.scopes.includes('notes:write')) return;
    throw new AppError('forbidden', `This needs the scope ${needed}`, { subject: exposure.name });
  };
}
