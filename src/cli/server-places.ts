/** What every start of a server over HTTP is given beside its configuration, and `quire doctor` for the same start. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { HttpServices } from '../app/http.ts';
import type { CommandSpec } from '../config/commands/command.ts';
import type { Environment } from '../config/plane-file.ts';
import { stateFolderOf } from '../shared/fs/errno.ts';

/** The flag and variable of the command by which the operator sets the public address. */
export function publicUrlOf(spec: CommandSpec): Pick<HttpServices, 'publicUrl'> {
  const option = spec.options.find(({ setting }) => setting === 'serve.publicUrl');
  if (!option) return {};
  const [flag] = option.flag.split(' ');
  return { publicUrl: { always: spec.needsPublicUrl === true, option: `${flag} or ${option.env}` } };
}

/** State folders are separate for each public origin. */
export function stateFolderFor(env: Environment): (origin: string) => string {
  return (origin) => join(stateFolderOf(env), createHash('sha256').update(origin).digest('hex').slice(0, 16));
}
