// The cost of governance: a call through the plane beside the same call by the SDK's own client, taken in turns against
// two processes of one small server; many servers and many tools; and other calls while a server does its worst.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { bundled } from './bundled.mjs';
import { measureEgress, PUMPS } from './egress-load.mjs';
import { median } from './median.mjs';
import { putBetweenMarkers } from './page.mjs';
import { serverEntry, UNCONFINED } from './plane-entry.mjs';
import { KINDS, measureLoad } from './plane-load.mjs';
import { measureFinding, measureLists, SERVERS, TOOLS } from './plane-many.mjs';
import { markdownTable } from './table.mjs';
import { exitWhenInterrupted, inTemporaryFolder } from './temporary.mjs';

const SERVER = fileURLToPath(new URL('plane-server.mjs', import.meta.url));
const WARM_UP = 200;
const CALLS = 1_000;
const BAR_MS = 1;
const BAR_LIST_MS = 600;
const BAR_FIND_MS = 20;
const BAR_HELD_MS = 50;

exitWhenInterrupted();
await inTemporaryFolder(async (folder) => {
  const calls = await measureCalls(folder);
  const many = { ...(await measureLists(folder)), ...(await measureFinding(folder)) };
  const load = await measureLoad(join(folder, 'load'));
  const egress = await measureEgress(folder);
  const text = `${tableOf(calls, many)}\n\n${loadTable(load)}\n\n${egressTable(egress)}`;
  process.stdout.write(`${text}\n`);
  if (process.argv.includes('--write')) await putBetweenMarkers('plane', text);
  const isHeld = [...load.rows, ...egress].some(({ heldMs }) => heldMs >= BAR_HELD_MS);
  const isSlow = calls.overhead >= BAR_MS || many.listMs >= BAR_LIST_MS || many.findMs >= BAR_FIND_MS;
  if (isSlow || isHeld) process.exitCode = 1;
});

async function measureCalls(folder) {
  const { planeIn } = await bundled('bench/plane-call.ts');
  const governed = await planeIn(folder, {
    mcp_limits: { calls_per_minute: 100_000 },
    mcp_sandbox: UNCONFINED,
    mcp_servers: [serverEntry('bench', SERVER)],
  });
  const direct = new Client({ name: 'bench', version: '1' });
  await direct.connect(new StdioClientTransport({ command: process.execPath, args: [SERVER] }));
  try {
    return await inTurns({
      direct: () => direct.callTool({ name: 'get_echo', arguments: { text: 'hello' } }),
      governed: () => governed.call('get_echo', { text: 'hello' }),
    });
  } finally {
    await Promise.all([direct.close(), governed.close()]);
  }
}

async function inTurns({ direct, governed }) {
  const times = { direct: [], governed: [] };
  for (let at = -WARM_UP; at < CALLS; at++) {
    const pair = { direct: await timed(direct), governed: await timed(governed) };
    if (at < 0) continue;
    times.direct.push(pair.direct);
    times.governed.push(pair.governed);
  }
  const [ofDirect, ofGoverned] = [median(times.direct), median(times.governed)];
  return { direct: ofDirect, governed: ofGoverned, overhead: ofGoverned - ofDirect };
}

async function timed(work) {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

function tableOf({ direct, governed, overhead }, { listMs, findMs }) {
  return markdownTable(
    ['Governed plane', 'ms', 'bar'],
    [
      ["a call by the SDK's own client, p50", direct.toFixed(2), ''],
      ['the same call through the plane, audited, p50', governed.toFixed(2), ''],
      ['what the plane adds', overhead.toFixed(2), `< ${BAR_MS}`],
      [
        `\`quire mcp servers\` with ${SERVERS} servers, their signatures checked, from spawn to exit`,
        listMs.toFixed(0),
        `< ${BAR_LIST_MS}`,
      ],
      [`\`find_tools\` among ${TOOLS} tools, p50`, findMs.toFixed(1), `< ${BAR_FIND_MS}`],
    ],
  );
}

/** Another call while a server floods. */
function loadTable({ idle, rows }) {
  const row = (label, { heldMs, other, note, tookMs }) => [
    label,
    heldMs.toFixed(0),
    `${note.p50} / ${note.max}`,
    `${other.p50} / ${other.max}`,
    tookMs,
  ];
  return markdownTable(
    [
      'Another call while an upstream sends',
      `loop held, ms (< ${BAR_HELD_MS})`,
      'note, p50 / max ms',
      'other server, p50 / max ms',
      'its own call, ms',
    ],
    [row('nothing', { ...idle, tookMs: '' }), ...rows.map((one) => row(KINDS[one.kind], one))],
  );
}

function egressTable(rows) {
  return markdownTable(
    ['A sandboxed server sends through its way out', `loop held, ms (< ${BAR_HELD_MS})`, 'MB passed on'],
    rows.map(({ kind, heldMs, megabytes }) => [PUMPS[kind].what, heldMs.toFixed(0), megabytes]),
  );
}
