/**
 * Who decides at the command line. What gives a server or a call more than it had needs a person who answers a question
 * on a terminal, or a program with a key whose hash is in the configuration; a pipe alone is neither.
 */
import { hash, timingSafeEqual } from 'node:crypto';
import { resolve } from 'node:path';
import type { ControlPlane } from '../../config/control-plane.ts';
import type { Decider } from '../../governance/decider.ts';
import { readNamedFile } from '../../governance/files.ts';
import { fromHome } from '../../shared/fs/folder.ts';
import type { McpCall, McpOption } from './command.ts';
import { McpFailure } from './exit.ts';
import { operatorName, systemUser } from './plane.ts';

export const KEY_FILE: McpOption = {
  flag: '--key-file <file>',
  description: 'without a terminal: a key of mcp_approval_keys (also QUIRE_APPROVAL_KEY)',
};

type Keys = Pick<ControlPlane, 'approvalKeys'>;

const MAX_KEY_BYTES = 4_096;
const MIN_KEY = 16;

/** For a decision that only takes away. */
export function unconfirmed({ canConfirm }: Pick<McpCall, 'canConfirm'>): Decider {
  return { ...operator(), via: canConfirm ? 'terminal' : 'command' };
}

/** The question ends without a mark: what may be answered is added to it. */
export async function confirmed(call: McpCall, config: Keys, question: string): Promise<Decider> {
  const key = await keyGiven(call, config);
  if (key !== undefined) return { ...operator(), via: 'automation', key };
  await assertPerson(call, config);
  const said = await call.ask(`${question} [y/N] `);
  if (/^\s*y(?:es)?\s*$/i.test(said ?? '')) return { ...operator(), via: 'terminal' };
  throw new McpFailure('approval_needed', { message: 'Not confirmed, so nothing was changed' });
}

/** Throws where nobody can confirm. */
export async function assertPerson(call: McpCall, config: Keys): Promise<void> {
  if (call.canConfirm || (await keyGiven(call, config)) !== undefined) return;
  throw new McpFailure('blocked', {
    message: 'This needs a person at a terminal: input and output are not both one',
    code: 'person_needed',
    hint: 'Run it in a terminal, without --json, a pipe or a redirection; or answer in the console. A program needs a key: quire mcp approvals keygen makes one, its hash goes into mcp_approval_keys, and the program gives it with --key-file or QUIRE_APPROVAL_KEY.',
  });
}

function operator(): Pick<Decider, 'by' | 'uid'> {
  const { uid } = systemUser();
  return { by: operatorName(), ...(uid !== undefined && { uid }) };
}

/** The name of the key that was given; undefined without one. */
async function keyGiven(
  { options, environment, workingFolder }: McpCall,
  { approvalKeys }: Keys,
): Promise<string | undefined> {
  const { keyFile } = options;
  const text =
    typeof keyFile === 'string'
      ? (
          await readNamedFile(resolve(workingFolder, fromHome(keyFile)), MAX_KEY_BYTES, 'the key file')
        ).toString()
      : environment.QUIRE_APPROVAL_KEY;
  const key = text?.trim();
  if (!key) return undefined;
  const given = Buffer.from(hashOfKey(key));
  // All are compared, so that the time tells nothing about which one fits.
  const names = Object.entries(approvalKeys)
    .filter(([, wanted]) => timingSafeEqual(given, Buffer.from(wanted)))
    .map(([name]) => name);
  if (names[0] !== undefined && key.length >= MIN_KEY) return names[0];
  throw new McpFailure('blocked', {
    message: 'This key may not approve',
    code: 'person_needed',
    hint:
      key.length < MIN_KEY
        ? `A key has ${MIN_KEY} characters or more: quire mcp approvals keygen makes one.`
        : 'Its hash is not in mcp_approval_keys of the configuration.',
  });
}

/** As it stands in the configuration. */
export function hashOfKey(key: string): string {
  return `sha256:${hash('sha256', key)}`;
}
