/** npm run bundle: dist/quire.mcpb, which Claude Desktop installs with one click, and its entry in the MCP registry. */
import { createHash } from 'node:crypto';
import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packExtension } from '@anthropic-ai/mcpb/cli';
import manifest from '../package.json' with { type: 'json' };
import entry from '../server.json' with { type: 'json' };
import { definitionsOf } from '../src/mcp/tool-list.ts';
import { notebookSurface } from '../src/surfaces/notebook/surface.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const FOLDER = join(ROOT, 'dist/bundle');
const FILE = join(ROOT, 'dist/quire.mcpb');
const REPOSITORY = entry.repository.url;

/** Something the client fills in. */
const variable = (name: string) => `\${${name}}`;

/** The settings in the client's dialogue. All but the folder have a default: a client leaves a variable without a value as it is written here. */
const SETTINGS = {
  folder: {
    type: 'directory',
    title: 'Notes',
    description: 'The folder that holds your notes, for example an Obsidian vault',
    required: true,
  },
  read_only: {
    type: 'boolean',
    title: 'Read-only',
    description: 'Offer no tool that changes notes',
    required: false,
    default: false,
  },
  tools: {
    type: 'string',
    title: 'Tools',
    description:
      'Tool sets, with commas between: notebook, and history to list and undo changes; links, tags, tasks and others, or all',
    required: false,
    default: 'notebook,history',
  },
  review: {
    type: 'string',
    title: 'Review',
    description: 'Changes that wait until you accept them: off, destructive or all',
    required: false,
    default: 'off',
  },
} as const;

/** As variables and not as flags, because a switch arrives as the word true or false. */
const VARIABLES = {
  QUIRE_READ_ONLY: variable('user_config.read_only'),
  QUIRE_TOOLS: variable('user_config.tools'),
  QUIRE_REVIEW: variable('user_config.review'),
};

function bundleManifest() {
  return {
    manifest_version: '0.3',
    name: manifest.name,
    display_name: entry.title,
    version: manifest.version,
    description: manifest.description,
    author: { name: 'The Quire authors', url: REPOSITORY },
    repository: { type: 'git', url: REPOSITORY },
    homepage: REPOSITORY,
    documentation: manifest.homepage,
    support: manifest.bugs.url,
    icon: 'icon.png',
    license: manifest.license,
    keywords: manifest.keywords,
    server: {
      type: 'node',
      entry_point: 'server/quire.cjs',
      mcp_config: {
        command: 'node',
        args: [`${variable('__dirname')}/server/quire.cjs`, 'notebook', variable('user_config.folder')],
        env: VARIABLES,
      },
    },
    // The settings add tools and take some away.
    tools_generated: true,
    tools: definitionsOf(notebookSurface).map(({ name, title }) => ({ name, description: title })),
    user_config: SETTINGS,
    compatibility: {
      platforms: ['darwin', 'win32', 'linux'],
      runtimes: { node: manifest.engines.node },
    },
  };
}

/** The entry of the registry with the bundle beside the package; it holds the hash of the very file that is published. */
async function registryEntry() {
  const hash = createHash('sha256').update(await readFile(FILE));
  const bundle = {
    registryType: 'mcpb',
    identifier: `${REPOSITORY}/releases/download/v${manifest.version}/${basename(FILE)}`,
    version: manifest.version,
    fileSha256: hash.digest('hex'),
    transport: { type: 'stdio' },
  };
  return { ...entry, packages: [...entry.packages, bundle] };
}

const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;

await rm(FOLDER, { recursive: true, force: true });
await mkdir(join(FOLDER, 'server'), { recursive: true });
for (const path of manifest.files.filter((name) => name.endsWith('.cjs')))
  await copyFile(join(ROOT, path), join(FOLDER, 'server', basename(path)));
await copyFile(join(ROOT, 'LICENSE'), join(FOLDER, 'LICENSE'));
await copyFile(join(ROOT, 'docs/images/icon.png'), join(FOLDER, 'icon.png'));
await writeFile(join(FOLDER, 'manifest.json'), json(bundleManifest()));
if (!(await packExtension({ extensionPath: FOLDER, outputPath: FILE, silent: false })))
  throw new Error('The bundle was not packed.');
await writeFile(join(ROOT, 'dist/server.json'), json(await registryEntry()));
