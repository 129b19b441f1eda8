/** `quire mcp add`, as a person types it: a real terminal, the real npm with a registry on this machine, the real sandbox. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bubblewrap, PROJECT } from '../governance/sandbox-kit.ts';
import { describeWith } from '../kit/needs.ts';
import { startNpmRegistry } from '../kit/npm-registry.ts';
import { temporaryFolder } from '../kit/temp.ts';
import { typeAt } from '../kit/typed-line.ts';

let registry: Awaited<ReturnType<typeof startNpmRegistry>>;
beforeAll(async () => {
  registry = await startNpmRegistry(PROJECT);
});
afterAll(() => registry.stop());

const inTerminal = (folder: string, line: string, answers: readonly string[] = []) =>
  typeAt(folder, `mcp ${line}`, { answers, env: { npm_config_registry: registry.url } });

describeWith(bubblewrap, 'quire mcp add', () => {
  it('server-memory: one command, two confirmations, and what it was told is there after a restart', async () => {
    const folder = await temporaryFolder();
    const added = await inTerminal(folder, 'add server-memory --as memory', ['y', 'y']);
    expect(added).toMatchObject({ code: 0, questions: 2 });
    expect(added.shown).toContain('memory is in');
    const entity = { name: 'Ada', entityType: 'person', observations: ['likes tea'] };
    await writeFile(join(folder, 'ada.json'), JSON.stringify({ entities: [entity] }));
    const told = await inTerminal(folder, 'call memory create_entities --args @ada.json --yes', ['y']);
    expect(told.shown).toContain('Ada');
    const read = await inTerminal(folder, 'call memory read_graph');
    expect(read.shown).toContain('likes tea');
  });

  it('server-filesystem: with the folder it is given, and no other', async () => {
    const folder = await temporaryFolder();
    await mkdir(join(folder, 'papers'));
    await writeFile(join(folder, 'papers', 'a.txt'), 'in reach');
    const added = await inTerminal(folder, 'add server-filesystem ./papers --as files', ['y', 'y']);
    expect(added).toMatchObject({ code: 0, questions: 2 });
    const read = await inTerminal(
      folder,
      `call files read_text_file --args '${JSON.stringify({ path: join(folder, 'papers', 'a.txt') })}'`,
      ['y'],
    );
    expect(read.shown).toContain('in reach');
  });

  it('is removed and added again, with what it kept', async () => {
    const folder = await temporaryFolder();
    await inTerminal(folder, 'add server-memory --as memory', ['y', 'y']);
    const removed = await inTerminal(folder, 'remove memory', ['y']);
    expect(removed).toMatchObject({ code: 0, shown: expect.stringContaining('servers/memory') });
    expect((await inTerminal(folder, 'add server-memory --as memory', ['y', 'n'])).code).toBe(0);
    expect(await inTerminal(folder, 'add server-memory --as memory', ['y', 'y'])).toMatchObject({ code: 0 });
    expect(await inTerminal(folder, 'call memory read_graph')).toMatchObject({ code: 0 });
  });

  it('writes nothing when the person says no, and nothing without a terminal', async () => {
    const folder = await temporaryFolder();
    expect((await inTerminal(folder, 'add server-memory', ['n'])).shown).toContain('was not added');
    expect((await inTerminal(folder, 'add server-memory', ['y', 'n'])).shown).toContain('was not added');
    await expect(readFile(join(folder, 'quire.yaml'))).rejects.toThrow('ENOENT');
  });
});
