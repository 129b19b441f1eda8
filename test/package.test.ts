/** The package files that a fresh clone needs. */
import { readdir, readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';

interface Lock {
  packages: Record<
    string,
    { version?: string; resolved?: string; optionalDependencies?: Record<string, string> }
  >;
}

const read = (path: string) => readFile(new URL(`../${path}`, import.meta.url), 'utf8');

describe('the package', () => {
  it('names no registry host', async () => {
    const lock = JSON.parse(await read('package-lock.json')) as Lock;
    expect(Object.values(lock.packages).filter((entry) => entry.resolved !== undefined)).toEqual([]);
    expect(await read('.npmrc')).not.toMatch(/registry\s*=/);
  });

  it('locks the optional packages of every platform, without which npm ci refuses to start', async () => {
    const { packages } = JSON.parse(await read('package-lock.json')) as Lock;
    const names = new Set(
      Object.keys(packages).map((place) => place.slice(place.lastIndexOf('node_modules/') + 13)),
    );
    const wanted = Object.values(packages).flatMap((entry) => Object.keys(entry.optionalDependencies ?? {}));
    expect(wanted.filter((name) => !names.has(name))).toEqual([]);
  });

  it('has two names for one program, and everything the program reads', async () => {
    const { bin, files } = JSON.parse(await read('package.json')) as {
      bin: Record<string, string>;
      files: string[];
    };
    expect(bin).toEqual({ quire: 'dist/quire.cjs', sb: 'dist/quire.cjs' });
    const built = await readdir(new URL('../dist', import.meta.url));
    const programs = built.filter((name) => name.endsWith('.cjs')).map((name) => `dist/${name}`);
    expect(files).toEqual(expect.arrayContaining(programs));
    const lock = JSON.parse(await read('package-lock.json')) as {
      packages: Record<string, { bin?: object }>;
    };
    expect(lock.packages['']?.bin).toEqual(bin);
  });

  it('is tested by exactly the command the README opens with', async () => {
    const [readme, ci] = await Promise.all([read('README.md'), read('.ci/run')]);
    expect(readme.split('\n').slice(0, 6).join('\n')).toMatch(
      /^npm ci && npm start\b.*\nnpm ci && npm test\b/m,
    );
    expect(ci.trim().split('\n').at(-1)).toBe('npm ci && npm test && npm run test:long');
  });
});
