/** Servers and planes as a configuration makes them. */
import { type ControlPlane, controlPlaneOf, type UpstreamServer } from '../../src/config/control-plane.ts';
import { configSchema } from '../../src/config/schema.ts';

export function serverOf(settings: Record<string, unknown> = {}): UpstreamServer {
  const { servers } = planeOf({}, [{ name: 'example', transport: 'stdio', ...settings }]);
  if (!servers[0]) throw new Error('no server');
  return servers[0];
}

export function planeOf(
  section: Record<string, unknown> = {},
  servers: readonly Record<string, unknown>[] = [],
  configFolder = '/nowhere',
): ControlPlane {
  const config = configSchema.parse({ notebooks: {}, control_plane: { ...section, mcp_servers: servers } });
  const plane = controlPlaneOf({ ...config, configFolder });
  if (!plane) throw new Error('no plane');
  return plane;
}
