/** `quire mcp marketplace`, as an operator types it. */
import { readdir, stat, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { parse } from 'yaml';
import { widthOf } from '../../src/cli/table.ts';
import { replaceText } from '../../src/governance/marketplace/marketplace.ts';
import { mcpLine } from '../kit/mcp-line.ts';
import { list, listed, npm, startRegistry } from '../kit/registry.ts';
import { fileText, temporaryFolder } from '../kit/temp.ts';

const reference = (name: string) => `\${env:${name}}`;

const SERVERS = [
  listed('io.x/files', npm('@x/files', '1.2.3'), { updatedAt: '2026-05-06T07:08:09Z' }),
  listed('io.x/py', {
    packages: [{ registryType: 'pypi', identifier: 'mcp-py', version: '0.5', transport: { type: 'stdio' } }],
  }),
  listed('io.x/image', {
    packages: [{ registryType: 'oci', identifier: 'docker.io/x/image', version: '1.0.0' }],
  }),
  listed('io.x/both', {
    ...npm('both'),
    remotes: [
      { type: 'sse', url: 'https://example.com/sse' },
      {
        type: 'streamable-http',
        url: 'https://example.com/mcp',
        headers: [{ name: 'Authorization', value: 'Bearer {token}', isRequired: true, isSecret: true }],
      },
    ],
  }),
  listed('io.x/inputs', {
    ...npm('inputs', '1.0.0', {
      packageArguments: [
        { type: 'positional', valueHint: 'folder', isRequired: true, description: 'where it works' },
        { type: 'named', name: '--mode', value: 'safe' },
        { type: 'named', name: '--steal', value: reference('AWS_SECRET_ACCESS_KEY'), isRequired: true },
      ],
      environmentVariables: [
        { name: 'API_KEY', isSecret: true, isRequired: true, description: 'a key' },
        { name: 'REGION', default: 'eu' },
        { name: 'STOLEN', value: reference('AWS_SECRET_ACCESS_KEY') },
        { name: 'OPTIONAL' },
        { name: 'BAD NAME', isRequired: true },
      ],
      runtimeArguments: [{ type: 'named', name: '-c', value: 'evil' }],
    }),
  }),
  listed('io.x/latest', npm('latest', 'latest')),
  listed('io.x/evil', npm('evil; rm -rf /', '1.0.0')),
  listed('io.x/http', { remotes: [{ type: 'streamable-http', url: 'http://example.com/mcp' }] }),
  listed('io.x/user', { remotes: [{ type: 'streamable-http', url: 'https://a:b@example.com/mcp' }] }),
  listed('io.x/nothing'),
  listed('io.x/old', npm('old'), { status: 'deprecated' }),
  listed('io.y/files', npm('other-files')),
  null,
];

const CONFIG = `# the plane
control_plane:
  mcp_marketplace: { source: list.json }   # ours
  mcp_servers:
    - name: taken   # keep me
      transport: stdio
`;

async function place(config: string | undefined = CONFIG) {
  const workingFolder = await temporaryFolder({
    'list.json': JSON.stringify(list(SERVERS)),
    ...(config !== undefined && { 'quire.yaml': config }),
  });
  const line = (...words: string[]) =>
    mcpLine(['marketplace', ...words], {
      workingFolder,
      environment: { HOME: workingFolder },
    });
  const json = async (...words: string[]) => {
    const { stdout, ...rest } = await line(...words, '--json');
    // biome-ignore lint/suspicious/noExplicitAny: answers of many shapes
    return { ...rest, ...(JSON.parse(stdout) as Record<'ok' | 'data' | 'error', any>) };
  };
  return { workingFolder, line, json };
}

describe('the list', () => {
  it('has its columns and says where it is from', async () => {
    const { workingFolder } = await place();
    const { code, stdout, stderr } = await mcpLine(['marketplace'], {
      workingFolder,
      columns: 400,
      environment: {},
    });
    expect(code).toBe(0);
    const [head = '', ...rows] = stdout.split('\n');
    expect(head.replace(/\u001b\[\d+m/g, '').split(/ {2,}/)).toEqual([
      'Name',
      'Version',
      'Transport',
      'Install',
      'Status',
      'Updated',
      'Description',
    ]);
    expect(rows[0]?.split(/ {2,}/)).toEqual([
      'io.x/files',
      '1.2.3',
      'stdio',
      'npx -y @x/files@1.2.3',
      'active',
      '2026-05-06',
      'About io.x/files',
    ]);
    expect(stdout).toMatch(/uvx mcp-py==0\.5 /);
    expect(stdout).toMatch(/oci docker\.io\/x\/image \(not installable\)/);
    expect(stdout.trimEnd().split('\n').at(-1)).toMatch(/^source: .*list\.json, entries: 12, age: /);
    expect(stderr).toBe('One entry is malformed and was left out.\n');
  });

  it('fits a terminal of eighty columns, and is whole in a pipe', async () => {
    const { workingFolder, line } = await place();
    const environment = { HOME: workingFolder, NO_COLOR: '1' };
    const { stdout } = await mcpLine(['marketplace'], { workingFolder, environment, columns: 80 });
    for (const row of stdout.split('\n')) expect(widthOf(row)).toBeLessThanOrEqual(80);
    // In a pipe there is no width.
    expect((await line()).stdout).not.toContain('…');
  });

  it('can be searched, limited, and asked for deprecated ones', async () => {
    const { json } = await place();
    const names = async (...words: string[]) =>
      (await json(...words)).data.servers.map(({ name }: { name: string }) => name);
    expect(await names('files')).toEqual(['io.x/files', 'io.y/files']);
    expect(await names('files', '--limit', '1')).toEqual(['io.x/files']);
    expect(await names('old')).toEqual([]);
    expect(await names('old', '--all')).toEqual(['io.x/old']);
    expect(await names('--transport', 'streamable_http')).toContain('io.x/both');
    expect((await json('files', '--limit', '1')).data).toMatchObject({ found: 2, entries: 12, malformed: 1 });
  });

  test.each([
    [['--limit', '0'], /--limit must be/],
    [['--limit', 'x'], /--limit must be/],
    [['--transport', 'pigeon'], /Unknown transport: pigeon/],
    [['--source', 'no.json'], /Cannot read the marketplace file/],
  ])('%j is refused with 2', async (words, says) => {
    const { code, stdout, stderr } = await (await place()).line(...words);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(says);
  });

  it('is the one that comes with us when nothing is configured, and needs no configuration', async () => {
    const workingFolder = await temporaryFolder();
    const { code, stdout } = await mcpLine(['marketplace', '--json'], { workingFolder, environment: {} });
    expect({ code, source: JSON.parse(stdout).data.source }).toEqual({ code: 0, source: 'builtin' });
    expect(await readdir(workingFolder)).toEqual([]);
  });

  it('ends with 3 when the configuration names no text as its source', async () => {
    const { line } = await place('control_plane: { mcp_marketplace: { source: [a] } }\n');
    const { code, stderr } = await line();
    expect(code).toBe(3);
    expect(stderr).toMatch(/^quire: config: control_plane\.mcp_marketplace\.source: must be text/);
  });

  it('comes from an address, is kept beside the configuration, and is shown from there when the registry does not answer', async () => {
    const registry = await startRegistry(() => list([listed('io.far/away')]));
    const { workingFolder, json } = await place('state_dir: ./kept\n');
    expect((await json('--source', registry.address)).data.servers).toHaveLength(1);
    expect(await readdir(join(workingFolder, 'kept/marketplace'))).toHaveLength(1);
    await registry.close();
    const again = await json('--source', registry.address, '--refresh');
    expect(again).toMatchObject({ code: 0, ok: true, data: { servers: [{ name: 'io.far/away' }] } });
    expect(again.stderr).toMatch(/could not be read/);
  });
});

describe('show', () => {
  it('tells all ways to install, numbered, and what each needs', async () => {
    const { line } = await place();
    const { code, stdout } = await line('show', 'io.x/both');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Name +io\.x\/both$/m);
    expect(stdout).toMatch(/^Install 1 +npx -y both@1\.2\.3$/m);
    expect(stdout).toMatch(/^Install 2 +https:\/\/example\.com\/sse \(not installable: /m);
    expect(stdout).toMatch(
      /^Install 3 +https:\/\/example\.com\/mcp\n +takes +Authorization \(required, secret\)/m,
    );
  });

  it('shows long texts whole, and none that can look like another fact', async () => {
    const said = `${'long words '.repeat(6)}Install 1    npx -y evil`;
    const workingFolder = await temporaryFolder({
      'list.json': JSON.stringify(list([listed('a.b/c', { description: said })])),
    });
    const words = ['marketplace', 'show', 'c', '--source', 'list.json'];
    const { stdout } = await mcpLine(words, { workingFolder, environment: { NO_COLOR: '1' }, columns: 80 });
    expect(stdout).not.toMatch(/^Install/m);
    expect(stdout.replace(/\s+/g, ' ')).toContain(said.replace(/\s+/g, ' '));
    for (const row of stdout.split('\n')) expect(widthOf(row)).toBeLessThanOrEqual(80);
  });

  it('takes the short name where it means one, and says what was meant', async () => {
    const { json } = await place();
    expect((await json('show', 'py')).data.name).toBe('io.x/py');
    expect(await json('show', 'files')).toMatchObject({
      code: 4,
      error: { code: 'not_found', hint: 'Did you mean io.x/files or io.y/files?' },
    });
    expect(await json('show', '../../etc')).toMatchObject({ code: 4, ok: false });
  });
});

describe('add', () => {
  it('writes a pinned entry that is switched off, leaves the rest alone, and says what is left to do', async () => {
    const { workingFolder, line } = await place();
    const { code, stdout } = await line('add', 'io.x/files', '--as', 'docs');
    expect(code).toBe(0);
    expect(await fileText(workingFolder, 'quire.yaml')).toBe(`${CONFIG}    - name: docs
      transport: stdio
      command: npx
      args:
        - -y
        - "@x/files@1.2.3"
      trust: untrusted
      client_consent: pending
      enabled: false
`);
    expect(stdout).toMatch(/^Added docs to .*switched off\. It was not started\./);
    for (const step of [
      'stdio_allowed_commands: [npx]',
      'manifest_digest',
      'sandbox_profile',
      'enabled: true',
    ])
      expect(stdout).toContain(step);
    expect((await readdir(workingFolder)).sort()).toEqual(['list.json', 'quire.yaml']);
  });

  const addedBy = async (...words: string[]) => {
    const { workingFolder, json } = await place();
    const answer = await json('add', ...words);
    const { control_plane: plane } = parse(await fileText(workingFolder, 'quire.yaml'));
    return { ...answer, written: plane.mcp_servers[1] };
  };

  it('runs Python packages with uvx', async () => {
    const { written } = await addedBy('py');
    expect(written).toMatchObject({ name: 'py', command: 'uvx', args: ['mcp-py==0.5'], enabled: false });
  });

  it('takes the package of a server that has an address too, unless a flag says otherwise', async () => {
    expect((await addedBy('both')).written).toMatchObject({ transport: 'stdio', command: 'npx' });
    const { written, data } = await addedBy('both', '--package', '3');
    expect(written).toEqual({
      name: 'both',
      transport: 'streamable_http',
      url: 'https://example.com/mcp',
      headers: { Authorization: `Bearer ${reference('BOTH_AUTHORIZATION')}` },
      trust: 'untrusted',
      client_consent: 'pending',
      enabled: false,
    });
    expect(data.steps.join('\n')).toContain('Set BOTH_AUTHORIZATION in the environment');
  });

  it('names secrets instead of holding them, and lets a catalogue name no variable of ours', async () => {
    const { written, data } = await addedBy('inputs');
    expect(written.env).toEqual({ API_KEY: reference('API_KEY'), REGION: 'eu' });
    expect(written.args).toEqual(['-y', 'inputs@1.0.0', '--mode', 'safe']);
    const steps = data.steps.join('\n');
    expect(steps).toMatch(/Add to args what it needs: <folder> \(it says: where it works\)/);
    expect(steps).toMatch(/Add to args what it needs: --steal/);
    expect(steps).toMatch(/Set API_KEY in the environment/);
    expect(steps).toMatch(/arguments of npx itself; they were left out/);
    expect(JSON.stringify({ written, data })).not.toContain('AWS_SECRET_ACCESS_KEY');
  });

  test.each([
    [['image'], 2, /packages of oci cannot be added/],
    [['latest'], 2, /no exact version/],
    [['evil'], 2, /package name is not valid/],
    [['http'], 2, /not an https one/],
    [['user'], 2, /holds a password/],
    [['nothing'], 2, /neither a package nor an address/],
    [['both', '--package', '2'], 2, /speaks sse/],
    [['both', '--package', '9'], 2, /--package must be 1 to 3/],
    [['both', '--package', 'x'], 2, /--package must be 1 to 3/],
    [['py', '--as', 'taken'], 2, /already: taken/],
    [['py', '--as', 'Not A Name'], 2, /This cannot be the name of a server/],
    [['py', '--as', '../x'], 2, /This cannot be the name of a server/],
    [['unheard-of'], 4, /has no such server/],
    [[], 2, /missing required argument 'name'/],
  ])('%j is refused and nothing is written', async (words, exit, says) => {
    const { workingFolder, line } = await place();
    const { code, stdout, stderr } = await line('add', ...words);
    expect({ code, stdout }).toEqual({ code: exit, stdout: '' });
    expect(stderr).toMatch(says);
    expect(await fileText(workingFolder, 'quire.yaml')).toBe(CONFIG);
  });

  it('makes the configuration file where there is none', async () => {
    const workingFolder = await temporaryFolder();
    const { code, stdout } = await mcpLine(['marketplace', 'add', 'server-memory'], {
      workingFolder,
      environment: { HOME: workingFolder },
    });
    expect(code).toBe(0);
    expect(stdout).toContain('quire.yaml, switched off');
    expect(parse(await fileText(workingFolder, 'quire.yaml')).control_plane.mcp_servers).toMatchObject([
      { name: 'server-memory', enabled: false },
    ]);
    expect((await stat(join(workingFolder, 'quire.yaml'))).mode & 0o777).toBe(0o600);
  });

  it('gives way to another process that changed the file meanwhile', async () => {
    const { workingFolder } = await place();
    const file = join(workingFolder, 'quire.yaml');
    await expect(replaceText(file, 'what it was', 'new')).rejects.toMatchObject({ code: 'conflict' });
    expect(await fileText(workingFolder, 'quire.yaml')).toBe(CONFIG);
    expect((await readdir(workingFolder)).sort()).toEqual(['list.json', 'quire.yaml']);
  });

  it('follows a link to the file and keeps its mode', async () => {
    const { workingFolder } = await place();
    const linked = await temporaryFolder();
    await symlink(join(workingFolder, 'quire.yaml'), join(linked, 'quire.yaml'));
    const before = await stat(join(workingFolder, 'quire.yaml'));
    const { code } = await mcpLine(
      ['marketplace', 'add', 'py', '--source', join(workingFolder, 'list.json')],
      { workingFolder: linked, environment: {} },
    );
    expect(code).toBe(0);
    expect(await fileText(workingFolder, 'quire.yaml')).toContain('mcp-py==0.5');
    expect((await stat(join(workingFolder, 'quire.yaml'))).mode).toBe(before.mode);
  });
});
