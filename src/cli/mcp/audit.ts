/** `quire mcp audit`: reads, follows, verifies and exports the audit log, and acknowledges one that was changed. */
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { controlPlaneOf } from '../../config/control-plane.ts';
import { type Audit, type AuditRecord, verifyAuditExport } from '../../governance/audit/audit.ts';
import { auditKeyFile } from '../../governance/audit/key-place.ts';
import { maskSecrets } from '../../governance/catalog/scan/shadowing.ts';
import { AppError } from '../../shared/errors.ts';
import { fromHome } from '../../shared/fs/folder.ts';
import { printable } from '../../shared/printable.ts';
import { type Column, tableOf } from '../table.ts';
import {
  type McpCall,
  type McpCommand,
  type McpOption,
  type McpOutput,
  numberOf,
  plainOutput,
} from './command.ts';
import { McpFailure } from './exit.ts';
import { confirmed, KEY_FILE } from './person.ts';
import { checkedConfigOf, withPlane, writeNewFile } from './plane.ts';
import { sinceOf } from './report.ts';

type Fields = Readonly<Record<string, unknown>>;

const FILTERS: readonly McpOption[] = [
  { flag: '--server <name>', description: 'only records about this server' },
  { flag: '--kind <event>', description: 'only these: answered, accepted, switched, decided, returned …' },
];
const SINCE: McpOption = { flag: '--since <when>', description: '90m, 12h, 7d, 4w, or a date (2026-01-31)' };
const LIMIT = 50;
const MAX_LIMIT = 10_000;
const WATCH_MS = 200;

interface Filter {
  readonly server?: string;
  readonly kind?: string;
  readonly since: number;
}

function filterOf({ options }: McpCall, now: number): Filter {
  const { server, kind, since } = options;
  return {
    ...(typeof server === 'string' && { server }),
    ...(typeof kind === 'string' && { kind }),
    since: since === undefined ? 0 : sinceOf(since, now),
  };
}

function fits(record: AuditRecord, { server, kind }: Filter): boolean {
  const found = (record as Fields).server;
  return (server === undefined || found === server) && (kind === undefined || record.event === kind);
}

function textOf(record: AuditRecord, field: string): string {
  const value = (record as Fields)[field];
  return value === undefined ? '' : printable(typeof value === 'string' ? value : JSON.stringify(value), 300);
}

const COLUMNS: readonly Column<AuditRecord>[] = [
  { title: 'No', value: ({ seq }) => String(seq), priority: 9, align: 'right' },
  { title: 'Time', value: ({ time }) => time.slice(0, 19).replace('T', ' '), min: 19, priority: 8 },
  { title: 'Kind', value: ({ event }) => printable(event, 40), min: 8, priority: 10 },
  { title: 'Server', value: (one) => textOf(one, 'server'), min: 6, priority: 6 },
  { title: 'Capability', value: (one) => textOf(one, 'capability'), min: 10, priority: 5 },
  { title: 'Outcome', value: (one) => textOf(one, 'outcome'), min: 7, priority: 7 },
  { title: 'By', value: (one) => textOf(one, 'by'), min: 6, priority: 4 },
  { title: 'How', value: (one) => textOf(one, 'via'), min: 4, priority: 3 },
];

const list: McpCommand = {
  name: 'list',
  summary: 'the newest records first',
  options: [
    ...FILTERS,
    SINCE,
    { flag: '--limit <n>', description: 'so many at most', default: String(LIMIT) },
  ],
  examples: [['audit list --kind answered --since 7d', 'who approved and denied what in a week']],
  run: listRecords,
};

function listRecords(call: McpCall): Promise<McpOutput> {
  return withPlane(call, async (plane) => {
    const filter = filterOf(call, plane.now());
    const limit = numberOf('--limit', call.options.limit, { min: 1, max: MAX_LIMIT }) ?? LIMIT;
    const records: AuditRecord[] = [];
    for await (const record of plane.audit.readBack()) {
      if (records.length === limit || Date.parse(record.time) < filter.since) break;
      if (fits(record, filter)) records.push(record);
    }
    if (records.length === 0) call.note('There are none.');
    return {
      data: { records },
      lines: (view) => (records.length === 0 ? { lines: [] } : tableOf(COLUMNS, records, view)),
    };
  });
}

