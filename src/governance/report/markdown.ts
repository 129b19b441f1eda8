/** The report for people. What servers said is in it as code, so that it cannot be taken for the report's own words. */
import { printable } from '../../shared/printable.ts';
import type { ChangeRow, Report } from './report.ts';

type Row = Readonly<Record<string, unknown>>;

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
    report.definition_changes.length === 0 ? 'None.' : report.definition_changes.map(changeOf).join('\n\n'),
    ...section('Approvals', [approvals as unknown as Row]),
    ...section('Calls', report.calls),
    ...section('Deny reasons', report.deny_reasons),
    ...section('Rules without hits', report.rules_without_hits),
    ...section('Nested requests', [report.nested_requests]),
    ...section('Questions', report.questions),
    ...section('Findings', report.findings),
    '## Exposure',
    `Visible: ${exposure.visible}. Hidden: ${exposure.hidden}.`,
    ...(exposure.hidden === 0
      ? []
      : [tableOf(Object.entries(exposure.reasons).map(([reason, count]) => ({ reason, count })))]),
    ...section('Compiled resources', report.compiled_resources),
    '## Recommended actions',
    report.recommended_actions.length === 0
      ? 'None.'
      : report.recommended_actions
          .map(
            ({ severity, action, command }, at) =>
              `${at + 1}. ${severity}: ${text(action)}. \`${text(command)}\``,
          )
          .join('\n'),
  ];
  return `${parts.join('\n\n')}\n`;
}

function section(title: string, rows: readonly object[]): string[] {
  return [`## ${title}`, rows.length === 0 ? 'None.' : tableOf(rows as readonly Row[])];
}

function tableOf(rows: readonly Row[]): string {
  const names = Object.keys(rows[0] ?? {});
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [
    line(names.map((name) => name.replaceAll('_', ' '))),
    line(names.map(() => '---')),
    ...rows.map((row) => line(names.map((name) => text(row[name])))),
  ].join('\n');
}

function changeOf({ server, kind, name, change, diff, ...marks }: ChangeRow): string {
  const old = marks.old_fingerprint?.slice(0, 8) ?? 'none';
  const now = marks.new_fingerprint?.slice(0, 8) ?? 'none';
  const head = `- ${change}: ${text(server)} ${kind} ${text(name)} (${old} → ${now})`;
  return diff.length === 0
    ? head
    : `${head}\n\n${diff.map((line) => `      ${printable(line, 400)}`).join('\n')}`;
}

/** One cell: no bar, no mark-up, nothing that is not seen. */
function text(value: unknown): string {
  return printable(String(value ?? '-'), 200).replace(/[|`<>[\]*\\]/g, (sign) => `\\${sign}`);
}
