/** The settings of the governed plane: its sections merged into one value, with paths relative to the file's folder. */
import { resolve } from 'node:path';
import type * as z from 'zod';
import { fromHome } from '../shared/fs/folder.ts';
import {
  type ControlPlaneSection,
  controlPlaneSchema,
  type llmSchema,
  type UpstreamServer,
} from './control-plane-schema.ts';
import type { Config } from './schema.ts';

export type { PolicyRule, UpstreamServer } from './control-plane-schema.ts';
export type LlmSettings = z.output<typeof llmSchema>;

export interface ControlPlane extends Omit<ControlPlaneSection, 'servers'> {
  readonly servers: readonly UpstreamServer[];
  /** The section of each server in the file, for messages: `control_plane.mcp_servers` or `mcp_servers`. */
  readonly serversKey: string;
  readonly allowedFileRoots: readonly string[];
  readonly stateDir: string;
  /** The base of relative paths, such as a command with a `/`. */
  readonly configFolder: string;
  /** Undefined where there is none. */
  readonly configFile?: string;
  readonly llm?: LlmSettings;
}

/** Undefined when the configuration has none of the sections. */
export function controlPlaneOf(config: Config): ControlPlane | undefined {
  const { mcp_servers: topServers, configFolder = process.cwd() } = config;
  const from = pathsOf(config);
  const section = config.control_plane ?? (topServers && controlPlaneSchema.parse({}));
  if (section === undefined) return undefined;
  const { servers: ownServers, ...settings } = section;
  return {
    ...settings,
    marketplace: { source: sourceFrom(settings.marketplace.source, from) },
    servers: (ownServers ?? topServers ?? []).map((server) => withAbsolutePaths(server, from)),
    serversKey: ownServers === undefined ? 'mcp_servers' : 'control_plane.mcp_servers',
    allowedFileRoots: fileRootsOf(config),
    stateDir: stateDirOf(config),
    configFolder,
    configFile: config.configFile,
    audit: withAuditPaths(settings.audit, from),
    llm: config.llm || undefined,
  };
}

/** The plane's state folder. */
export function stateDirOf(config: Pick<Config, 'configFolder' | 'state_dir'>): string {
  return pathsOf(config)(config.state_dir ?? '.quire/plane');
}

/** The folders that governed servers may ask for, and files may be ingested from. */
export function fileRootsOf(config: Config): string[] {
  return (config.allowed_file_roots ?? []).map(pathsOf(config));
}

/** Paths as people write them, from the folder of the file. */
function pathsOf({ configFolder = process.cwd() }: Pick<Config, 'configFolder'>): (path: string) => string {
  return (path) => resolve(configFolder, fromHome(path));
}

/** Whether the configuration has any of the plane's sections. */
export function isGoverning({ control_plane: plane, mcp_servers: top }: Config): boolean {
  return plane !== undefined || top !== undefined;
}

/** Whether tools of other servers are exposed at our own endpoint. */
export function exposesServers({ control_plane: plane, mcp_servers: top }: Config): boolean {
  return (plane?.servers ?? top ?? []).some(({ expose }) => expose);
}

function withAbsolutePaths(server: UpstreamServer, from: (path: string) => string): UpstreamServer {
  return {
    ...server,
    sandboxRead: server.sandboxRead.map(from),
    sandboxWrite: server.sandboxWrite.map(from),
    ...(server.sandboxCwd !== undefined && { sandboxCwd: from(server.sandboxCwd) }),
  };
}

function withAuditPaths(
  { keyFile, anchor }: ControlPlaneSection['audit'],
  from: (path: string) => string,
): ControlPlaneSection['audit'] {
  return {
    ...(keyFile !== undefined && { keyFile: keyFile === 'none' ? keyFile : from(keyFile) }),
    ...(anchor !== undefined && { anchor: typeof anchor === 'string' ? from(anchor) : anchor }),
  };
}

function sourceFrom(source: string, from: (path: string) => string): string {
  return source === 'builtin' || /^https?:/i.test(source) ? source : from(source);
}
