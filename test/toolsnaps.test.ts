/** Every tool definition as clients see it, pinned. A wanted change is written with `npm run snaps`. */
import { readdir } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { allSurfaces } from '../src/app/tool-catalog.ts';
import { NOTE_SETS } from '../src/config/tool-sets.ts';
import { definitionOf, definitionsOf, isOnlyForViews } from '../src/mcp/tool-list.ts';
import { budgetOf } from './kit/pinned-tools.ts';

const SURFACES = await allSurfaces();

describe.each(SURFACES.map((surface) => [surface.id, surface] as const))('%s', (id, surface) => {
  it('offers exactly the tools of its snapshot, in that order', async () => {
    const names = `${JSON.stringify(
      surface.tools.filter((tool) => !isOnlyForViews(tool)).map(({ name }) => name),
      null,
      2,
    )}\n`;
    await expect(names).toMatchFileSnapshot(`toolsnaps/${id}.json`);
  });

  it.each(surface.tools.map((tool) => [tool.name, tool] as const))('%s', async (name, tool) => {
    const definition = `${JSON.stringify(definitionOf(tool), null, 2)}\n`;
    await expect(definition).toMatchFileSnapshot(`toolsnaps/${id}/${name}.json`);
  });

  it('is listed within its byte budget', () => {
    const list = JSON.stringify({ tools: definitionsOf(surface) });
    expect(Buffer.byteLength(list)).toBeLessThanOrEqual(budgetOf(id as never));
  });

  it.runIf(isSet(id))('has no tool of more than 1,200 bytes', () => {
    const sizes = definitionsOf(surface).map((tool) => [tool.name, Buffer.byteLength(JSON.stringify(tool))]);
    expect(sizes.filter(([, bytes]) => Number(bytes) > 1_200)).toEqual([]);
  });

  it('has no snapshot of a tool that is gone', async () => {
    const files = await readdir(new URL(`toolsnaps/${id}/`, import.meta.url));
    const offered = surface.tools.map(({ name }) => `${name}.json`);
    expect(files.filter((file) => !offered.includes(file))).toEqual([]);
  });
});

function isSet(id: string): boolean {
  return id === 'history' || (NOTE_SETS as readonly string[]).includes(id);
}
