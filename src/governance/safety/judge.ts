/**
 * The reasons why a server may not be started or reached, in a fixed order. All are collected, so that an operator can
 * fix a server in one go; the first is the one shown. Nothing is started and no socket is opened here.
 */
import { isIP } from 'node:net';
import type { ControlPlane, UpstreamServer } from '../../config/control-plane.ts';
import type { PolicyReason } from '../../shared/errors.ts';
import { digestOfFile } from '../../shared/fs/file-digest.ts';
import { hasFileModes } from '../../shared/fs/platform.ts';
import { isLoopbackHost, reachOf } from '../../shared/ip-ranges.ts';
import { type Rejection, rejectIf, rejection } from '../../upstream/definition.ts';
import { launchWarnings } from '../../upstream/sandbox/choose.ts';
import type { Confinement } from '../../upstream/sandbox/confinement.ts';
import { judgeManifest, type ManifestState, type ManifestVerdict, verifyManifest } from '../manifest.ts';
import { type ManifestV2, manifestV2Of } from '../manifest-content.ts';
import type { SignedManifests } from '../signed-manifests.ts';
import { type ConfineContext, type ConfineFacts, confine, profileReach } from './confine.ts';
import { judgeEnvironment } from './environment.ts';
import { isShellOrLauncher, judgeArguments } from './inline-code.ts';
import { type FoundCommand, findCommand, judgeFound, type Places } from './launch.ts';
import { coveredFiles, findScripts, judgeScripts } from './launch-files.ts';

type SafetyRules = ConfineContext &
  Pick<ControlPlane, 'stdioAllowedCommands' | 'manifestKeys' | 'configFolder'>;

export interface HostFacts extends ConfineFacts {
  /** The operator's `PATH`. */
  readonly searchPath: string;
  /** The system it judges for: that of this process, unless a test says otherwise. */
  readonly platform?: NodeJS.Platform;
  /** Where it is known what was signed. */
  readonly manifests?: Pick<SignedManifests, 'of'>;
  /** The digest of a file; one that remembers is faster for many servers. */
  readonly fileDigest?: (path: string) => Promise<string>;
}

export interface Verdict {
  /** Empty for a server that may be used. */
  readonly rejections: readonly Rejection[];
  /** Only for stdio, when the executable was found. */
  readonly found?: FoundCommand;
  /** Only for stdio, unless the sandbox is why it may not be used. */
  readonly confinement?: Confinement;
  /** `missing` for a server over HTTP, which has none. */
  readonly manifest: ManifestState;
  /** The manifest whose signature was verified. */
  readonly verified?: ManifestV2;
}

export function mayStart({ enabled, trust }: UpstreamServer, rejections: readonly Rejection[]): boolean {
  return enabled && trust !== 'blocked' && rejections.length === 0;
}

export async function judgeServer(
  server: UpstreamServer,
  plane: SafetyRules,
  host: HostFacts,
): Promise<Verdict> {
  if (server.transport === 'streamable_http')
    return { rejections: [...judgeUrl(server), ...judgeConsent(server)], manifest: 'missing' };
  if (!hasFileModes(host.platform))
    return { rejections: [rejection('platform_unsupported', NOT_HERE)], manifest: 'missing' };
  const { configFolder } = plane;
  const shape = judgeCommand(server.command);
  const file = await judgeFile(server, shape, { configFolder, searchPath: host.searchPath });
  const manifest = await judgedManifest(server, file.found, plane, host);
  const confined = confine(server, plane, host);
  const names = [server.command, file.found?.realPath].filter((name) => typeof name === 'string');
  return {
    rejections: [
      ...shape,
      ...judgeArguments(names, server.args),
      ...judgeEnvironment(server.env),
      ...judgeAllowlist(server, plane),
      ...file.rejections,
      ...judgeManifest(server, manifest),
      ...confined.rejections,
      ...judgeConsent(server),
    ],
    found: file.found && withReviewed(file.found, manifest.verified),
    confinement: withLaunchWarnings(confined.confinement, file.found),
    manifest: manifest.state,
    verified: manifest.verified,
  };
}

function withLaunchWarnings(
  confinement: Confinement | undefined,
  found: FoundCommand | undefined,
): Confinement | undefined {
  if (!confinement || !found) return confinement;
  const own = launchWarnings({ file: found.realPath, path: found.path }, profileReach(confinement));
  return { ...confinement, warnings: [...confinement.warnings, ...own] };
}

function judgedManifest(
  server: UpstreamServer,
  found: FoundCommand | undefined,
  plane: SafetyRules,
  host: HostFacts,
): Promise<ManifestVerdict> {
  return verifyManifest(server, plane.manifestKeys, {
    present: () => presentManifest(server, found, host.fileDigest),
    signed: async (digest) => host.manifests?.of(server.name, digest),
  });
}

/** The manifest of a server as it is on this machine now. Throws when a file of it cannot be read. */
export async function presentManifest(
  server: UpstreamServer,
  found: FoundCommand | undefined,
  fileDigest: (path: string) => Promise<string> = digestOfFile,
): Promise<ManifestV2> {
  const paths = found ? coveredFiles(found, found.scripts ?? []) : [];
  const files = paths.map(async (path) => ({ path, sha256: await fileDigest(path) }));
  return manifestV2Of(server, await Promise.all(files));
}

function withReviewed(found: FoundCommand, verified: ManifestV2 | undefined): FoundCommand {
  return verified && verified.files.length > 0 ? { ...found, reviewed: verified.files } : found;
}

