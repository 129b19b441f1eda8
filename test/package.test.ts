/** The package files that a fresh clone needs, and those by which others find the package. */
import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { notebookCommand } from '../src/config/commands/notebook.ts';

interface Lock {
  packages: Record<
    string,
    {
      version?: string;
      resolved?: string;
      engines?: { node?: string };
      optionalDependencies?: Record<string, string>;
    }
  >;
}

interface Package {
  name: string;
  version: string;
  description: string;
  mcpName: string;
  repository: { url: string };
  homepage: string;
  bugs: { url: string };
  engines: { node: string };
  bin: Record<string, string>;
  files: string[];
  dependencies?: object;
  optionalDependencies?: object;
}

const { satisfies } = createRequire(import.meta.url)('semver') as {
  satisfies(version: string, range: string): boolean;
};
/** The oldest of each line that package.json promises. */
const OLDEST_NODES = ['20.19.0', '22.12.0', '24.0.0'];

const read = (path: string) => readFile(new URL(`../${path}`, import.meta.url), 'utf8');
const readJson = async <Json>(path: string) => JSON.parse(await read(path)) as Json;
const lockOf = (folder: string) => readJson<Lock>(`${folder}package-lock.json`);
const packageFile = () => readJson<Package>('package.json');

describe.each([
  ['the package', ''],
  ['the programs of the long tests', 'test/programs/'],
])('%s', (_, folder) => {
  it('names no registry host', async () => {
    const { packages } = await lockOf(folder);
    expect(Object.values(packages).filter((entry) => entry.resolved !== undefined)).toEqual([]);
    expect(await read(`${folder}.npmrc`)).not.toMatch(/registry\s*=/);
  });

  it('locks the optional packages of every platform, without which npm ci refuses to start', async () => {
    const { packages } = await lockOf(folder);
    const names = new Set(
      Object.keys(packages).map((place) => place.slice(place.lastIndexOf('node_modules/') + 13)),
    );
    const wanted = Object.values(packages).flatMap((entry) => Object.keys(entry.optionalDependencies ?? {}));
    expect(wanted.filter((name) => !names.has(name))).toEqual([]);
  });
});

describe('the package', () => {
  it('has nothing to install beside it', async () => {
    const { dependencies, optionalDependencies } = await packageFile();
    expect({ dependencies, optionalDependencies }).toEqual({});
  });

  it.each(OLDEST_NODES)('needs no newer Node than %s, so that npm ci prints no warning', async (version) => {
    expect(satisfies(version, (await packageFile()).engines.node)).toBe(true);
    const { packages } = await lockOf('');
    const newer = Object.entries(packages).filter(
      ([, { engines }]) => !satisfies(version, engines?.node ?? '*'),
    );
    expect(newer.map(([place, entry]) => `${place}: ${entry.engines?.node}`)).toEqual([]);
  });

  it('has two names for one program, and everything the program reads', async () => {
    const { bin, files } = await packageFile();
    expect(bin).toEqual({ quire: 'dist/quire.cjs', sb: 'dist/quire.cjs' });
    const built = await readdir(new URL('../dist', import.meta.url));
    const programs = built.filter((name) => name.endsWith('.cjs')).map((name) => `dist/${name}`);
    expect(files).toEqual(expect.arrayContaining([...programs, '.env.example']));
    const lock = await readJson<{ packages: Record<string, { bin?: object }> }>('package-lock.json');
    expect(lock.packages['']?.bin).toEqual(bin);
  });

  it('has its version in the programs, and of the rest of package.json nothing', async () => {
    const dist = new URL('../dist/', import.meta.url);
    const { version, mcpName } = await packageFile();
    const programs = (await readdir(dist)).filter((name) => name.endsWith('.cjs'));
    const texts = await Promise.all(programs.map((name) => readFile(new URL(name, dist), 'utf8')));
    const programsWith = (part: string) => programs.filter((_, at) => texts[at]?.includes(part));
    expect(programsWith(`version:"${version}"`)).toContain('quire-bundle.cjs');
    expect(programsWith(mcpName)).toEqual([]);
  });

  it('is tested by exactly the command the README opens with', async () => {
    const [readme, ci] = await Promise.all([read('README.md'), read('.ci/run')]);
    expect(readme.split('\n').slice(0, 6).join('\n')).toMatch(
      /^npm ci && npm start\b.*\nnpm ci && npm test\b/m,
    );
    expect(ci.trim().split('\n').at(-1)).toBe('npm ci && npm test && npm run test:long');
  });
});

describe('its entry in the MCP registry', () => {
  const REPOSITORY = 'https://github.com/quire-mcp/quire';

  interface Entry {
    $schema: string;
    name: string;
    description: string;
    version: string;
    repository: { url: string };
    websiteUrl: string;
    packages: {
      registryType: string;
      identifier: string;
      version: string;
      transport: object;
      environmentVariables: { name: string }[];
    }[];
  }

  it("is valid by the registry's schema", async () => {
    const [schema, entry] = await Promise.all([
      readJson<{ $id: string }>('test/fixtures/server.schema.json'),
      readJson<Entry>('server.json'),
    ]);
    expect(entry.$schema).toBe(schema.$id);
    // Its formats are those of addresses, which the next test compares with ours.
    const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true });
    ajv.validate(schema, entry);
    expect(ajv.errors ?? []).toEqual([]);
    expect(ajv.validate(schema, { ...entry, description: 'x'.repeat(101) })).toBe(false);
  });

  it('names the package that names it, in the same version', async () => {
    const { name, version, description, mcpName } = await packageFile();
    const entry = await readJson<Entry>('server.json');
    expect(entry).toMatchObject({ name: mcpName, version, description });
    expect(entry.packages).toMatchObject([
      { registryType: 'npm', identifier: name, version, transport: { type: 'stdio' } },
    ]);
  });

  it('has the address that the package has', async () => {
    const { repository, homepage, bugs } = await packageFile();
    const entry = await readJson<Entry>('server.json');
    expect([entry.repository.url, entry.websiteUrl]).toEqual([REPOSITORY, REPOSITORY]);
    expect([repository.url, homepage, bugs.url]).toEqual([
      `git+${REPOSITORY}.git`,
      `${REPOSITORY}#readme`,
      `${REPOSITORY}/issues`,
    ]);
    const [owner, project] = new URL(REPOSITORY).pathname.slice(1).split('/');
    expect(entry.name).toBe(`io.github.${owner}/${project}`);
  });

  it('sets variables that the program reads', async () => {
    const known = notebookCommand.options.map(({ env }) => env);
    const [npm] = (await readJson<Entry>('server.json')).packages;
    expect(npm?.environmentVariables.filter(({ name }) => !known.includes(name))).toEqual([]);
  });
});
