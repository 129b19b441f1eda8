/** Consent: a person agrees that a server is used. It is `client_consent` of its entry, and a record of who decided it. */
import type { ControlPlane } from '../config/control-plane.ts';
import type { AuditRecord } from './audit/audit.ts';
import type { Plane } from './plane.ts';
import { serverPath, setInConfig } from './set-in-config.ts';
import type { Consent } from './types.ts';

type ConsentRecord = Extract<AuditRecord, { event: 'consented' }>;

/** The text of a configuration with the consent of one of its servers. */
export function withConsent(
  text: string,
  config: Pick<ControlPlane, 'servers' | 'serversKey'>,
  { name, consent }: { readonly name: string; readonly consent: Consent },
): Promise<string> {
  return setInConfig(text, [...serverPath(config, name), 'client_consent'], consent);
}

/** By server: the last record of its present consent. Servers whose consent nobody has changed have none. */
export async function lastConsents({
  audit,
  config,
}: Pick<Plane, 'audit' | 'config'>): Promise<ReadonlyMap<string, ConsentRecord>> {
  const wanted = new Map<string, Consent>(
    config.servers.map(({ name, clientConsent }) => [name, clientConsent]),
  );
  const found = new Map<string, ConsentRecord>();
  for await (const record of audit.readBack()) {
    if (wanted.size === 0) break;
    if (record.event !== 'consented') continue;
    if (wanted.get(record.server) === record.outcome) found.set(record.server, record);
    wanted.delete(record.server);
  }
  return found;
}