/** The other checks read paths and modes as Unix has them, and would name what cannot be mended. */
const NOT_HERE =
  'On Windows no server is started: whether other users may change its program cannot be told by a mode there. Run Quire in WSL, or reach the server over HTTP (transport: streamable_http).';

/** A command must be in one of the two lists, exactly as it is written. */
function judgeAllowlist(
  { command, stdioAllowedCommands }: UpstreamServer,
  plane: Pick<ControlPlane, 'stdioAllowedCommands'>,
): Rejection[] {
  const reviewed = [...plane.stdioAllowedCommands, ...stdioAllowedCommands];
  if (reviewed.length === 0)
    return [
      rejection(
        'no_reviewed_allowlist',
        'No commands have been reviewed. List them in control_plane.mcp_stdio_allowed_commands or stdio_allowed_commands.',
      ),
    ];
  const isUnknown = typeof command === 'string' && command !== '' && !reviewed.includes(command);
  const reason = 'command is not in the list of reviewed commands, exactly as it is written.';
  return rejectIf(isUnknown, 'command_not_allowlisted', reason);
}

/** A malformed command is not searched for. */
async function judgeFile(
  server: UpstreamServer,
  shape: readonly Rejection[],
  places: Places,
): Promise<Pick<Verdict, 'rejections' | 'found'>> {
  const { command } = server;
  if (shape.length > 0 || typeof command !== 'string') return { rejections: [] };
  const found = await findCommand(command, places);
  if (found) {
    const scripts = await findScripts(server, found);
    const rejections = await judgeFound(found);
    return {
      rejections: rejections.length > 0 ? rejections : await judgeScripts(scripts),
      found: scripts.length > 0 ? { ...found, scripts } : found,
    };
  }
  const where = command.includes('/') ? 'from the folder of the configuration' : 'in PATH';
  const reason = `No executable file of this name ${where}. Install it, or correct command.`;
  return { rejections: [rejection('command_not_found', reason)] };
}

function judgeConsent({ name, clientConsent }: UpstreamServer): Rejection[] {
  const reason = `Its use has not been approved. After a look at it: quire mcp consent give ${name}`;
  return [
    ...rejectIf(clientConsent === 'pending', 'consent_required', reason),
    ...rejectIf(
      clientConsent === 'denied',
      'consent_denied',
      `client_consent is denied. To allow its use again: quire mcp consent give ${name}`,
    ),
  ];
}

/** Characters that a shell acts on, and invisible ones, line ends included. */
const METACHARACTERS = /[|&;<>$()`\\"'{}[\]*?!#~]|[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}]/u;

const SHAPE_CODES: readonly PolicyReason[] = [
  'command_missing',
  'command_not_string',
  'command_not_single_token',
  'command_metacharacters',
  'command_is_shell',
];

/** A rejection of the command's form: no file was looked for. */
export function isShapeRejection({ code }: Rejection): boolean {
  return SHAPE_CODES.includes(code);
}

function judgeCommand(command: unknown): Rejection[] {
  if (command === undefined || command === null || command === '')
    return [rejection('command_missing', 'No command is given. Set command to the executable.')];
  if (typeof command !== 'string')
    return [
      rejection('command_not_string', 'command must be a single executable token; put arguments in args'),
    ];
  const sign = METACHARACTERS.exec(command)?.[0];
  return [
    ...rejectIf(
      /\s/u.test(command),
      'command_not_single_token',
      'command holds white space. Put the executable in command and the rest in args.',
    ),
    ...rejectIf(
      sign !== undefined,
      'command_metacharacters',
      `command holds ${shown(sign ?? '')}, which a shell would act on. Name a program only.`,
    ),
    ...rejectIf(
      isShellOrLauncher(command.trim().split(/\s/u)[0] ?? ''),
      'command_is_shell',
      'command is a shell or starts other programs. Name the server itself.',
    ),
  ];
}

function shown(sign: string): string {
  const isVisible = /^[\x21-\x7e]$/.test(sign);
  return isVisible ? sign : `U+${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

const MAX_URL_LENGTH = 8_192;

const URL_CODES: readonly PolicyReason[] = [
  'url_missing',
  'url_invalid',
  'url_not_https',
  'url_userinfo',
  'url_private_address',
];

export function isUrlRejection({ code }: Rejection): boolean {
  return URL_CODES.includes(code);
}

/** Judges the text of an address; the addresses that its name resolves to are checked by the fetch. */
export function judgeUrl({
  url: text,
  allowPrivate,
}: Pick<UpstreamServer, 'url' | 'allowPrivate'>): Rejection[] {
  if (text === undefined) return [rejection('url_missing', 'No url is given. Set url to its address.')];
  const url = text.length <= MAX_URL_LENGTH && URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || /[\s\p{Cc}]/u.test(text))
    return [rejection('url_invalid', 'url must be a full address, such as https://example.com/mcp.')];
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
  const isPlain = url.protocol === 'http:' && !isLoopbackHost(host);
  const hasUser = url.username !== '' || url.password !== '';
  return [
    ...rejectIf(isPlain, 'url_not_https', 'url must be https; http is for this machine only.'),
    ...rejectIf(hasUser, 'url_userinfo', 'url must hold no user name or password. Use headers.'),
    ...rejectIf(
      isRefusedAddress(host, allowPrivate),
      'url_private_address',
      'url points to a private, link-local or metadata address. For a private one set allow_private.',
    ),
  ];
}

function isRefusedAddress(host: string, allowPrivate: boolean): boolean {
  if (isIP(host) === 0) return false;
  const reach = reachOf(host);
  return reach === 'special' || (reach === 'private' && !allowPrivate);
}