const show: McpCommand = {
  name: 'show',
  summary: 'all of one record, or all records of a call or an approval',
  arguments: [{ name: 'id', description: 'a number of the list, or the id of a call or an approval' }],
  examples: [['audit show 42', 'the record no. 42']],
  run: (call) =>
    withPlane(call, async (plane) => {
      const id = call.args.id ?? '';
      const isNumber = /^\d{1,15}$/.test(id);
      const records: AuditRecord[] = [];
      const from = isNumber ? { before: Number(id) + 1 } : {};
      for await (const record of plane.audit.readBack(from)) {
        const { seq, call: ofCall, approval } = record as Fields;
        if (isNumber ? seq === Number(id) : ofCall === id || approval === id) records.unshift(record);
        if (isNumber) break;
      }
      if (records.length === 0)
        throw new AppError('not_found', 'There is no such record', {
          subject: printable(id, 60),
          hint: 'See: quire mcp audit list',
        });
      return plainOutput({ records }, ...records.flatMap(recordLines));
    }),
};

function recordLines(record: AuditRecord, at: number): string[] {
  const facts = Object.entries(record);
  const width = Math.max(...facts.map(([name]) => name.length));
  const lines = facts.map(([name]) => `${printable(name, 40).padEnd(width)}  ${textOf(record, name)}`);
  return at === 0 ? lines : ['', ...lines];
}

const watch: McpCommand = {
  name: 'watch',
  summary: 'print records as they are made, until Ctrl-C',
  options: FILTERS,
  examples: [['audit watch --server mail', 'what happens with one server, now']],
  run: (call) =>
    withPlane(call, async (plane) => {
      const filter = filterOf(call, plane.now());
      let last = 0;
      for await (const { seq } of plane.audit.readBack()) {
        last = seq;
        break;
      }
      const waiting: AuditRecord[] = [];
      const since = plane.now();
      const audit = plane.openAudit({
        follow: { since: () => since, onLine: (line) => void waiting.push(line as AuditRecord) },
      });
      while (!call.signal.aborted) {
        audit.catchUp();
        for (const record of waiting.splice(0)) {
          if (record.seq <= last || !fits(record, filter)) continue;
          await call.print(call.isJson ? JSON.stringify(record) : lineOf(record));
        }
        await sleep(WATCH_MS, undefined, { signal: call.signal }).catch(() => {});
      }
      return { ...plainOutput(null), isPrinted: true };
    }),
};

function lineOf(record: AuditRecord): string {
  const shown = ['server', 'capability', 'outcome', 'by', 'via'].map((name) => textOf(record, name));
  const head = `${record.seq} ${record.time.slice(0, 19).replace('T', ' ')} ${printable(record.event, 40)}`;
  return [head, ...shown.filter((text) => text !== '')].join('  ');
}

const verify: McpCommand = {
  name: 'verify',
  summary: 'check that no record was changed, added in between, or cut off',
  options: [{ flag: '--file <file>', description: 'an export, instead of the log itself' }],
  examples: [
    ['audit verify', 'ends with 0, 11 when it was changed, 14 when the key is not here'],
    ['audit verify --file audit.jsonl', 'an export, with the key of this machine'],
  ],
  config: 'optional',
  run: async (call) => {
    const { file } = call.options;
    if (typeof file === 'string') return verdictOutput(await exportReport(call, file));
    return withPlane(call, async ({ audit: log }) =>
      verdictOutput(await log.verify({ signal: call.signal })),
    );
  },
};

function verdictOutput(report: ChainReport): McpOutput {
  const { isWhole, isUntold, lines, problems, torn, seal, end = null } = report;
  const verdict = isWhole ? 'ok' : isUntold ? 'unknown' : 'broken';
  const output = plainOutput({ verdict, lines, problems, torn, seal, end }, ...verdictLines(report));
  return isWhole ? output : { ...output, failure: verdictFailure(isUntold) };
}

type ChainReport = Awaited<ReturnType<Audit['verify']>>;

