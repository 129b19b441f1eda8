/**
 * What changed in the configuration since it was last used: rules, servers, consents, switches and waivers. It is noticed
 * before the first record of a process, so that the log has the change before anything that happens under it.
 */
import * as z from 'zod';
import type { ControlPlane, UpstreamServer } from '../../config/control-plane.ts';
import { printable } from '../../shared/printable.ts';
import type { ChainSeal } from '../../state/chain-seal.ts';
import { maskSecrets } from '../catalog/scan/shadowing.ts';
import { canonicalJson, digestOf } from '../digest.ts';
import { filesOf, type PlaneFiles } from '../server-file.ts';
import type { AuditEvent } from './audit.ts';

/** Digests of the parts of the policy, and the words of those a person decides. */
type Parts = Readonly<Record<string, string>>;

const MAX_BYTES = 4 * 1024 * 1024;
const MAX_CHANGES = 40;
/** Not a part of the policy: places, the model, the catalogue. */
const LEFT_OUT = ['servers', 'serversKey', 'configFolder', 'configFile', 'stateDir', 'llm', 'marketplace'];
const seenSchema = z.strictObject({ parts: z.record(z.string(), z.string()), mac: z.string() });
const BY = { by: 'configuration', via: 'configuration' } as const;

interface NoticeOptions extends Pick<PlaneFiles, 'files'> {
  readonly config: ControlPlane;
  /** Parts that this process changes by a decision with a record of its own. */
  readonly decided?: readonly string[];
  readonly seal: () => Promise<ChainSeal | undefined>;
}

export function openNotices({ config, files, seal, decided = [] }: NoticeOptions) {
  const file = filesOf({ folder: config.stateDir, files }).open('policy-seen.json', {
    parse: (value) => seenSchema.parse(value),
    empty: { parts: {}, mac: '' },
    maxBytes: MAX_BYTES,
  });
  const macOf = async (parts: Parts) =>
    (await seal())?.key.sign(`quire policy\n${canonicalJson(parts)}`) ?? '';
  const now = partsOf(config);
  const keep = async () => {
    const value = { parts: now, mac: await macOf(now) };
    await file.update(() => ({ value, result: undefined }));
  };
  return {
    keep,
    /** To be recorded, and then kept. */
    async changes(isNewLog: () => Promise<boolean>): Promise<AuditEvent[]> {
      // A file that cannot be read or has another seal tells nothing: everything counts as changed.
      const seen = await file.read().catch(() => undefined);
      const isOurs = seen !== undefined && (await macOf(seen.parts)) === seen.mac;
      const before = isOurs ? withNew(decided, seen.parts, now) : {};
      if (canonicalJson(before) === canonicalJson(now)) {
        if (decided.length > 0) await keep();
        return [];
      }
      const isFirst = await isNewLog();
      const events = eventsOf(isFirst ? undefined : before, now, config);
      // Other processes that begin just now find it known.
      if (events.length === 0) await keep();
      return events;
    },
  };
}

/** As before, but with these parts as they are now. */
function withNew(parts: readonly string[], before: Parts, now: Parts): Parts {
  return Object.fromEntries([
    ...Object.entries(before).filter(([part]) => !parts.includes(part)),
    ...Object.entries(now).filter(([part]) => parts.includes(part)),
  ]);
}

export function partsOfServer(name: string): string[] {
  return ['server', 'consent', 'enabled', 'waiver'].map((what) => `${what} ${name}`);
}

function partsOf(config: ControlPlane): Parts {
  const settings = Object.entries(config).filter(([name]) => !LEFT_OUT.includes(name));
  return Object.fromEntries([
    ...settings.map(([name, value]) => [name, digestOf(plain(value))]),
    ...config.servers.flatMap((server) => {
      const { clientConsent, enabled, ...rest } = server;
      return [
        [`server ${server.name}`, digestOf(plain(rest))],
        [`consent ${server.name}`, clientConsent],
        [`enabled ${server.name}`, enabled ? 'on' : 'off'],
        ...(waiverOf(server) ? [[`waiver ${server.name}`, digestOf(waiverOf(server))]] : []),
      ];
    }),
  ]);
}

/** `before` is undefined for the first use of a state folder: then only waivers are told. */
function eventsOf(before: Parts | undefined, now: Parts, { servers }: ControlPlane): AuditEvent[] {
  const differs = (part: string) => before?.[part] !== now[part];
  const events: AuditEvent[] = [];
  if (before) {
    const changed = [...new Set([...Object.keys(before), ...Object.keys(now)])].filter(differs).sort();
    const isKnown = Object.keys(before).length > 0;
    const words = isKnown
      ? changed.map((part) => (part in now ? (part in before ? part : `${part} added`) : `${part} removed`))
      : ['nothing is known of the policy before'];
    events.push({
      event: 'policy_changed',
      digest: digestOf(now),
      ...(isKnown && { before: digestOf(before) }),
      changes: words.slice(0, MAX_CHANGES).map((word) => printable(word, 100)),
      ...BY,
    });
    for (const { name: server, clientConsent, enabled } of servers) {
      const [consent, isOn] = [before[`consent ${server}`], before[`enabled ${server}`]];
      if (consent !== undefined && consent !== clientConsent)
        events.push({ event: 'consented', server, outcome: clientConsent, ...BY });
      if (isOn !== undefined && isOn !== (enabled ? 'on' : 'off'))
        events.push({ event: 'switched', server, outcome: enabled ? 'on' : 'off', ...BY });
    }
  }
  for (const server of servers) {
    const waiver = waiverOf(server);
    if (waiver && differs(`waiver ${server.name}`))
      events.push({ event: 'waived', server: server.name, waiver, ...BY });
  }
  return events;
}

/** As it is written, without secrets and bounded. */
function waiverOf(server: UpstreamServer): Readonly<Record<string, string>> | undefined {
  const { sandboxWaiver: given } = server as UpstreamServer & { readonly sandboxWaiver?: unknown };
  if (given === undefined || given === null) return undefined;
  const fields = typeof given === 'object' ? Object.entries(given) : [['waiver', given]];
  return Object.fromEntries(
    fields.map(([name, value]) => [printable(String(name), 40), maskSecrets(printable(String(value), 300))]),
  );
}

/** Without what is undefined, which has no canonical form. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value ?? null));
}
