/** The plane's sections of a configuration: what is taken, and what is refused with which words. */
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { serveCommand } from '../../src/config/commands/serve.ts';
import { type ControlPlane, controlPlaneOf } from '../../src/config/control-plane.ts';
import { shadowedRules } from '../../src/config/control-plane-checks.ts';
import { loadConfig } from '../../src/config/load.ts';
import { resolveReferences } from '../../src/config/plane-file.ts';
import { putFile, temporaryFolder } from '../kit/temp.ts';

async function load(yaml: string): Promise<{ plane: ControlPlane | undefined; folder: string }> {
  const folder = await temporaryFolder();
  await putFile(folder, 'quire.yaml', yaml);
  const config = await loadConfig({
    spec: serveCommand,
    env: {},
    flags: {},
    file: join(folder, 'quire.yaml'),
  });
  return { plane: controlPlaneOf(config), folder };
}

const problemOf = (yaml: string): Promise<string> =>
  load(yaml).then(
    () => 'no problem',
    (error: Error) => error.message,
  );

const withServer = (lines: string, policy = '') => `
control_plane:
  mcp_policy: [${policy}]
  mcp_servers:
    - { name: mail, transport: stdio, command: uvx${lines} }
`;

/** As the seed writes it, with its indentation. */
const SEED = `
control_plane:
  mcp_stdio_allowed_commands:
    - uvx
    - .venv/bin/python
mcp_servers:
  - name: example
    transport: stdio
    command: uvx
    args:
      - example-mcp-server
    stdio_allowed_commands:
      - uvx
    manifest_digest: sha256:${'0'.repeat(64)}
    manifest_signature: review-system-signature
    sandbox_profile: restricted
    client_consent: approved
    enabled: true
`;

describe('what is taken', () => {
  test('the example of the document, with servers at the top', async () => {
    const { plane } = await load(SEED);
    expect(plane?.stdioAllowedCommands).toEqual(['uvx', '.venv/bin/python']);
    expect(plane?.servers).toMatchObject([
      { name: 'example', command: 'uvx', args: ['example-mcp-server'], clientConsent: 'approved' },
    ]);
  });

  test('servers at the top alone, with the usual settings', async () => {
    const { plane } = await load('mcp_servers: [{ name: a, transport: stdio }]');
    expect(plane).toMatchObject({
      permissionMode: 'ask',
      approvalTtlS: 900,
      limits: {
        requestTimeoutMs: 30_000,
        connectTimeoutMs: 10_000,
        maxResultBytes: 1_048_576,
        callsPerMinute: 60,
        maxConcurrent: 4,
        memoryMb: 2_048,
        processes: 256,
        cpuS: 3_600,
        tmpMb: 256,
        openFiles: 1_024,
      },
      exposure: { minScore: 50, maxTools: 40, minTrust: 'reviewed' },
      sampling: { enabled: false, maxTokens: 1_024, perHour: 20 },
      elicitation: { form: true, url: true, waitS: 300 },
      sandbox: { backend: 'auto', policy: 'enforce' },
      marketplace: { source: 'builtin' },
    });
    expect(plane?.servers[0]).toMatchObject({
      trust: 'untrusted',
      clientConsent: 'pending',
      allowTools: ['*'],
      expose: false,
      allow: { roots: true, sampling: false, elicitation: true },
    });
  });

  test('nothing of it is nothing', async () => {
    expect((await load('notebooks: {}')).plane).toBeUndefined();
  });

  test('paths are from the folder of the file', async () => {
    const { plane, folder } = await load(`
state_dir: ./state
allowed_file_roots: [notes, /srv/notes]
control_plane:
  mcp_marketplace: { source: catalogue.json }
  mcp_servers:
    - { name: a, transport: stdio, command: .venv/bin/python, sandbox_cwd: box, sandbox_read: [data] }
`);
    expect(plane).toMatchObject({
      configFolder: folder,
      stateDir: join(folder, 'state'),
      allowedFileRoots: [join(folder, 'notes'), '/srv/notes'],
      marketplace: { source: join(folder, 'catalogue.json') },
    });
    expect(plane?.servers[0]).toMatchObject({
      command: '.venv/bin/python',
      sandboxCwd: join(folder, 'box'),
      sandboxRead: [join(folder, 'data')],
    });
  });

  test('~ is the home folder in every path, and that of somebody else is refused', async () => {
    const home = await temporaryFolder();
    vi.stubEnv('HOME', home);
    onTestFinished(() => void vi.unstubAllEnvs());
    const { plane } = await load(`
state_dir: ~/state
allowed_file_roots: ['~', '~/notes']
control_plane:
  mcp_marketplace: { source: ~/catalogue.json }
  mcp_servers:
    - { name: a, transport: stdio, command: uvx, sandbox_cwd: ~/box, sandbox_read: [~/data] }
`);
    expect(plane).toMatchObject({
      stateDir: join(home, 'state'),
      allowedFileRoots: [home, join(home, 'notes')],
      marketplace: { source: join(home, 'catalogue.json') },
      servers: [{ sandboxCwd: join(home, 'box'), sandboxRead: [join(home, 'data')] }],
    });
    expect(await problemOf('state_dir: ~somebody/state\nmcp_servers: []')).toBe(
      'The home folder of another user cannot be looked up: ~somebody/state',
    );
  });

  test('references stay references, and a missing one is never an empty text', async () => {
    const { plane } = await load(
      `${withServer(`, env: { KEY: "x-\${env:NOT_SET}" }`)}\nllm: { api_key: "\${env:LLM_KEY}" }`,
    );
    const env = plane?.servers[0]?.env ?? {};
    expect(env).toEqual({ KEY: `x-\${env:NOT_SET}` });
    expect(plane?.llm?.apiKey).toBe(`\${env:LLM_KEY}`);
    expect(resolveReferences(env, {})).toEqual({ values: {}, missing: ['NOT_SET'] });
    expect(resolveReferences(env, { NOT_SET: '' })).toEqual({ values: {}, missing: ['NOT_SET'] });
    expect(resolveReferences(env, { NOT_SET: 'y' })).toEqual({ values: { KEY: 'x-y' }, missing: [] });
  });

  test('a command of any kind is kept for the judge of commands', async () => {
    const { plane } = await load('mcp_servers: [{ name: a, transport: stdio, command: [uvx, x], args: 7 }]');
    expect(plane?.servers[0]).toMatchObject({ command: ['uvx', 'x'], args: 7 });
  });

  test('"*" is for whatever servers there will be', async () => {
    expect(await problemOf('control_plane: { mcp_policy: [{ effect: deny, servers: ["*"] }] }')).toBe(
      'no problem',
    );
  });
});