/** Needs no configuration: it may be verified where there is none. */
async function exportReport(call: McpCall, file: string): Promise<ChainReport> {
  const path = resolve(call.workingFolder, fromHome(file));
  const config = await checkedConfigOf(call);
  const { audit: settings } = (config && controlPlaneOf(config)) ?? { audit: {} };
  const report = await verifyAuditExport(path, auditKeyFile({ audit: settings }, call.environment));
  if (report) return report;
  throw new AppError('invalid_input', 'This is no export of an audit log', {
    subject: path,
    hint: 'Make one with quire mcp audit export --out <file>.',
  });
}

function verdictLines({ isWhole, isUntold, lines, problems, torn, seal }: ChainReport): string[] {
  const sealing = seal === 'sealed' ? 'the end is sealed' : 'the end is not sealed, so a cut may go unseen';
  const head = isWhole
    ? `ok: ${lines} records, none changed; ${sealing}`
    : isUntold
      ? `cannot tell: ${lines} records follow from each other, but the key that sealed the end is not here`
      : `changed: ${lines} records`;
  return [
    head,
    ...(isUntold ? [] : problems.map(({ code, seq }) => `  ${code} at line ${seq}`)),
    ...(torn > 0 ? [`${torn} unfinished records at the end of a crash are known and harmless.`] : []),
  ];
}

function verdictFailure(isUntold: boolean): McpFailure {
  return isUntold
    ? new McpFailure('untold', {
        message: 'The key that sealed the audit log is not here',
        code: 'key_elsewhere',
        hint: 'Verify it where it was written, or name that key with QUIRE_AUDIT_KEY_FILE.',
      })
    : new McpFailure('blocked', {
        message: 'The audit log was changed outside Quire; no call runs until that is acknowledged',
        code: 'audit_broken',
        hint: 'Find out who can write to the state folder. Then: quire mcp audit acknowledge --reason "…"',
      });
}

const exportCommand: McpCommand = {
  name: 'export',
  summary: 'all records and the sealed end as lines of JSON, to verify elsewhere',
  options: [SINCE, { flag: '--out <file>', description: 'write them there; it must not exist yet' }],
  examples: [['audit export --out audit.jsonl', 'then elsewhere: quire mcp audit verify --file audit.jsonl']],
  run: (call) =>
    withPlane(call, async (plane) => {
      const { out } = call.options;
      const { since } = filterOf(call, plane.now());
      if (typeof out !== 'string') {
        for await (const line of plane.audit.export({ since })) await call.print(line);
        return { ...plainOutput(null), isPrinted: true };
      }
      const path = resolve(call.workingFolder, fromHome(out));
      const lines: string[] = [];
      for await (const line of plane.audit.export({ since })) lines.push(`${line}\n`);
      await writeNewFile(path, Buffer.from(lines.join('')));
      // Neither its first nor its last line is a record.
      return plainOutput(
        { path, records: lines.length - 2 },
        `Written: ${path} (${lines.length - 2} records)`,
      );
    }),
};

const MAX_REASON = 300;

const acknowledge: McpCommand = {
  name: 'acknowledge',
  summary: 'keep a log that was changed, and begin a new one: calls run again',
  options: [{ flag: '--reason <text>', description: 'what you found out; it is the first record' }, KEY_FILE],
  examples: [['audit acknowledge --reason "restored from a backup"', 'asks first']],
  run: (call) =>
    withPlane(call, async (plane) => {
      const reason = maskSecrets(printable(String(call.options.reason ?? '').trim(), MAX_REASON));
      if (reason === '')
        throw new AppError('invalid_input', '--reason is missing', { hint: 'Say what you found out.' });
      const report = await plane.audit.verify({ signal: call.signal });
      if (report.isWhole)
        throw new AppError('invalid_input', 'The audit log is whole: there is nothing to acknowledge');
      const question = [...verdictLines(report), 'Keep it aside and begin a new log?'].join('\n');
      const done = await plane.audit.acknowledge(reason, await confirmed(call, plane.config, question));
      const kept = done?.kept ?? '';
      return plainOutput(
        { kept, problems: report.problems },
        `The changed log is kept in ${kept} of the state folder; a new one has begun.`,
      );
    }),
};

export const audit: McpCommand = {
  name: 'audit',
  summary: 'what was decided and done, by whom; and whether that record is whole',
  options: list.options ?? [],
  examples: [
    ['audit', 'the newest records'],
    ['audit verify', 'was it changed?'],
  ],
  subcommands: [list, show, watch, verify, exportCommand, acknowledge],
  run: listRecords,
};
