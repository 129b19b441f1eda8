/** A corpus served by the built binary, with everything it says on record. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { onTestFinished } from 'vitest';
import { filesOf } from '../holes/served.ts';
import { BINARY } from '../kit/server.ts';
import { CLEAN_ENVIRONMENT, temporaryFolder } from '../kit/temp.ts';
import { type Files, makeVault } from './make-vault.ts';

export interface Reply {
  readonly isError: boolean;
  /** The first text block, parsed; the text itself for an error. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of many shapes
  readonly json: any;
}

export interface Corpus {
  readonly folder: string;
  /** Every note the notebook shows. */
  readonly notes: readonly string[];
  readonly call: (tool: string, args: Record<string, unknown>) => Promise<Reply>;
  /** Forbidden content that an answer, the error output or the protocol held. */
  readonly complaints: () => string[];
}

export type CorpusName = 'adversarial' | 'examples';

export async function openCorpus(name: CorpusName): Promise<Corpus> {
  const folder = await temporaryFolder(name === 'examples' ? await exampleNotes() : makeVault());
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [BINARY, folder],
    env: { ...CLEAN_ENVIRONMENT },
    stderr: 'pipe',
  });
  const client = new Client({ name: 'test', version: '1' });
  const complaints: string[] = [];
  transport.stderr?.on('data', (chunk) => complaints.push(`stderr: ${chunk}`));
  client.onerror = (error) => complaints.push(`protocol: ${error.message}`);
  await client.connect(transport);
  onTestFinished(() => client.close());
  return {
    folder,
    notes: filesOf(folder).filter(isNote).sort(),
    complaints: () => complaints,
    call: async (tool, args) => {
      const result = await client.callTool({ name: tool, arguments: args });
      const said = JSON.stringify(result);
      const about = `${tool} ${JSON.stringify(args).slice(0, 200)}: ${said.slice(0, 300)}`;
      if (said.includes(folder) || said.includes('/proc/self')) complaints.push(`host path: ${about}`);
      if (/Internal error|node:internal|\\n {4}at /.test(said)) complaints.push(`internal: ${about}`);
      if (said.length > 1_000_000) complaints.push(`${said.length} characters: ${about.slice(0, 200)}`);
      const first = result.content[0];
      const text = first?.type === 'text' ? first.text : '';
      return { isError: result.isError === true, json: result.isError ? text : JSON.parse(text) };
    },
  };
}

function isNote(path: string): boolean {
  return /\.(md|markdown|txt)$/i.test(path) && !/(^|\/)(\.|node_modules\/)/.test(path);
}

async function exampleNotes(): Promise<Files> {
  const from = fileURLToPath(new URL('../../examples/notes', import.meta.url));
  const files: Files = {};
  for (const path of filesOf(from)) files[path] = await readFile(join(from, path));
  return files;
}
