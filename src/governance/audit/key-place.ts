/** Where the key of the audit log is: outside the state folder, for its owner alone. */
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import type { ControlPlane } from '../../config/control-plane.ts';
import type { Environment } from '../../config/plane-file.ts';
import { fromHome } from '../../shared/fs/folder.ts';

/** Undefined with `key_file: none`. The copies of ends are in the folder `<file>.heads` beside it. */
export function auditKeyFile(
  { audit }: Pick<ControlPlane, 'audit'>,
  environment: Environment,
): string | undefined {
  const named = environment.QUIRE_AUDIT_KEY_FILE;
  if (named) return named === NONE ? undefined : resolve(fromHome(named));
  if (audit.keyFile !== undefined) return audit.keyFile === NONE ? undefined : audit.keyFile;
  const config = environment.XDG_CONFIG_HOME || join(environment.HOME || homedir(), '.config');
  return join(config, 'quire', 'audit.key');
}

const NONE = 'none';
