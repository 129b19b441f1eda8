/** `quire mcp report`: what happened lately and how things stand, for people or programs. Starts no server. */
import { resolve } from 'node:path';
import { readOwnFile, writeOwnFile } from '../../governance/files.ts';
import { markdownOf } from '../../governance/report/markdown.ts';
import { gatherReport } from '../../governance/report/report.ts';
import { AppError } from '../../shared/errors.ts';
import { printable } from '../../shared/printable.ts';
import type { McpCommand } from './command.ts';
import { withPlane } from './plane.ts';

const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };
const MAX_REPORT_BYTES = 64 * 1024 * 1024;

export const report: McpCommand = {
  name: 'report',
  summary: 'what the servers did lately, what was refused, and what is best done next',
  options: [
    { flag: '--since <when>', description: '90m, 12h, 7d, 4w, or a date (2026-01-31)', default: '7d' },
    { flag: '--format <format>', description: 'md or json', default: 'md' },
    { flag: '--out <file>', description: 'write it there instead' },
  ],
  examples: [
    ['report', 'the last seven days'],
    ['report --since 4w --format json --out report.json', 'four weeks, for a program'],
  ],
  config: 'needed',
  run: (call) =>
    withPlane(call, async (plane) => {
      const since = sinceOf(call.options.since, plane.now());
      const format = formatOf(call.options.format);
      const made = await gatherReport(plane, since);
      const text = format === 'json' ? `${JSON.stringify(made, null, 2)}\n` : markdownOf(made);
      const { out } = call.options;
      if (typeof out !== 'string' || out === '')
        return { data: made, lines: () => ({ lines: text.trimEnd().split('\n') }) };
      const path = resolve(call.workingFolder, out);
      call.signal.throwIfAborted();
      await writeOwnFile(path, text, await readOwnFile(path, MAX_REPORT_BYTES));
      return { data: { path, ...made }, lines: () => ({ lines: [`Written: ${path}`] }) };
    }),
};

function sinceOf(given: unknown, now: number): number {
  const text = String(given);
  const [, count = '', unit = ''] = /^(\d{1,4})([mhdw])$/.exec(text) ?? [];
  const since = count === '' ? dateOf(text) : now - Number(count) * (UNITS[unit] ?? 0);
  if (since >= 0 && since <= now) return since;
  throw new AppError('invalid_input', '--since is no time in the past', {
    subject: printable(text, 40),
    hint: 'Write 90m, 12h, 7d or 4w, or a date like 2026-01-31.',
  });
}

function dateOf(text: string): number {
  return /^\d{4}-\d{2}-\d{2}(?:T[\d:.]+Z)?$/.test(text) ? Date.parse(text) : Number.NaN;
}

function formatOf(given: unknown): 'md' | 'json' {
  if (given === 'md' || given === 'json') return given;
  throw new AppError('invalid_input', 'Unknown format', {
    subject: printable(String(given), 40),
    hint: 'Use --format md or --format json.',
  });
}
