/** The binary, run by a user without any rights. */
import { execFile } from 'node:child_process';
import { access, chown, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { needOf } from '../kit/needs.ts';
import { CLEAN_ENVIRONMENT } from '../kit/temp.ts';
import type { PlaneFolder } from './plane-kit.ts';
import { bubblewrap } from './sandbox-kit.ts';

const BINARY = fileURLToPath(new URL('../../dist/quire.cjs', import.meta.url));
const SETPRIV = '/usr/bin/setpriv';
export const UNPRIVILEGED_ID = 65534;
const isRoot = process.getuid?.() === 0;
const hasSetpriv = await access(SETPRIV).then(
  () => true,
  () => false,
);

export const plainUser = !bubblewrap.isMet
  ? bubblewrap
  : needOf('root and setpriv', 'run as root, apt-get install util-linux', isRoot && hasSetpriv);

async function giveAway(path: string): Promise<void> {
  const names = await readdir(path, { recursive: true });
  for (const name of ['', ...names]) await chown(join(path, name), UNPRIVILEGED_ID, UNPRIVILEGED_ID);
}

/** The answer of a tool, called by an unprivileged user. */
export async function calledByNobody(plane: PlaneFolder, args: object, more: readonly string[] = []) {
  await giveAway(plane.folder);
  const user = [`--reuid=${UNPRIVILEGED_ID}`, `--regid=${UNPRIVILEGED_ID}`, '--clear-groups'];
  const words = ['mcp', 'call', 'evil', 'get_attack', '--args', JSON.stringify(args), ...more];
  const { stdout, stderr } = await promisify(execFile)(
    SETPRIV,
    [...user, process.execPath, BINARY, ...words],
    {
      cwd: plane.folder,
      env: {
        ...CLEAN_ENVIRONMENT,
        HOME: plane.folder,
        QUIRE_AUDIT_KEY_FILE: '',
        USER: 'nobody',
        CANARY: 'tweet',
      },
    },
  );
  return { found: JSON.parse(stdout), stderr };
}
