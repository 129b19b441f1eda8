/** A person takes a server out of use, or gives it back; recorded in the audit log. */
import type { UpstreamServer } from '../config/control-plane.ts';
import type { Decider } from './decider.ts';
import type { Plane } from './plane.ts';

/** Switching off ends the server's process or connection here at once. */
export async function switchServer(
  { switches, stop, audit }: Pick<Plane, 'switches' | 'stop' | 'audit'>,
  { name }: Pick<UpstreamServer, 'name'>,
  isOn: boolean,
  decider: Decider,
): Promise<void> {
  if (isOn) await audit.ready();
  await switches.set(name, isOn, decider.by);
  if (!isOn) await stop(name);
  await audit.record({ event: 'switched', server: name, outcome: isOn ? 'on' : 'off', ...decider });
}
