/** The bundle for Claude Desktop: the official tool validates, packs and unpacks it, and its server starts as its manifest says. */
import { execFile, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { getMcpConfigForManifest } from '@anthropic-ai/mcpb/node';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Ajv } from 'ajv';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { pinnedNames, pinnedTools } from '../kit/pinned-tools.ts';
import { CLEAN_ENVIRONMENT, temporaryFolder } from '../kit/temp.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const BUNDLE = join(ROOT, 'dist/quire.mcpb');
const TOOL = join(ROOT, 'node_modules/@anthropic-ai/mcpb/dist/cli/cli.js');
const run = promisify(execFile);
const readJson = async (path: string) => JSON.parse(await readFile(path, 'utf8'));

type Settings = Readonly<Record<string, string | boolean>>;

/** As a client unpacks it. */
let folder: string;

beforeAll(async () => {
  await run(process.execPath, [join(ROOT, 'dist/bundle.js')], { cwd: ROOT });
  folder = await mkdtemp(join(tmpdir(), 'quire-test-bundle-'));
  await run(process.execPath, [TOOL, 'unpack', BUNDLE, folder]);
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** The command that a client starts, by the official tool's own reading of the manifest. */
async function commandFor(userConfig: Settings) {
  return getMcpConfigForManifest({
    manifest: await readJson(join(folder, 'manifest.json')),
    extensionPath: folder,
    systemDirs: {},
    userConfig,
    pathSeparator: sep,
  });
}

async function toolsWith(userConfig: Settings): Promise<string[]> {
  const { command, args, env } = (await commandFor(userConfig))!;
  const client = new Client({ name: 'test', version: '1' });
  onTestFinished(() => client.close());
  await client.connect(new StdioClientTransport({ command, args, env: { ...CLEAN_ENVIRONMENT, ...env } }));
  return (await client.listTools()).tools.map(({ name }) => name);
}

async function failureWith(userConfig: Settings) {
  const { command, args, env } = (await commandFor(userConfig))!;
  return spawnSync(command, args ?? [], {
    env: { ...CLEAN_ENVIRONMENT, ...env },
    encoding: 'utf8',
    timeout: 20_000,
  });
}

test('is valid, small, and holds nothing but the program', async () => {
  const { stdout } = await run(process.execPath, [TOOL, 'validate', join(folder, 'manifest.json')]);
  expect(stdout).toContain('validation passes');
  expect((await readFile(BUNDLE)).length).toBeLessThan(5_000_000);
  const { version } = await readJson(join(ROOT, 'package.json'));
  const manifest = await readJson(join(folder, 'manifest.json'));
  expect(manifest).toMatchObject({ version, compatibility: { runtimes: { node: '>=20.19' } } });
  expect(manifest.tools.map(({ name }: { name: string }) => name)).toEqual(pinnedNames('notebook'));
});

test('asks for the folder alone, and does not start without it', async () => {
  const { user_config: settings } = await readJson(join(folder, 'manifest.json'));
  expect(settings.folder).toMatchObject({ type: 'directory', required: true });
  for (const [name, setting] of Object.entries<{ default?: unknown }>(settings))
    if (name !== 'folder') expect(setting.default, name).toBeDefined();
  expect(await commandFor({})).toBeUndefined();
});

test('answers tools/list with the settings as they are', async () => {
  const notes = await temporaryFolder({ 'a.md': 'alpha' });
  expect(await toolsWith({ folder: notes })).toEqual(
    expect.arrayContaining([...pinnedNames('notebook'), 'undo_changes']),
  );
});

test('offers no writing tool when it is read-only', async () => {
  const notes = await temporaryFolder({ 'a.md': 'alpha' });
  const reading = [...pinnedTools('notebook'), ...pinnedTools('history')]
    .filter(({ annotations }) => annotations?.readOnlyHint)
    .map(({ name }) => name);
  const tools = await toolsWith({ folder: notes, read_only: true });
  expect(tools).toContain('read_note');
  expect(tools.filter((name) => !reading.includes(name))).toEqual([]);
});

test('offers no tools of the history with notebook', async () => {
  const notes = await temporaryFolder({ 'a.md': 'alpha' });
  expect(await toolsWith({ folder: notes, tools: 'notebook' })).toEqual(pinnedNames('notebook'));
});

test.each<[string, Settings, RegExp]>([
  ['a folder that is not there', { folder: join(tmpdir(), 'no-such-notes') }, /no-such-notes/],
  ['unknown tools', { folder: tmpdir(), tools: 'everything' }, /QUIRE_TOOLS.*everything.*notebook, history/],
  ['an unknown review', { folder: tmpdir(), review: 'maybe' }, /QUIRE_REVIEW.*off.*destructive.*all/],
])('names %s', async (_, settings, words) => {
  const { status, stdout, stderr } = await failureWith(settings);
  expect(stderr).toMatch(words);
  expect(stdout).toBe('');
  expect(status).not.toBe(0);
});

test('has an entry for the registry, with the hash of the file', async () => {
  const entry = await readJson(join(ROOT, 'dist/server.json'));
  const ajv = new Ajv({ strict: false, validateFormats: false });
  expect(ajv.validate(await readJson(join(ROOT, 'test/fixtures/server.schema.json')), entry)).toBe(true);
  const bundle = entry.packages.at(-1);
  expect(bundle.fileSha256).toBe(
    createHash('sha256')
      .update(await readFile(BUNDLE))
      .digest('hex'),
  );
  // The registry takes bundles from releases only.
  expect(bundle.identifier).toMatch(
    new RegExp(`^${entry.repository.url}/releases/download/v${entry.version}/[^/]+\\.mcpb$`),
  );
});
