/**
 * Everything that keeps a server from being started or reached, in one fixed order. All of it is collected, so that an
 * operator mends a server in one go; the first is the one shown. Nothing is started and no socket is opened here.
 */
import type { ControlPlane, UpstreamServer } from '../../config/control-plane.ts';
import type { Rejection } from '../../upstream/definition.ts';
import { judgeManifest } from '../manifest/verify.ts';
import { judgeArguments } from './arguments.ts';
import { judgeCommand, judgeEnvironment, judgeUrl } from './command-checks.ts';
import { type FoundCommand, findCommand, judgeFound, type Places } from './launch.ts';

type SafetyRules = Pick<ControlPlane, 'stdioAllowedCommands' | 'manifestKeys' | 'sandbox' | 'configFolder'>;

export interface HostFacts {
  /** The operator's `PATH`. */
  readonly searchPath: string;
  /** Whether a sandbox can be put around a server here. */
  readonly hasSandbox: boolean;
}

export interface Verdict {
  /** Empty for a server that may be used. */
  readonly rejections: readonly Rejection[];
  /** For stdio, where there is a file to start. */
  readonly found?: FoundCommand;
}

export async function judgeServer(
  server: UpstreamServer,
  plane: SafetyRules,
  host: HostFacts,
): Promise<Verdict> {
  if (server.transport === 'streamable_http')
    return { rejections: [...judgeUrl(server), ...judgeConsent(server)] };
  const { configFolder } = plane;
  const shape = judgeCommand(server.command);
  const file = await judgeFile(server.command, shape, { configFolder, searchPath: host.searchPath });
  const names = [server.command, file.found?.realPath].filter((name) => typeof name === 'string');
  return {
    rejections: [
      ...shape,
      ...judgeArguments(names, server.args),
      ...judgeEnvironment(server.env),
      ...judgeAllowlist(server, plane),
      ...file.rejections,
      ...judgeManifest(server, plane.manifestKeys),
      ...judgeSandbox(server, plane, host),
      ...judgeConsent(server),
    ],
    found: file.found,
  };
}

/** Both lists together: a command need only stand in one of them, but exactly as it is written. */
function judgeAllowlist(
  { command, stdioAllowedCommands }: UpstreamServer,
  plane: Pick<ControlPlane, 'stdioAllowedCommands'>,
): Rejection[] {
  const reviewed = [...plane.stdioAllowedCommands, ...stdioAllowedCommands];
  if (reviewed.length === 0)
    return [
      {
        code: 'no_reviewed_allowlist',
        reason:
          'No commands have been reviewed. List them in control_plane.mcp_stdio_allowed_commands or stdio_allowed_commands.',
      },
    ];
  if (typeof command !== 'string' || command === '' || reviewed.includes(command)) return [];
  return [
    {
      code: 'command_not_allowlisted',
      reason: 'command is not in the list of reviewed commands, exactly as it is written.',
    },
  ];
}

/** A malformed command is not searched for. */
async function judgeFile(command: unknown, shape: readonly Rejection[], places: Places): Promise<Verdict> {
  if (shape.length > 0 || typeof command !== 'string') return { rejections: [] };
  const found = await findCommand(command, places);
  if (found) return { rejections: await judgeFound(found), found };
  const where = command.includes('/') ? 'from the folder of the configuration' : 'in PATH';
  const reason = `No executable file of this name ${where}. Install it, or correct command.`;
  return { rejections: [{ code: 'command_not_found', reason }] };
}

const SANDBOX_PROFILES = ['restricted', 'readonly', 'network'] as const;
const NO_SANDBOX: readonly (string | undefined)[] = [undefined, '', 'disabled', 'none'];

function judgeSandbox(
  { sandboxProfile }: UpstreamServer,
  { sandbox }: Pick<ControlPlane, 'sandbox'>,
  { hasSandbox }: HostFacts,
): Rejection[] {
  const choice = `Set sandbox_profile to ${SANDBOX_PROFILES.join(', ')}.`;
  if (NO_SANDBOX.includes(sandboxProfile?.trim().toLowerCase()))
    return [{ code: 'sandbox_disabled', reason: `It would run without a sandbox. ${choice}` }];
  if (!SANDBOX_PROFILES.some((name) => name === sandboxProfile))
    return [{ code: 'sandbox_unknown', reason: `There is no such sandbox profile. ${choice}` }];
  if (sandbox.policy === 'enforce' && !hasSandbox)
    return [
      {
        code: 'sandbox_unavailable',
        reason: 'There is no sandbox on this machine, and mcp_sandbox.policy is enforce. Install bubblewrap.',
      },
    ];
  return [];
}

function judgeConsent({ clientConsent }: UpstreamServer): Rejection[] {
  switch (clientConsent) {
    case 'approved':
      return [];
    case 'pending':
      return [
        {
          code: 'consent_required',
          reason: 'Its use has not been approved. Set client_consent to approved.',
        },
      ];
    case 'denied':
      return [{ code: 'consent_denied', reason: 'client_consent is denied.' }];
  }
}
