/** The MCP Inspector's command line as a foreign client: it lists and calls every tool of the built binary. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { EXAMPLE_NOTES, exampleOf, pinnedTools } from '../kit/pinned-tools.ts';
import { BINARY } from '../kit/server.ts';
import { CLEAN_ENVIRONMENT, temporaryFolder } from '../kit/temp.ts';

const INSPECTOR = fileURLToPath(
  new URL(
    '../../node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js',
    import.meta.url,
  ),
);

async function inspect(
  folder: string,
  ...args: string[]
): Promise<{ tools?: { name: string }[]; isError?: boolean; content?: unknown[] }> {
  const home = await temporaryFolder();
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [INSPECTOR, '--cli', process.execPath, BINARY, folder, ...args],
    { env: { ...CLEAN_ENVIRONMENT, HOME: home }, timeout: 60_000 },
  );
  return JSON.parse(stdout);
}

describe('the Inspector', () => {
  const pinned = pinnedTools('notebook');

  it.each(['legacy', 'modern'])('lists every tool in the %s era, strictly', async (era) => {
    const { tools } = await inspect(
      await temporaryFolder(EXAMPLE_NOTES),
      '--protocol-era',
      era,
      '--method',
      'tools/list',
      '--strict',
    );
    expect(tools?.map(({ name }) => name)).toEqual(pinned.map(({ name }) => name));
  });

  it.each(pinned.map((tool) => [tool.name, exampleOf(tool)] as const))('calls %s', async (name, args) => {
    const call = ['--method', 'tools/call', '--tool-name', name, '--tool-args-json', JSON.stringify(args)];
    const result = await inspect(await temporaryFolder(EXAMPLE_NOTES), ...call);
    expect(result.isError).not.toBe(true);
    expect(result.content?.length).toBeGreaterThan(0);
  });
});
