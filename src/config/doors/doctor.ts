import type { Door, DoorOption } from '../door.ts';
import { spaceDoor } from './silverbullet.ts';
import { triliumDoor } from './trilium.ts';

const PLACES = ['silverbullet.url', 'silverbullet.token', 'trilium.url', 'trilium.token', 'trilium.subtree'];

/** Whatever notes there are, to be looked over. */
export const doctorDoor: Door = {
  settings: {},
  log: { env: 'QUIRE_LOG', usual: 'warn' },
  options: [...spaceDoor.options, ...triliumDoor.options]
    .filter(({ setting }) => PLACES.includes(setting))
    .map(({ isNeeded: _, ...option }): DoorOption => option),
};
