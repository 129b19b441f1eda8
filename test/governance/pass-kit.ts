/** Clients of our own endpoint that can be asked, of both eras, over HTTP and stdio. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  Client,
  type ClientOptions,
  type CreateMessageRequest,
  type ElicitRequest,
  type ElicitResult,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { onTestFinished } from 'vitest';
import { CLEAN_ENVIRONMENT } from '../kit/temp.ts';
import { type ConfigFixture, SHIFTING } from './exposed-kit.ts';
import { PROJECT, testServer } from './sandbox-kit.ts';
import { until } from './upstream-kit.ts';

const BINARY = fileURLToPath(new URL('../../dist/quire.cjs', import.meta.url));
const MODULES = join(PROJECT, 'node_modules');

export type Mode = 'legacy' | 'auto';

/** A small server of ours with prompts and resources. */
export function offering(settings: Record<string, unknown> = {}): Record<string, unknown> {
  const name = (settings.name as string | undefined) ?? 'shelf';
  const args = [testServer('offering.mjs'), name];
  return { ...SHIFTING, name, args, deny_tools: ['*forbidden_*'], ...settings };
}

export const EVERYTHING = {
  ...SHIFTING,
  name: 'everything',
  args: [join(MODULES, '@modelcontextprotocol/server-everything/dist/index.js')],
  sandbox_read: [MODULES],
  deny_tools: [],
};

export interface RecordingClient {
  readonly client: Client;
  readonly forms: ElicitRequest['params'][];
  readonly prompts: CreateMessageRequest['params'][];
  /** URIs of resources that changed. */
  readonly updated: string[];
  readonly logged: { level: string; logger?: string | undefined; data: unknown }[];
  /** Which lists changed. */
  readonly changed: string[];
}

export interface RecordingClientOptions {
  readonly mode: Mode;
  readonly answer?: (params: ElicitRequest['params']) => ElicitResult | Promise<ElicitResult>;
  readonly cannot?: true;
}

export function askedClient({ mode, answer, cannot }: RecordingClientOptions): RecordingClient {
  const changed: string[] = [];
  const recordAs = (what: string) => ({ autoRefresh: false, onChanged: () => void changed.push(what) });
  const options: ClientOptions = {
    versionNegotiation: { mode },
    capabilities: cannot ? {} : { elicitation: { form: {}, url: {} }, sampling: {} },
    listChanged: { tools: recordAs('tools'), prompts: recordAs('prompts'), resources: recordAs('resources') },
  };
  const client = new Client({ name: 'asked', version: '1' }, options);
  const asked: RecordingClient = { client, forms: [], prompts: [], updated: [], logged: [], changed };
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
    asked.updated.push(params.uri);
  });
  client.setNotificationHandler('notifications/message', ({ params }) => void asked.logged.push(params));
  if (cannot) return asked;
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    asked.forms.push(params);
    return (await answer?.(params)) ?? { action: 'accept', content: {} };
  });
  client.setRequestHandler('sampling/createMessage', async ({ params }) => {
    asked.prompts.push(params);
    return { role: 'assistant', model: 'own', content: { type: 'text', text: 'four' } };
  });
  return asked;
}

export async function overHttp(origin: string, options: RecordingClientOptions): Promise<RecordingClient> {
  const asked = askedClient(options);
  await asked.client.connect(new StreamableHTTPClientTransport(new URL('/mcp', origin)));
  onTestFinished(() => asked.client.close());
  return asked;
}

/** Lists wait for a slow server for a few seconds only; on a busy machine server-everything takes longer to start. */
export async function overEverything(
  origin: string,
  options: RecordingClientOptions,
): Promise<RecordingClient> {
  const asked = await overHttp(origin, options);
  await until(async () => {
    const { tools } = await asked.client.listTools(undefined, { cacheMode: 'refresh' });
    return tools.some(({ name }) => name.startsWith('everything__'));
  });
  return asked;
}

export async function overStdio(
  { file }: ConfigFixture,
  options: RecordingClientOptions,
): Promise<RecordingClient> {
  const asked = askedClient(options);
  const args = [BINARY, '--config', file];
  await asked.client.connect(
    new StdioClientTransport({ command: process.execPath, args, env: { ...CLEAN_ENVIRONMENT } }),
  );
  onTestFinished(() => asked.client.close());
  return asked;
}