describe('what is refused', () => {
  const env = `\${env:X}`;
  test.each([
    [
      'control_plane: { mcp_polcy: [] }',
      'config: control_plane.mcp_polcy: unknown key (did you mean mcp_policy?)',
    ],
    [
      'control_plane: { mcp_limits: { request_timeout: 3 } }',
      'config: control_plane.mcp_limits.request_timeout: unknown key (did you mean request_timeout_ms?)',
    ],
    ['llm: { modle: x }', 'config: llm.modle: unknown key (did you mean model?)'],
    [withServer(', trsut: trusted'), 'control_plane.mcp_servers[0].trsut: unknown key (did you mean trust?)'],
    [
      withServer('', '{ effect: deny, server: [mail] }'),
      'control_plane.mcp_policy[0].server: unknown key (did you mean servers?)',
    ],
    [
      withServer(', trust: reviwed'),
      'mcp_servers[0].trust: must be untrusted, reviewed, trusted or blocked (did you mean reviewed?)',
    ],
    [
      'control_plane: { mcp_approval_ttl_s: soon }',
      'control_plane.mcp_approval_ttl_s: must be a whole number',
    ],
    ['allowed_file_roots: notes', 'config: allowed_file_roots: '],
    ['mcp_servers: [{ name: A, transport: stdio }]', 'config: mcp_servers[0].name: must be 1 to 40 of a-z'],
    ['mcp_servers: [{ name: a__b, transport: stdio }]', 'config: mcp_servers[0].name: must not hold "__"'],
    ['mcp_servers: [{ name: a }]', 'config: mcp_servers[0].transport: must be stdio or streamable_http'],
    [
      'mcp_servers: [{ name: a, transport: stdio }, { name: a, transport: stdio }]',
      'config: mcp_servers[1].name: "a" is the name of an earlier server too',
    ],
    [
      'mcp_servers: []\ncontrol_plane: { mcp_servers: [] }',
      'config: mcp_servers: is given at the top and in control_plane',
    ],
    [withServer(', url: "https://a.test"'), 'mcp_servers[0].url: is for streamable_http servers'],
    [
      'mcp_servers: [{ name: a, transport: streamable_http, url: "https://a.test", sandbox_profile: network }]',
      'mcp_servers[0].sandbox_profile: is for stdio servers',
    ],
    [withServer(', env: { PORT: 80 }'), 'mcp_servers[0].env.PORT: must be text; put it in quotes'],
    [withServer(', env: { "A B": x }'), 'mcp_servers[0].env.A B: is not the name of a variable'],
    [withServer(`, sandbox_cwd: "${env}"`), `mcp_servers[0].sandbox_cwd: \${env:NAME} may only stand in`],
    [
      `mcp_servers: [{ name: a, transport: streamable_http, url: "https://a.test/${env}" }]`,
      `mcp_servers[0].url: \${env:NAME} may only stand in`,
    ],
    [withServer(`, env: { A: "\${env:1}" }`), `env.A: a variable is written \${env:NAME}`],
    [
      withServer(', action_classes: { search: readonly }'),
      'action_classes.search: there is no class "readonly"; there are read_only, local_write, external, destructive (did you mean read_only?)',
    ],
    [
      withServer(', allow_tools: [list*], action_classes: { search: read_only }'),
      'action_classes.search: can match nothing: allow_tools does not name it',
    ],
    [withServer(', expose_as: plain'), 'mcp_servers[0].expose_as: does nothing without expose: true'],
    [withServer(', ask_client: [elicitation]'), 'mcp_servers[0].ask_client: does nothing without expose'],
    [
      withServer(', expose: true, ask_client: [smapling]'),
      'ask_client[0]: must be elicitation, sampling or roots (did you mean sampling?)',
    ],
    [
      withServer(', expose: true, ask_client: [sampling]'),
      'mcp_servers[0].ask_client[0]: needs allow: { sampling: true }',
    ],
    [
      withServer(', expose: true, allow: { sampling: true }, ask_client: [sampling]'),
      'mcp_servers[0].ask_client[0]: needs mcp_sampling: { enabled: true }',
    ],
  ])('%s', async (yaml, expected) => {
    const problem = await problemOf(yaml);
    expect(problem).toMatch(/^config: /);
    expect(problem).toContain(expected);
  });

  test.each([
    [
      '{ effect: deny, servers: [mial] }',
      'mcp_policy[0].servers[0]: can match nothing: no server is called "mial" (did you mean mail?)',
    ],
    ['{ effect: deny, servers: [mail, x*] }', 'mcp_policy[0].servers[1]: can match nothing'],
    ['{ effect: deny, servers: [] }', 'mcp_policy[0].servers: is empty, so the rule can match nothing'],
    ['{ effect: deny, capabilities: [] }', 'mcp_policy[0].capabilities: is empty'],
    ['{ effect: allow, classes: [destructive] }', 'mcp_policy[0].classes: changes nothing'],
    ['{ effect: deny, classes: [] }', 'mcp_policy[0].classes: is empty'],
    ['{ effect: deny, classes: [write] }', 'mcp_policy[0].classes[0]: there is no class "write"'],
    ['{ effect: deny, capabilities: ["delete_*s"] }', 'mcp_policy[0].capabilities[0]: can match nothing'],
  ])('a rule that can match nothing: %s', async (rule, expected) => {
    expect(await problemOf(withServer(', allow_tools: ["list_*", "*_mail"]', rule))).toContain(expected);
  });

  test.each(['"delete_*mail"', '"LIST_*"', '"list_?"', '"*"'])('%s can match something', async (glob) => {
    const rule = `{ effect: deny, capabilities: [${glob}] }`;
    expect(await problemOf(withServer(', allow_tools: ["list_*", "*_mail"]', rule))).toBe('no problem');
  });
});

describe('rules in the shadow of a wider deny', () => {
  const shadows = async (...rules: string[]) => {
    const { plane } = await load(withServer('', rules.join(', ')));
    return plane && shadowedRules(plane.policy, plane.servers);
  };

  test('are reported, and are no error', async () => {
    expect(
      await shadows(
        '{ effect: allow, servers: [mail], capabilities: [delete_all] }',
        '{ effect: deny, capabilities: ["delete*"] }',
        '{ effect: deny, capabilities: ["delete*"] }',
      ),
    ).toEqual([
      { rule: 0, by: 1 },
      { rule: 2, by: 1 },
    ]);
  });

  test('are not those that reach further', async () => {
    expect(
      await shadows(
        '{ effect: ask, capabilities: ["del*"] }',
        '{ effect: deny, capabilities: ["delete?"] }',
        '{ effect: deny, classes: [external] }',
        '{ effect: ask, classes: [external, destructive] }',
      ),
    ).toEqual([]);
  });
});
