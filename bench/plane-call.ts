/** The plane over one server, `bench`, as the benchmark calls it. */
import { controlPlaneOf } from '../src/config/control-plane.ts';
import { configSchema } from '../src/config/schema.ts';
import { callCapability } from '../src/governance/call.ts';
import { openPlane } from '../src/governance/plane.ts';
import { silentLog } from '../src/shared/log.ts';
import { NO_OPERATOR } from '../src/upstream/nested/operator.ts';

export async function planeIn(folder: string, control_plane: unknown) {
  const config = configSchema.parse({ notebooks: {}, control_plane });
  const settings = controlPlaneOf({ ...config, configFolder: folder });
  if (!settings) throw new Error('no plane');
  const plane = openPlane({
    config: settings,
    // The key of the audit log is made in the folder too.
    environment: { PATH: process.env.PATH, HOME: folder },
    operator: NO_OPERATOR,
    client: { name: 'bench', version: '1' },
    log: silentLog,
  });
  return {
    call: (name: string, args: Record<string, unknown>) =>
      callCapability(plane, { server: 'bench', kind: 'tool', name, args, by: 'bench' }),
    close: () => plane.close(),
  };
}
