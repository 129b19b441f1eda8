/** A file as `sb.config.yaml` was: its keys keep their meaning. */
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { mcpCommand } from '../../src/config/commands/notebook.ts';
import { serveCommand } from '../../src/config/commands/serve.ts';
import { controlPlaneOf } from '../../src/config/control-plane.ts';
import { loadConfig } from '../../src/config/load.ts';
import { post, startHttp } from '../kit/http.ts';
import { putFile, temporaryFolder } from '../kit/temp.ts';
import { planeFolder, shop } from './plane-kit.ts';

const TOKEN = 'a-token-of-some-length';
const ORIGINAL = `version: 1
vault: ./notes
state_dir: ./.sb/state
allowed_file_roots: [./notes]
serve: { host: 127.0.0.1, port: 0, token: "\${env:SB_SERVE_TOKEN}", allowed_origins: ["https://a.example"] }
llm: { base_url: "", model: "", api_key: "", use_client_sampling: false, timeout_ms: 60000 }
control_plane: { mcp_permission_mode: ask }
`;

async function original(text = ORIGINAL): Promise<{ folder: string; file: string }> {
  const folder = await temporaryFolder({ 'notes/a.md': 'alpha', 'sb.config.yaml': text });
  return { folder, file: join(folder, 'sb.config.yaml') };
}

const load = (file: string, env = {}, spec = serveCommand) => loadConfig({ spec, flags: {}, env, file });

test('every key of the original means what it meant', async () => {
  const { folder, file } = await original();
  const config = await load(file, { SB_SERVE_TOKEN: TOKEN });
  expect(config).toMatchObject({
    notebooks: { vault: { folder: join(folder, 'notes'), tools: 'notebook' } },
    serve: { host: '127.0.0.1', port: 0, allowedOrigins: ['https://a.example'] },
    auth: { mode: 'bearer', tokens: [TOKEN] },
  });
  expect(controlPlaneOf(config)).toMatchObject({
    stateDir: join(folder, '.sb/state'),
    allowedFileRoots: [join(folder, 'notes')],
  });
});

test('it is served with that token', async () => {
  const { file } = await original();
  const { origin } = await startHttp(['serve', '--config', file], { SB_SERVE_TOKEN: TOKEN });
  const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
  expect((await post(origin, ping)).status).toBe(401);
  expect((await post(origin, ping, { Authorization: `Bearer ${TOKEN}` })).status).not.toBe(401);
});

describe('a variable that is not set', () => {
  it('keeps it from being served, and not from being governed', async () => {
    const { file } = await original();
    await expect(load(file)).rejects.toThrow('SB_SERVE_TOKEN');
    expect((await load(file, {}, mcpCommand)).auth).toMatchObject({ mode: 'bearer', tokens: [] });
  });

  it('is reported by the doctor', async () => {
    const plane = await planeFolder([shop()], {}, { serve: { token: `\${env:SB_SERVE_TOKEN}` } });
    expect((await plane.run('servers')).code).toBe(0);
    const { stdout } = await plane.run('doctor', '--json');
    expect(JSON.parse(stdout).data.checks).toContainEqual(
      expect.objectContaining({
        check: 'config.variables',
        status: 'warn',
        detail: 'not set: SB_SERVE_TOKEN',
      }),
    );
  });
});

test.each([
  ['version: 2\n', 'config: version: must be 1'],
  ['vault: [a]\n', 'config: vault: must be a folder'],
  [
    'vault: ./a\nnotebooks: { b: { folder: ./b } }\n',
    'config: vault: cannot be used together with notebooks',
  ],
  ['notebooks: {}\nserve: { token: short }\n', 'config: serve.token: must have 16 characters'],
  ['notebooks: {}\nserve: { token: 7 }\n', 'config: serve.token: must be text'],
  [
    `notebooks: {}\nauth: { mode: jwt }\nserve: { token: ${TOKEN} }\n`,
    'config: serve.token: is for auth.mode',
  ],
  ['notebooks: {}\nvaults: ./a\n', 'unknown key vaults'],
  [
    'notebooks: {}\ncontrol_plane: { mcp_manifest_keys: { alex: "ed25519:AAAA" } }\n',
    'config: control_plane.mcp_manifest_keys.alex: is neither ed25519',
  ],
])('%j is refused: %s', async (text, problem) => {
  const { file } = await original(text);
  await expect(load(file)).rejects.toThrow(problem);
});

test('the marketplace is that of the checked configuration', async () => {
  const plane = await planeFolder([], { mcp_marketplace: { source: './none.json' } });
  expect(await plane.run('marketplace')).toMatchObject({ stderr: expect.stringContaining('none.json') });
  await putFile(plane.folder, 'quire.yaml', 'control_plane: { mcp_marketplace: { sorce: x } }\n');
  expect(await plane.run('marketplace')).toMatchObject({
    code: 3,
    stderr: expect.stringContaining(
      'control_plane.mcp_marketplace.sorce: unknown key (did you mean source?)',
    ),
  });
});
