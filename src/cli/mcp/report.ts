/**
 * `quire mcp report`: calls, refusals and open work of a period, from the audit log. `quire mcp score`: how far each server
 * can be relied on. Neither starts a server.
 */
import { resolve } from 'node:path';
import { readOwnFile, writeOwnFile } from '../../governance/files.ts';
import { type Posture, posturesOf } from '../../governance/posture.ts';
import { type ChangeRow, gatherReport, type Report } from '../../governance/report/report.ts';
import { AppError } from '../../shared/errors.ts';
import { fromHome } from '../../shared/fs/folder.ts';
import { printable } from '../../shared/printable.ts';
import { type Column, tableOf } from '../table.ts';
import { choiceOf, type McpCommand, ONE_SERVER, plainOutput } from './command.ts';
import { withPlane } from './plane.ts';

const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };
const MAX_REPORT_BYTES = 64 * 1024 * 1024;

export const report: McpCommand = {
  name: 'report',
  summary: 'what the servers did lately, what was refused, and what is best done next',
  options: [
    { flag: '--since <when>', description: '90m, 12h, 7d, 4w, or a date (2026-01-31)', default: '7d' },
    { flag: '--format <format>', description: 'md or json', default: 'md', choices: ['md', 'json'] },
    { flag: '--out <file>', description: 'write it there instead' },
  ],
  examples: [
    ['report', 'the last seven days'],
    ['report --since 4w --format json --out report.json', 'four weeks, for a program'],
  ],
  run: (call) =>
    withPlane(call, async (plane) => {
      const since = sinceOf(call.options.since, plane.now());
      const format = choiceOf('format', call.options.format, {
        choices: ['md', 'json'],
        hint: 'Use --format md or --format json.',
      });
      const made = await gatherReport(plane, since);
      const text = format === 'json' ? `${JSON.stringify(made, null, 2)}\n` : markdownOf(made);
      const { out } = call.options;
      if (typeof out !== 'string' || out === '') return plainOutput(made, text.trimEnd());
      const path = resolve(call.workingFolder, fromHome(out));
      call.signal.throwIfAborted();
      await writeOwnFile(path, text, await readOwnFile(path, MAX_REPORT_BYTES));
      return plainOutput({ path, ...made }, `Written: ${path}`);
    }),
};

export function sinceOf(given: unknown, now: number): number {
  const text = String(given);
  const [, count = '', unit = ''] = /^(\d{1,4})([mhdw])$/.exec(text) ?? [];
  const since = count === '' ? dateOf(text) : now - Number(count) * (UNITS[unit] ?? 0);
  if (since >= 0 && since <= now) return since;
  throw new AppError('invalid_input', '--since must be a time in the past', {
    subject: printable(text, 40),
    hint: 'Write 90m, 12h, 7d or 4w, or a date like 2026-01-31.',
  });
}

function dateOf(text: string): number {
  return /^\d{4}-\d{2}-\d{2}(?:T[\d:.]+Z)?$/.test(text) ? Date.parse(text) : Number.NaN;
}

type Row = Readonly<Record<string, unknown>>;

/** Texts of servers are escaped, so that they cannot pass for the report's own words. */
export function markdownOf(report: Report): string {
  const { period, approvals, exposure } = report;
  const parts = [
    `# Governed servers, ${period.since.slice(0, 10)} to ${period.until.slice(0, 10)}`,
    `Period: ${period.since} to ${period.until}\nConfiguration: ${report.config_digest}`,
    ...section('Posture', report.posture),
    ...section(
      'Blocked servers',
      report.blocked_servers.map(({ server, codes }) => ({ server, codes: codes.join(', ') })),
    ),
    '## Definition changes',
    report.definition_changes.length === 0 ? 'None.' : report.definition_changes.map(changeText).join('\n\n'),
    ...section('Approvals', [approvals]),
    ...section('Calls', report.calls),
    ...section('Deny reasons', report.deny_reasons),
    ...section('Rules without hits', report.rules_without_hits),
    ...section('Nested requests', [report.nested_requests]),
    ...section('Messages left out', report.messages_left_out),
    ...section('Questions', report.questions),
    ...section('Findings', report.findings),
    ...section('Result findings', report.result_findings),
    '## Exposure',
    `Visible: ${exposure.visible}. Hidden: ${exposure.hidden}.`,
    ...(exposure.hidden === 0
      ? []
      : [markdownTable(Object.entries(exposure.reasons).map(([reason, count]) => ({ reason, count })))]),
    ...section('Compiled resources', report.compiled_resources),
    '## Recommended actions',
    report.recommended_actions.length === 0
      ? 'None.'
      : report.recommended_actions
          .map(
            ({ severity, action, command }, at) =>
              `${at + 1}. ${severity}: ${cellOf(action)}. \`${cellOf(command)}\``,
          )
          .join('\n'),
  ];
  return `${parts.join('\n\n')}\n`;
}

