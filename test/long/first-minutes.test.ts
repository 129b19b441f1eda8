/** The first minutes of a new user: an empty folder and the packed tarball, on every version of Node we promise. */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { testWith } from '../kit/needs.ts';
import { npm, npmEnvironment, npx, packInto, type Tarball } from '../kit/npm.ts';
import { processorTimeOfChildren } from '../kit/processor-time.ts';
import { NODES } from '../kit/programs.ts';
import { putFile, temporaryFolder } from '../kit/temp.ts';

const LIMIT_MS = 10_000;

let place: string;
let tarball: Tarball;

beforeAll(async () => {
  place = await mkdtemp(join(tmpdir(), 'quire-test-tarball-'));
  tarball = await packInto(place);
});

afterAll(() => rm(place, { recursive: true, force: true }));

interface Entry {
  readonly command: string;
  readonly args: string[];
  readonly env?: Record<string, string>;
}

/** Resolves to the milliseconds from the empty folder to the answer of the first tool call, on a machine that does nothing else. */
async function firstMinutes(node: string): Promise<number> {
  const [cwd, home] = [await temporaryFolder(), await temporaryFolder()];
  const user = { cwd, home, node };
  await putFile(home, 'notes/plan.md', '# Plan\n\nBuy a boat.\n');
  const began = performance.now();
  const worked = processorTimeOfChildren();

  await npm(['install', '--offline', '--no-audit', '--no-fund', tarball.file], user);
  const packages = await readdir(join(cwd, 'node_modules'));
  expect(packages.filter((name) => !name.startsWith('.'))).toEqual(['quire-mcp']);

  await npx(['quire-mcp', 'init', '--yes', join(home, 'notes')], user);
  expect(await readdir(cwd)).toContain('quire.yaml');

  const printed = await npx(['quire-mcp', 'connect', 'claude-desktop', '--print'], user);
  const { mcpServers } = JSON.parse(/^\{[\s\S]*^\}$/m.exec(printed)?.[0] ?? '') as {
    mcpServers: Record<'quire', Entry>;
  };
  const { command, args, env } = mcpServers.quire;
  expect(command).toBe(node);

  const client = new Client({ name: 'test', version: '1' });
  const environment = { ...npmEnvironment(user), ...env };
  await client.connect(new StdioClientTransport({ command, args, env: environment, cwd: home }));
  const read = await client.callTool({ name: 'read_note', arguments: { path: 'plan.md' } });
  expect(JSON.stringify(read.content)).toContain('Buy a boat.');
  const took = performance.now() - began;
  await client.close();
  // One process works at a time, so other tests stretch the first of these and not the second.
  return Math.min(took, worked());
}

describe('from an empty folder to the first tool call', () => {
  for (const { version, program, need } of NODES)
    testWith(need, `takes less than ten seconds on Node ${version}`, async () => {
      expect(await firstMinutes(program)).toBeLessThan(LIMIT_MS);
    });
});
