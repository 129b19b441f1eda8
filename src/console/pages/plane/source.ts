/** What the pages about governed servers stand on. */

import type { Decider } from '../../../governance/decider.ts';
import { V1_GAPS } from '../../../governance/manifest.ts';
import type { Plane } from '../../../governance/plane.ts';
import type { ServerReview } from '../../../governance/posture.ts';
import { isConsent } from '../../../governance/score.ts';
import { type Html, html } from '../../../shared/html.ts';
import { printable } from '../../../shared/printable.ts';
import { linkTo, type Viewer } from '../../page.ts';

export interface PlaneSource {
  readonly plane: Plane;
  /** Why a server could not be asked when it was last tried; undefined when it was, or never tried. */
  failureOf(server: string): Error | undefined;
  /** Definitions were accepted, so that clients may be offered others. */
  refresh(): void;
}

export const SERVERS_PATH = '/console/servers';
export const SERVER_PATH = '/console/server';
export const APPROVALS_PATH = '/console/approvals';
export const APPROVAL_PATH = '/console/approval';
export const AUDIT_PATH = '/console/audit';

/** A person in approvals, pins and the audit log. */
export function deciderOf({ user }: Viewer): Decider {
  return { by: `console:${user}`, via: 'page' };
}

/** Links between the pages about governed servers. */
export async function planeLinks({ plane }: PlaneSource, current: string): Promise<Html> {
  const waiting = (await plane.approvals.list({ state: 'pending' })).length;
  const entries = [
    [SERVERS_PATH, 'Servers'],
    [APPROVALS_PATH, waiting === 0 ? 'Approvals' : `Approvals (${waiting})`],
    [AUDIT_PATH, 'Audit log'],
  ] as const;
  return html`<nav aria-label="Governed servers" class="tabs">${entries.map(
    ([path, label]) => html`<a href="${path}"${path === current && html` aria-current="page"`}>${label}</a>`,
  )}</nav>`;
}

interface Standing {
  readonly label: string;
  readonly isBad: boolean;
  /** Why, and the next step. */
  readonly reason?: string;
}

/** In one or two words, whether a server can be used. */
export function standingOf(review: ServerReview, failure: Error | undefined, serversKey: string): Standing {
  const { server, rejections, entries, seenAt } = review;
  const [first] = rejections;
  if (!server.enabled)
    return {
      label: 'not enabled',
      isBad: false,
      reason: `To use it, set enabled: true for it under ${serversKey} in the configuration, and start Quire again.`,
    };
  if (review.isSwitchedOff) return { label: 'switched off', isBad: false, reason: first?.reason };
  if (server.trust === 'blocked') return { label: 'blocked', isBad: true, reason: 'Its trust is blocked.' };
  if (first && isConsent(first))
    return {
      label: 'needs consent',
      isBad: true,
      reason: `${first.reason} It is client_consent under ${serversKey} in the configuration; start Quire again after the change.`,
    };
  if (first) return { label: 'blocked', isBad: true, reason: `${first.code}: ${first.reason}` };
  if (failure) return { label: 'not reached', isBad: true, reason: printable(failure.message, 500) };
  const open = entries.filter(({ state }) => state !== 'approved').length;
  if (open > 0) {
    const what = `${open} ${open === 1 ? 'definition is' : 'definitions are'} not accepted`;
    return { label: 'needs review', isBad: true, reason: `${what}, and not offered to assistants.` };
  }
  return seenAt === undefined
    ? { label: 'not listed yet', isBad: false, reason: 'Nothing is known of what it offers.' }
    : { label: 'ready', isBad: false, reason: oldSignature(review) };
}

function oldSignature({ server, manifest }: ServerReview): string | undefined {
  if (manifest !== 'verified_v1') return undefined;
  return `It is ${V1_GAPS}. Sign it again: quire mcp manifest ${server.name} --sign --write`;
}

export function badgeOf({ label, isBad }: Pick<Standing, 'label' | 'isBad'>): Html {
  return html`<span class="badge${isBad && ' bad'}">${label}</span>`;
}

export function serverLink(name: string): Html {
  return html`<a href="${linkTo(SERVER_PATH, { name })}">${printable(name, 100)}</a>`;
}
