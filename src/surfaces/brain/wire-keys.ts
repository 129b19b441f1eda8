/** Names of ours become those of the wire here: `lineStart` is `line_start` there. */
import { snakeCased } from '../../brain/wire.ts';

export type WireValue = Record<string, unknown>;

export function onWire(value: object): WireValue {
  return snakeCased(value) as WireValue;
}
