/** A registry on this machine that serves the packages installed here, for the real npm. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

interface Installed {
  readonly folder: string;
  readonly version: string;
}

const run = promisify(execFile);
const MAX_TARBALL = 50_000_000;

/** `project` has a lock file and its packages. */
export async function startNpmRegistry(project: string) {
  const installed = await installedIn(project);
  /** Packed once each, by file. */
  const tarballs = new Map<string, Promise<Buffer>>();
  const packed = (file: string) => {
    const tarball = tarballs.get(file) ?? tarballOf(installed, file);
    tarballs.set(file, tarball);
    return tarball;
  };
  const server = createServer(async (request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? '/', 'http://x').pathname).slice(1);
    const [, file] = /^-\/(.+)\.tgz$/.exec(path) ?? [];
    try {
      if (file !== undefined) response.end(await packed(file));
      else
        response.setHeader('content-type', 'application/json').end(JSON.stringify(await packumentOf(path)));
    } catch {
      response.writeHead(404).end('{"error":"not found"}');
    }
  });
  const packumentOf = async (name: string) => {
    const versions = installed.get(name);
    if (!versions) throw new Error(name);
    const { port } = server.address() as AddressInfo;
    const manifests = await Promise.all(
      versions.map(async ({ folder, version }) => {
        const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
        const tarball = `http://127.0.0.1:${port}/-/${encodeURIComponent(`${name}@${version}`)}.tgz`;
        return [version, { ...manifest, dist: { tarball } }];
      }),
    );
    return { name, 'dist-tags': { latest: versions[0]?.version }, versions: Object.fromEntries(manifests) };
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/`;
  const cache = await mkdtemp(join(tmpdir(), 'quire-test-npm-'));
  return {
    url,
    /** For npm: this registry, and one cache for all who use it. */
    environment: { npm_config_registry: url, npm_config_cache: cache },
    async stop() {
      await new Promise((resolve) => server.close(resolve));
      await rm(cache, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

async function installedIn(project: string): Promise<Map<string, Installed[]>> {
  const lock = JSON.parse(await readFile(join(project, 'package-lock.json'), 'utf8'));
  const found = new Map<string, Installed[]>();
  for (const [path, { version }] of Object.entries<{ version: string }>(lock.packages)) {
    const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
    if (path !== '') found.set(name, [...(found.get(name) ?? []), { folder: join(project, path), version }]);
  }
  return found;
}

async function tarballOf(installed: Map<string, Installed[]>, file: string): Promise<Buffer> {
  const at = file.lastIndexOf('@');
  const one = installed.get(file.slice(0, at))?.find(({ version }) => version === file.slice(at + 1));
  if (!one) throw new Error(file);
  const args = [
    '-c',
    '--use-compress-program=gzip -1',
    '--exclude=./node_modules',
    '--transform=s,^\\.,package,',
    '-C',
    one.folder,
    '.',
  ];
  const { stdout } = await run('tar', args, { encoding: 'buffer', maxBuffer: MAX_TARBALL });
  return stdout;
}
