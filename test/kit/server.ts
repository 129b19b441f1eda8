/** A real client talking to a real server: in this process, or to the built binary over stdio. */
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { InMemoryTransport } from '@modelcontextprotocol/server';
import { onTestFinished } from 'vitest';
import { notebookOver, type OpenNotebook, openNotebook, openVault } from '../../src/app/open-notes.ts';
import type { NotebookConfig } from '../../src/config/schema.ts';
import { createServer, type ServerParts } from '../../src/mcp/server.ts';
import type { ToolCallRecord } from '../../src/mcp/tool.ts';
import { limitSurface } from '../../src/mcp/tool-list.ts';
import { PathFilter } from '../../src/notes/path-filter.ts';
import type { NoteStore } from '../../src/notes/store.ts';
import { silentLog } from '../../src/shared/log.ts';
import type { Principal } from '../../src/shared/principal.ts';
import { openMemoryStore } from '../../src/stores/memory.ts';
import { notebookResources } from '../../src/surfaces/notebook/resources.ts';
import { notebookSurface } from '../../src/surfaces/notebook/surface.ts';
import {
  createPagesBackend,
  type PagesBackend,
  type PagesOptions,
} from '../../src/surfaces/pages/backend.ts';
import { pagesSurfaceWith } from '../../src/surfaces/pages/surface.ts';
import type { VaultBackend } from '../../src/surfaces/vault/backend.ts';
import { vaultSurface } from '../../src/surfaces/vault/surface.ts';
import { CLEAN_ENVIRONMENT, temporaryFolder } from './temp.ts';

export const BINARY = fileURLToPath(new URL('../../dist/quire.cjs', import.meta.url));

export interface Answer {
  /** All text blocks, one after another. */
  readonly text: string;
  /** The first text block, parsed; undefined for an error and for what is no JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of many shapes
  readonly json: any;
  readonly isError: boolean;
  readonly content: readonly { type: string; [key: string]: unknown }[];
}

export interface ToolClient {
  readonly client: Client;
  /** Calls a tool. */
  readonly call: (tool: string, args?: Record<string, unknown>) => Promise<Answer>;
}

export interface InFolder extends ToolClient {
  readonly folder: string;
}

type Settings = Partial<Omit<NotebookConfig, 'folder'>>;

/** The notebook surface over notes in memory, in this process. */
export async function withMemory(
  seed: Readonly<Record<string, string>>,
  settings: Settings = {},
): Promise<ToolClient> {
  return withStore(openMemoryStore(seed), settings);
}

/** The same over any store. */
export async function withStore(store: NoteStore, settings: Settings = {}): Promise<ToolClient> {
  const config = complete({ ...settings, folder: 'unused' });
  const filter = new PathFilter({ allowedExtensions: config.extensions, ignoredPatterns: config.ignore });
  return connectInProcess(notebookOver(store, filter, config, { log: silentLog }), config);
}

/** The notebook surface over a folder of the test's own, in this process. */
export async function withFolder(
  seed: Readonly<Record<string, string | Uint8Array>> = {},
  settings: Settings = {},
): Promise<InFolder> {
  const folder = await temporaryFolder(seed);
  const config = complete({ ...settings, folder });
  return { folder, ...(await connectInProcess(await openNotebook(config, { log: silentLog }), config)) };
}

/** The notebook surface over a Trilium, in this process. */
export async function withTriliumNotebook(
  trilium: NonNullable<NotebookConfig['trilium']>,
  settings: Settings = {},
): Promise<ToolClient> {
  const { folder: _, ...config } = complete({ ...settings, folder: 'unused', trilium });
  return connectInProcess(await openNotebook(config, { log: silentLog }), config);
}

/** The vault surface over a folder of the test's own, in this process. */
export async function withVault(
  seed: Readonly<Record<string, string | Uint8Array>> = {},
  settings: Settings = {},
): Promise<InFolder> {
  const folder = await temporaryFolder(seed);
  const config = complete({ ...settings, tools: 'vault', folder });
  const { backend, close } = await openVault(config, { log: silentLog });
  return { folder, ...(await connectVault(backend, config, close)) };
}

/** The vault surface over parts of the test's own. */
export function connectVault(
  backend: VaultBackend,
  limits: { readOnly: boolean; noDelete: boolean } = { readOnly: false, noDelete: false },
  close: () => Promise<void> = async () => {},
): Promise<ToolClient> {
  return connectTo({ limited: limitSurface(vaultSurface, limits), backend, ...QUIET }, close);
}

/** The pages surface over a folder of the test's own, in this process. */
export async function withPages(
  seed: Readonly<Record<string, string | Uint8Array>> = {},
  settings: Settings = {},
): Promise<InFolder> {
  const folder = await temporaryFolder(seed);
  const config = complete({ ...settings, tools: 'pages', extensions: ['.md'], folder });
  const notebook = await openNotebook(config, { log: silentLog });
  return { folder, ...(await connectPages(notebook, config)) };
}

export interface PagesParts extends PagesOptions {
  readonly extended?: boolean;
  readonly readOnly?: boolean;
  readonly noDelete?: boolean;
  readonly principal?: Principal;
  /** One backend for several connections to one server. */
  readonly backend?: PagesBackend;
  readonly onCalled?: (called: ToolCallRecord) => void;
}

