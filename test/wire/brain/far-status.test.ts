/** Warnings of the second brain about notes on a server that its index does not cover yet. */
import { expect, it } from 'vitest';
import { eventually } from '../../kit/eventually.ts';
import { startProgram } from '../../kit/server.ts';
import { type FakeSilverBullet, startSilverBullet, TOKEN } from '../../kit/silverbullet/server.ts';
import type { Fate } from '../../kit/silverbullet/space.ts';
import { temporaryFolder } from '../../kit/temp.ts';

const FILES = { 'Alpha.md': 'alpha', 'Beta.md': 'beta', 'Gamma.md': 'gamma' };

/** A brain over a space in which reading the pages whose names fit ends like that; and what it says of its index. */
async function brainOver(pages: RegExp, fate: Fate) {
  const space = await startSilverBullet({ files: FILES, dialect: 'go', bare: true });
  fateOfReads(space, pages, fate);
  const yaml = `notebooks:\n  space: { silverbullet: { url: "${space.url}", token: "${TOKEN}" } }\n`;
  const folder = await temporaryFolder({ 'quire.yaml': yaml });
  const { client } = await startProgram(['brain', '--config', `${folder}/quire.yaml`, '--embeddings', 'off']);
  const indexFacts = async () => {
    const { contents } = await client.readResource({ uri: 'secondbrain://context/status' });
    const { notebooks } = JSON.parse((contents[0] as { text: string }).text);
    expect(notebooks).toMatchObject([{ name: 'space', writable: true }]);
    return notebooks[0].index;
  };
  const heal = () => {
    space.faults.fate = () => undefined;
  };
  return { indexFacts, heal };
}

function fateOfReads(space: FakeSilverBullet, pages: RegExp, fate: Fate): void {
  space.faults.fate = ({ name }) => (name.startsWith('/.fs/') && pages.test(name) ? fate : undefined);
}

const COMPLETE = { notes: 3, not_indexed: 0 };

it('counts a note that cannot be read, with the reason, until it can be', async () => {
  const { indexFacts, heal } = await brainOver(/Beta/, { kind: 'status', status: 403, applies: false });
  await eventually(async () =>
    expect(await indexFacts()).toEqual({ notes: 2, not_indexed: 1, unreadable: { forbidden: 1 } }),
  );
  heal();
  await eventually(async () => expect(await indexFacts()).toEqual(COMPLETE));
});

it('counts a note that is still waited for', async () => {
  let goOn = () => {};
  const until = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const { indexFacts, heal } = await brainOver(/Beta/, { kind: 'frozen', until });
  await eventually(async () => expect(await indexFacts()).toMatchObject({ notes: 2, not_indexed: 1 }));
  heal();
  goOn();
  await eventually(async () => expect(await indexFacts()).toEqual(COMPLETE));
});

it('says that the server cannot be reached while no note can be read, and no longer when it can', async () => {
  const { indexFacts, heal } = await brainOver(/md$/, { kind: 'status', status: 503, applies: false });
  await eventually(async () =>
    expect(await indexFacts()).toMatchObject({ notes: 0, not_indexed: 3, reachable: false }),
  );
  heal();
  await eventually(async () => expect(await indexFacts()).toEqual(COMPLETE));
});
