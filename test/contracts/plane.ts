/** What the plane's state promises to several processes, wherever it is kept. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ApprovalRequest } from '../../src/governance/approvals/approval.ts';
import { openApprovals } from '../../src/governance/approvals/approvals.ts';
import { type Audit, openAudit, verifyAuditExport } from '../../src/governance/audit/audit.ts';
import { openCatalog } from '../../src/governance/catalog/catalog.ts';
import type { PlaneState } from '../../src/governance/plane-state.ts';
import { openSwitches } from '../../src/governance/switches.ts';
import { createRates } from '../../src/governance/usage.ts';
import { openSeal } from '../../src/state/chain-seal.ts';
import { temporaryFolder } from '../kit/temp.ts';

export interface PlanePlaceUnderTest {
  readonly folder: string;
  /** As one more process opens it; undefined where everything is in the folder. */
  shared(): Promise<PlaneState | undefined>;
  /** Changes the text of a line of the audit log behind our back. */
  tamper(seq: number, from: string, to: string): Promise<void>;
}

const REQUEST: ApprovalRequest = {
  kind: 'call',
  server: 'mail',
  capability: 'send',
  class: 'external',
  args: { to: 'alex@example.com' },
  fingerprint: 'f1',
  policyVersion: 'p1',
  requestedBy: 'agent',
  session: 's1',
};
const BY = { by: 'operator' };
const started = (call: string) =>
  ({ event: 'started', call, server: 's', capability: 'c', kind: 'tool' }) as const;
const decided = (server: string) =>
  ({
    event: 'decided',
    call: 'x',
    server,
    capability: 'c',
    kind: 'tool',
    outcome: 'allow',
    code: 'c',
    rule: 'r',
  }) as const;