/** The pages surface over any store. */
export function withPagesOver(store: NoteStore, parts: PagesParts = {}): Promise<ToolClient> {
  return connectPages(pagesNotebook(store), parts);
}

/** The backend that several connections to one server share. */
export function pagesBackendOver(store: NoteStore, options: PagesOptions = {}): PagesBackend {
  return createPagesBackend(pagesNotebook(store), options);
}

function pagesNotebook(store: NoteStore): OpenNotebook {
  const filter = new PathFilter({ allowedExtensions: ['.md'] });
  return notebookOver(store, filter, { frontmatterRules: [], noDelete: false }, { log: silentLog });
}

export function connectPages(notebook: OpenNotebook, parts: PagesParts = {}): Promise<ToolClient> {
  const { readOnly = false, noDelete = false, extended = false, principal, onCalled } = parts;
  const server = {
    limited: limitSurface(pagesSurfaceWith({ extended }), { readOnly, noDelete }),
    backend: parts.backend ?? createPagesBackend(notebook, parts),
    ...QUIET,
    ...(principal && { principal }),
    ...(onCalled && { onCalled }),
  };
  return connectTo(server, async () => {
    await notebook.searcher.close();
    await notebook.notes.close();
  });
}

export interface StartOptions {
  /** Another one than what was built last. */
  readonly binary?: string;
  readonly mode?: 'auto' | 'legacy';
  readonly env?: Record<string, string>;
}

export interface ServerProcess extends ToolClient {
  readonly pid: number;
  /** Its error output so far. */
  readonly stderr: () => string;
}

/** The built binary over stdio on a folder, as a client starts it. */
export function startBinary(
  folder: string,
  flags: readonly string[] = [],
  options: StartOptions = {},
): Promise<ServerProcess> {
  return startProgram([folder, ...flags], options);
}

/** The built binary on a vault. */
export function startVault(
  folder: string,
  flags: readonly string[] = [],
  options: StartOptions = {},
): Promise<ServerProcess> {
  return startProgram(['vault', '--vault-path', folder, '--transport', 'stdio', ...flags], options);
}

export async function startProgram(
  args: readonly string[],
  options: StartOptions = {},
): Promise<ServerProcess> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [options.binary ?? BINARY, ...args],
    env: { ...CLEAN_ENVIRONMENT, ...options.env },
    stderr: 'pipe',
  });
  let stderr = '';
  transport.stderr?.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const client = new Client(
    { name: 'test', version: '1' },
    { versionNegotiation: { mode: options.mode ?? 'legacy' } },
  );
  await client.connect(transport);
  onTestFinished(() => client.close());
  return { ...connected(client), pid: transport.pid ?? 0, stderr: () => stderr };
}

export const QUIET = { version: '0.0.0', log: silentLog };

async function connectInProcess(
  notebook: Awaited<ReturnType<typeof openNotebook>>,
  config: NotebookConfig,
): Promise<ToolClient> {
  const resources = notebookResources(notebook, silentLog);
  const limited = limitSurface(notebookSurface, config);
  return connectTo({ limited, backend: notebook, resources, ...QUIET }, async () => {
    await resources.close();
    await notebook.searcher.close();
    await notebook.notes.close();
  });
}

/** Any surface, in this process. */
export async function connectTo<Backend>(
  parts: ServerParts<Backend>,
  close: () => Promise<void>,
): Promise<ToolClient> {
  return connectServer(createServer(parts), close);
}

/** A client of a server in this process. */
export async function connectServer(
  server: ReturnType<typeof createServer>,
  close: () => Promise<void> = async () => {},
): Promise<ToolClient> {
  const client = new Client({ name: 'test', version: '1' });
  const [here, there] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(there), client.connect(here)]);
  onTestFinished(async () => {
    await client.close();
    await close();
  });
  return connected(client);
}

export function connected(client: Client): ToolClient {
  return {
    client,
    call: async (tool, args = {}) => {
      const result = await client.callTool({ name: tool, arguments: args });
      const texts = result.content.flatMap((block) => (block.type === 'text' ? [block.text] : []));
      const isError = result.isError === true;
      return {
        text: texts.join('\n'),
        json: isError ? undefined : (result.structuredContent ?? parsed(texts[0] ?? 'null')),
        isError,
        content: result.content as Answer['content'],
      };
    },
  };
}

interface WireAnswer {
  readonly content?: unknown;
  readonly structuredContent?: unknown;
}

/** The JSON of an answer as it comes over the wire. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of many shapes
export function answerJson({ content, structuredContent }: WireAnswer): any {
  if (structuredContent !== undefined) return structuredContent;
  const [first] = content as readonly { readonly text: string }[];
  return JSON.parse(first!.text);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function complete(settings: Settings & { folder: string }): NotebookConfig {
  return {
    tools: 'notebook',
    toolSets: [],
    extensions: ['.md', '.markdown', '.txt'],
    ignore: [],
    readOnly: false,
    noDelete: false,
    permanentDelete: false,
    overwrite: 'guarded',
    review: 'off',
    readThreshold: 200,
    openLinks: false,
    extended: false,
    frontmatterRules: [],
    ...settings,
  };
}
