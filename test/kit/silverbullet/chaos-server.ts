/** A SilverBullet that may be killed at any time: what stands on its disk then is what the next one finds. */

import {
  type ChaosServer,
  noteName,
  type Orders,
  ownWord,
  savedState,
  saveState,
  serveChaos,
  tell,
} from '../chaos-server.ts';
import { randomFrom } from '../random.ts';
import { Disk, type DiskFile } from './disk.ts';
import { openSilverBullet } from './open.ts';

/** How often the second writer opens a page in the moment it is read. */
const CAUGHT = 0.06;
const TORN_MS = 8;
const LONG_AGO = 1_700_000_000_123;

await serveChaos(async (orders): Promise<ChaosServer> => {
  const disk = diskOf(orders);
  const contested = new Map<DiskFile, string>();
  for (let n = 0; n < orders.contested; n++) {
    const file = disk.files.get(`${noteName(n)}.md`);
    if (file) contested.set(file, `${noteName(n)}.md`);
  }
  const random = randomFrom(orders.seed + orders.life + 1);
  const read = disk.read.bind(disk);
  disk.read = (file) => {
    const name = contested.get(file);
    if (name && random() < CAUGHT) void disk.write(name, Buffer.from(file.bytes));
    tell({ kind: 'read', isTorn: file.incoming.length > 0 });
    return read(file);
  };
  const fake = await openSilverBullet({ disk, bare: true, port: orders.port });
  return {
    url: fake.url,
    trouble: (fate, latencyMs) => Object.assign(fake.faults, { fate, latencyMs }),
    edit: async (name, text) => {
      await disk.write(`${name}.md`, Buffer.from(`# Page\n\n${text}\n`));
      fake.events?.changed(`${name}.md`, false);
    },
    texts: () =>
      Object.fromEntries(
        [...disk.files].map(([name, { bytes }]) => [name.replace(/\.md$/, ''), bytes.toString()]),
      ),
  };
});

function diskOf(orders: Orders): Disk {
  const disk = new Disk();
  const saved = savedState<Map<string, DiskFile>>(orders);
  for (const [name, { bytes, lastModified }] of saved ?? []) disk.seed(name, bytes, lastModified);
  if (!saved)
    for (let n = 0; n < orders.notes; n++)
      disk.seed(`${noteName(n)}.md`, `# Page\n\n${ownWord(n)} and other words\n`, LONG_AGO);
  disk.ways.tornMs = () => TORN_MS;
  const save = () => saveState(orders, disk.files);
  const write = disk.write.bind(disk);
  disk.write = async (...args) => {
    const writing = write(...args);
    save();
    try {
      return await writing;
    } finally {
      save();
    }
  };
  const remove = disk.files.delete.bind(disk.files);
  disk.files.delete = (name) => {
    const wasThere = remove(name);
    save();
    return wasThere;
  };
  return disk;
}
