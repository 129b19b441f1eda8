/** The MCP Inspector's command line as a foreign client: it lists and calls every tool of the built binary. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { freePort, startHttp } from '../kit/http.ts';
import { describeWith } from '../kit/needs.ts';
import { EXAMPLE_NOTES, exampleOf, pinnedNames, pinnedTools } from '../kit/pinned-tools.ts';
import { INSPECTOR, inspector } from '../kit/programs.ts';
import { BINARY } from '../kit/server.ts';
import { startSilverBullet, TOKEN } from '../kit/silverbullet/server.ts';
import { CLEAN_ENVIRONMENT, temporaryFolder } from '../kit/temp.ts';

interface Inspected {
  readonly tools?: readonly { readonly name: string }[];
  readonly isError?: boolean;
  readonly content?: readonly { readonly text?: string }[];
}

/** `server` is a command or an address, with its flags. */
async function inspect(server: readonly string[], ...args: string[]): Promise<Inspected> {
  const { stdout } = await promisify(execFile)(process.execPath, [INSPECTOR, '--cli', ...server, ...args], {
    env: { ...CLEAN_ENVIRONMENT, HOME: await temporaryFolder() },
    timeout: 60_000,
  });
  return JSON.parse(stdout);
}

describeWith(inspector, 'the Inspector', () => {
  const pinned = pinnedTools('notebook');
  const exampleServer = async () => [process.execPath, BINARY, await temporaryFolder(EXAMPLE_NOTES)];

  it.each(['legacy', 'modern'])('lists every tool in the %s era, strictly', async (era) => {
    const { tools } = await inspect(
      await exampleServer(),
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
    const result = await inspect(await exampleServer(), ...call);
    expect(result.isError).not.toBe(true);
    expect(result.content?.length).toBeGreaterThan(0);
  });

  it('lists and calls the pages of a SilverBullet over HTTP, with a token', async () => {
    const space = await startSilverBullet({ files: { 'Inbox.md': 'alpha beta' } });
    const port = await freePort();
    const token = 'm'.repeat(32);
    const { origin } = await startHttp(['silverbullet'], {
      SB_URL: space.url,
      SB_TOKEN: TOKEN,
      MCP_TOKEN: token,
      PUBLIC_URL: `http://127.0.0.1:${port}`,
      OAUTH_CLIENT_ID: 'inspector',
      OAUTH_CLIENT_SECRET: 's'.repeat(32),
      OWNER_TOKEN: 'open sesame please',
      JWT_SIGNING_KEY: 'k'.repeat(64),
      PORT: String(port),
    });
    const server = [`${origin}/mcp`, '--transport', 'http', '--header', `Authorization: Bearer ${token}`];
    const { tools } = await inspect(server, '--method', 'tools/list', '--strict');
    expect(tools?.map(({ name }) => name).sort()).toEqual(pinnedNames('pages').sort());
    const call = ['--method', 'tools/call', '--tool-name', 'read_page', '--tool-arg', 'page=Inbox'];
    expect((await inspect(server, ...call)).content?.[1]?.text).toBe('alpha beta');
  });
});
