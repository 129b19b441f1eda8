/** The files that register the second brain with Claude Code in this repository, used to start it. */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, it, onTestFinished } from 'vitest';
import { answerJson } from '../../kit/server.ts';
import { CLEAN_ENVIRONMENT } from '../../kit/temp.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const fileAt = async (path: string) => JSON.parse(await readFile(`${ROOT}${path}`, 'utf8'));

it('starts, and its tools are those that are allowed or asked about', async () => {
  const { mcpServers } = await fileAt('.mcp.json');
  const { enabledMcpjsonServers, permissions } = await fileAt('.claude/settings.json');
  expect(enabledMcpjsonServers).toEqual(Object.keys(mcpServers));
  const { command, args } = mcpServers.secondbrain;
  const env = { ...CLEAN_ENVIRONMENT };
  const transport = new StdioClientTransport({ command, args, cwd: ROOT, env, stderr: 'ignore' });
  const client = new Client({ name: 'claude-code', version: '1' });
  await client.connect(transport);
  onTestFinished(() => client.close());
  const { tools } = await client.listTools();
  const named = (names: string[]) => names.map((name) => name.replace('mcp__secondbrain__', ''));
  const { allow, ask } = permissions;
  expect([...named(allow), ...named(ask)].sort()).toEqual(tools.map(({ name }) => name).sort());
  const reads = tools.filter(({ annotations }) => annotations?.readOnlyHint).map(({ name }) => name);
  expect(named(allow).sort()).toEqual(reads.sort());
  const found = await client.callTool({ name: 'sb_recall', arguments: { query: 'governed servers' } });
  expect(answerJson(found)).toMatchObject({ results: expect.arrayContaining([expect.anything()]) });
});