export function testPlaneContract(newPlace: () => Promise<PlanePlaceUnderTest>): void {
  const approvalsAt = async (place: PlanePlaceUnderTest, now?: () => number) =>
    openApprovals({ folder: place.folder, now, shared: (await place.shared())?.approvals });
  const auditAt = async (place: PlanePlaceUnderTest, options: object = {}): Promise<Audit> =>
    openAudit({
      folder: place.folder,
      quick: true,
      seal: () => openSeal(join(place.folder, '..', 'audit.key')),
      open: (await place.shared())?.openChain,
      ...options,
    });

  test('an approval is asked for once by two processes, and used once although many try', async () => {
    const place = await newPlace();
    const [one, other] = [await approvalsAt(place), await approvalsAt(place)];
    const asked = await Promise.all(
      [one, other, one, other].map((by) => by.claim(REQUEST, async () => 'ran')),
    );
    expect(new Set(asked.map(({ approval }) => approval.id)).size).toBe(1);
    const id = asked[0]!.approval.id;
    expect(JSON.parse((await other.argumentsOf(await other.get(id))) ?? '')).toEqual(REQUEST.args);
    await other.approve(id, BY);
    let ran = 0;
    const claims = await Promise.all(
      [one, other, one, other, one, other].map((by) => by.claim(REQUEST, async () => ++ran)),
    );
    expect(claims.filter(({ outcome }) => outcome === 'started')).toHaveLength(1);
    expect(ran).toBe(1);
    expect(await one.get(id)).toMatchObject({ state: 'consumed' });
    await expect(one.revoke(id, BY)).rejects.toThrow('consumed');
  });

  test('a denial and a revocation count for all processes at once, and old ones are removed', async () => {
    const place = await newPlace();
    const clock = { now: 1_800_000_000_000 };
    const now = () => clock.now;
    const [one, other] = [await approvalsAt(place, now), await approvalsAt(place, now)];
    const ask = async () => (await one.claim(REQUEST, async () => 'ran')).approval.id;
    const first = await ask();
    await other.approve(first, { ...BY, scope: 'always' });
    expect((await one.claim(REQUEST, async () => 'ran')).outcome).toBe('started');
    await other.revoke(first, BY);
    expect((await one.claim(REQUEST, async () => 'ran')).outcome).toBe('pending');
    await expect(other.approve(first, BY)).rejects.toThrow('This approval is revoked, not pending');
    clock.now += 30 * 86_400_000;
    expect(await other.prune(clock.now)).toBe(2);
    expect(await one.list()).toEqual([]);
    expect(await ask()).not.toBe(first);
  });

  test('the audit log of several processes has one order, verifies, and so does its export', async () => {
    const place = await newPlace();
    const audits = [await auditAt(place), await auditAt(place), await auditAt(place)];
    await Promise.all(
      Array.from({ length: 30 }, (_, n) =>
        audits[n % 3]!.record(started(`${n} "ü\u{1f600}\ud800\0`), started('b')),
      ),
    );
    for (const audit of audits) await audit.flush();
    const report = await audits[0]!.verify();
    expect(report).toMatchObject({ isWhole: true, lines: 60, seal: 'sealed', end: { seq: 60 } });
    const records: number[] = [];
    for await (const { seq } of audits[1]!.read()) records.push(seq);
    expect(records).toEqual(Array.from({ length: 60 }, (_, n) => n + 1));
    const back: number[] = [];
    for await (const { seq } of audits[2]!.readBack({ before: 31 })) back.push(seq);
    expect(back).toEqual(records.slice(0, 30).reverse());
    const file = join(place.folder, '..', 'export.jsonl');
    const lines: string[] = [];
    for await (const line of audits[2]!.export()) lines.push(line);
    await writeFile(file, `${lines.join('\n')}\n`);
    const keyFile = join(place.folder, '..', 'audit.key');
    expect(await verifyAuditExport(file, keyFile)).toMatchObject({
      isWhole: true,
      lines: 60,
      seal: 'sealed',
    });
    await writeFile(file, `${lines.join('\n').replace('"seq":7', '"seq":7,"x":1')}\n`);
    expect((await verifyAuditExport(file, keyFile))?.isWhole).toBe(false);
    await expect((await auditAt(place)).ready()).resolves.toBeUndefined();
  });

  test('a line that was changed behind our back is found, no call runs, and a new log begins when it is acknowledged', async () => {
    const place = await newPlace();
    const audit = await auditAt(place);
    for (const call of ['a', 'b', 'c']) await audit.record(started(call));
    await audit.flush();
    await place.tamper(2, '"call":"b"', '"call":"x"');
    const after = await auditAt(place);
    expect((await after.verify()).problems).toMatchObject([{ code: 'broken_link', seq: 3 }]);
    await expect(after.ready()).rejects.toMatchObject({ reason: 'audit_broken' });
    await expect(after.record(started('d'))).rejects.toMatchObject({ reason: 'audit_broken' });
    const done = await after.acknowledge('looked', { by: 'cli:me', uid: 1, via: 'terminal' });
    expect(done?.kept).toMatch(/^audit-kept-/);
    await after.record(started('e'));
    await after.flush();
    expect(await (await auditAt(place)).verify()).toMatchObject({ isWhole: true, lines: 2, end: { seq: 5 } });
  });

  test('a limit holds for the calls of all processes', async () => {
    const place = await newPlace();
    const limited = async () => {
      const rates = createRates(5, Date.now);
      const audit = await auditAt(place, { follow: { since: rates.since, onLine: rates.note } });
      return () => audit.recordIf(() => rates.room('s'), decided('s'));
    };
    const calls = [await limited(), await limited()];
    const allowed = await Promise.all(Array.from({ length: 12 }, (_, n) => calls[n % 2]!()));
    expect(allowed.filter(Boolean)).toHaveLength(5);
  });

  test('a switch and a pin of one process are felt by another within a second', async () => {
    const place = await newPlace();
    const [one, other] = [await place.shared(), await place.shared()];
    const at = (state: PlaneState | undefined) => ({
      folder: place.folder,
      files: state?.files,
      now: () => 7,
    });
    const [mine, theirs] = [openSwitches(at(one)), openSwitches(at(other))];
    const [pins, theirPins] = [openCatalog(at(one)), openCatalog(at(other))];
    expect(await theirs.of('s')).toBeUndefined();
    expect(await theirPins.pinned('s')).toBeUndefined();
    await mine.set('s', false, 'alex');
    await pins.acceptInstructions(
      { server: 's', instructions: { text: 'hello', fingerprint: 'f' } } as never,
      'alex',
    );
    const since = performance.now();
    await expect.poll(() => theirs.of('s'), { interval: 5 }).toMatchObject({ by: 'alex' });
    await expect
      .poll(() => theirPins.pinned('s'), { interval: 5 })
      .toMatchObject({ instructions: { text: 'hello' } });
    expect(performance.now() - since).toBeLessThan(20_000);
    await Promise.all(
      ['a', 'b', 'c', 'd'].map((name, n) => (n % 2 ? mine : theirs).set(name, false, 'alex')),
    );
    for (const name of ['a', 'b', 'c', 'd', 's'])
      expect(await openSwitches(at(await place.shared())).of(name)).toBeDefined();
  });
}

/** A folder for what belongs to one machine. */
export async function machineFolder(): Promise<string> {
  return join(await temporaryFolder(), 'state');
}
