/**
 * `quire mcp add`, as a person types it: a real terminal, the real npm with a registry on this machine, the real sandbox.
 * The first servers of the guide are added in plane-guide.test.ts.
 */
import { readFile } from 'node:fs/promises';
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
  typeAt(folder, `mcp ${line}`, { answers, env: registry.environment });

describeWith(bubblewrap, 'quire mcp add', () => {
  it('is removed and added again, with what it was told before', async () => {
    const entity = { name: 'Ada', entityType: 'person', observations: ['likes tea'] };
    const folder = await temporaryFolder({ 'ada.json': JSON.stringify({ entities: [entity] }) });
    const added = await inTerminal(folder, 'add server-memory --as memory', ['y', 'y']);
    expect(added).toMatchObject({ code: 0, questions: 2, shown: expect.stringContaining('memory is in') });
    const told = await inTerminal(folder, 'call memory create_entities --args @ada.json --yes', ['y']);
    expect(told.shown).toContain('Ada');
    const removed = await inTerminal(folder, 'remove memory', ['y']);
    expect(removed).toMatchObject({ code: 0, shown: expect.stringContaining('servers/memory') });
    expect((await inTerminal(folder, 'add server-memory --as memory', ['y', 'n'])).code).toBe(0);
    expect(await inTerminal(folder, 'add server-memory --as memory', ['y', 'y'])).toMatchObject({ code: 0 });
    const read = await inTerminal(folder, 'call memory read_graph');
    expect(read).toMatchObject({ code: 0, shown: expect.stringContaining('likes tea') });
  });

  it('writes nothing when the person says no, and nothing without a terminal', async () => {
    const folder = await temporaryFolder();
    expect((await inTerminal(folder, 'add server-memory', ['n'])).shown).toContain('was not added');
    expect((await inTerminal(folder, 'add server-memory', ['y', 'n'])).shown).toContain('was not added');
    await expect(readFile(join(folder, 'quire.yaml'))).rejects.toThrow('ENOENT');
  });
});