function section(title: string, rows: readonly object[]): string[] {
  return [`## ${title}`, rows.length === 0 ? 'None.' : markdownTable(rows as readonly Row[])];
}

function markdownTable(rows: readonly Row[]): string {
  const names = Object.keys(rows[0] ?? {});
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [
    line(names.map((name) => name.replaceAll('_', ' '))),
    line(names.map(() => '---')),
    ...rows.map((row) => line(names.map((name) => cellOf(row[name])))),
  ].join('\n');
}

function changeText({ server, kind, name, change, diff, ...marks }: ChangeRow): string {
  const old = marks.old_fingerprint?.slice(0, 8) ?? 'none';
  const now = marks.new_fingerprint?.slice(0, 8) ?? 'none';
  const head = `- ${change}: ${cellOf(server)} ${kind} ${cellOf(name)} (${old} → ${now})`;
  return diff.length === 0
    ? head
    : `${head}\n\n${diff.map((line) => `      ${printable(line, 400)}`).join('\n')}`;
}

/** A table cell without mark-up or invisible characters. */
function cellOf(value: unknown): string {
  return printable(String(value ?? '-'), 200).replace(/[|`<>[\]*\\]/g, (sign) => `\\${sign}`);
}

const COLUMNS: readonly Column<Posture>[] = [
  { title: 'Server', value: ({ server }) => server.name, min: 8, priority: 11 },
  { title: 'Score', value: ({ score }) => String(score.score), priority: 10, align: 'right' },
  { title: 'Grade', value: ({ score }) => score.grade, priority: 9 },
  { title: 'Posture', value: ({ score }) => whole(score.posture), priority: 7, align: 'right' },
  { title: 'Reliability', value: ({ score }) => whole(score.reliability), priority: 6, align: 'right' },
  { title: 'Safety', value: ({ score }) => whole(score.safety), priority: 5, align: 'right' },
  { title: 'Calls', value: ({ usage }) => String(usage.calls), priority: 4, align: 'right' },
  { title: 'Success', value: successOf, priority: 3, align: 'right' },
  { title: 'p95 ms', value: p95Of, priority: 1, align: 'right' },
  { title: 'Confidence', value: ({ score }) => score.confidence, priority: 2 },
  { title: 'Cap', value: ({ score }) => score.cap ?? '', min: 8, priority: 8 },
];

export const score: McpCommand = {
  name: 'score',
  summary: 'how far each server can be relied on, from 0 to 100',
  arguments: [ONE_SERVER],
  options: [{ flag: '--explain', description: 'a line for each point' }],
  examples: [
    ['score', 'all servers'],
    ['score memory --explain', 'where the points of one come from'],
  ],
  run: (call) =>
    withPlane(call, async (plane) => {
      const { server } = call.args;
      const postures = await posturesOf(plane, server === undefined ? undefined : [plane.server(server)]);
      if (postures.length === 0) call.note(`No server is configured. See: ${call.program} mcp marketplace`);
      return {
        data: { servers: postures.map(dataOf) },
        lines: (view) => {
          const { lines, hidden } = tableOf(COLUMNS, postures, view);
          return {
            lines: [...lines, ...(call.options.explain === true ? explanationLines(postures) : [])],
            hidden,
          };
        },
      };
    }),
};

function explanationLines(postures: readonly Posture[]): string[] {
  return postures.flatMap(({ server, score: own }) => [
    '',
    ...own.explain.map((line) => `${server.name}: ${printable(line, 300)}`),
  ]);
}

function dataOf({ server, usage, score: own }: Posture) {
  return {
    server: server.name,
    score: own.score,
    grade: own.grade,
    posture: own.posture,
    reliability: rounded(own.reliability),
    safety: rounded(own.safety),
    calls: usage.calls,
    success: usage.calls === 0 ? null : rounded(usage.ok / usage.calls),
    p95_ms: usage.calls === 0 ? null : usage.p95Ms,
    confidence: own.confidence,
    cap: own.cap ?? null,
    explain: own.explain,
  };
}

function successOf({ usage }: Posture): string {
  return usage.calls === 0 ? '' : `${Math.round((100 * usage.ok) / usage.calls)}%`;
}

function p95Of({ usage }: Posture): string {
  return usage.calls === 0 ? '' : String(usage.p95Ms);
}

function whole(value: number): string {
  return String(Math.round(value));
}

function rounded(value: number): number {
  return Math.round(value * 1000) / 1000;
}
