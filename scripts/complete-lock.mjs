// npm run lock, npm run lock:programs: adds to the package-lock.json of a folder the optional packages for other platforms that npm left out.
// npm drops an optional package it cannot fetch while it writes the lock file, and `npm ci` then refuses the
// file as incomplete. An entry with the platform in it is all `npm ci` needs to pass the package over.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const OPERATING_SYSTEMS = [
  'aix',
  'android',
  'darwin',
  'freebsd',
  'linux',
  'netbsd',
  'openbsd',
  'openharmony',
  'sunos',
  'win32',
];
const PROCESSORS = [
  'arm64',
  'arm',
  'ia32',
  'loong64',
  'mips64el',
  'ppc64',
  'riscv64',
  's390x',
  'wasm32',
  'x64',
];
/** How some packages spell them in their names. */
const SPELLINGS = { armv7: 'arm', ppc64le: 'ppc64', powerpc64le: 'ppc64', loongarch64: 'loong64' };

const file = join(process.argv[2] ?? '.', 'package-lock.json');
const lock = JSON.parse(await readFile(file, 'utf8'));
let added = 0;
for (const [place, entry] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    if (isLocked(place, name)) continue;
    lock.packages[`node_modules/${name}`] = {
      version,
      ...platformOf(name),
      ...(entry.dev && { dev: true }),
      optional: true,
    };
    added++;
  }
}
lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)));
await writeFile(file, `${JSON.stringify(lock, null, 2)}\n`);
process.stdout.write(`${added} entries added\n`);

function isLocked(place, name) {
  for (let folder = place; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    if (lock.packages[`${folder === '' ? '' : `${folder}/`}node_modules/${name}`]) return true;
    if (folder === '') return false;
    if (!folder.includes('/node_modules/')) folder = '';
  }
}

function platformOf(name) {
  const parts = name.split(/[/-]/).map((part) => SPELLINGS[part] ?? part);
  const os = OPERATING_SYSTEMS.find((system) => parts.includes(system));
  const cpu = PROCESSORS.find((processor) => parts.includes(processor));
  const libc =
    parts.includes('musl') || parts.includes('musleabihf')
      ? 'musl'
      : parts.includes('gnu') || parts.includes('gnueabihf')
        ? 'glibc'
        : undefined;
  if (!os && !cpu) throw new Error(`${name}: which platform is it for?`);
  return { ...(cpu && { cpu: [cpu] }), ...(os && { os: [os] }), ...(libc && { libc: [libc] }) };
}
