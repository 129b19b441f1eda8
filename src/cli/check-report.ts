/** Check results as text and JSON: a table for `quire mcp doctor`, a list by notebook for `quire doctor`. */
import type { CheckResult, CheckStatus } from '../shared/checks.ts';
import { type Column, tableOf, type View } from './table.ts';

const COLUMNS: readonly Column<CheckResult>[] = [
  { title: 'Check', value: ({ check }) => check, min: 12, priority: 5 },
  { title: 'Target', value: ({ target }) => target, min: 8, priority: 3 },
  { title: 'Status', value: ({ status }) => status, priority: 4 },
  { title: 'Detail', value: ({ detail }) => detail, min: 16, priority: 1 },
  { title: 'Fix', value: ({ fix = '' }) => fix, min: 10, priority: 2 },
];

export function countsOf(results: readonly CheckResult[]): Readonly<Record<CheckStatus, number>> {
  const count = (wanted: CheckStatus) => results.filter(({ status }) => status === wanted).length;
  return { ok: count('ok'), warn: count('warn'), fail: count('fail'), skip: count('skip') };
}

export function tableOfResults(results: readonly CheckResult[], view: View) {
  const { lines, hidden } = tableOf(COLUMNS, results, view);
  const fixes = results.flatMap(({ status, check, target, fix }) =>
    fix === undefined ? [] : [`${status} ${check} ${target}: ${fix}`],
  );
  const { ok, warn, fail, skip } = countsOf(results);
  const footer = `ok: ${ok}, warn: ${warn}, fail: ${fail}, skip: ${skip}`;
  return { lines: [...lines, footer, ...(fixes.length > 0 ? ['', ...fixes] : [])], hidden };
}

/** The output of `quire doctor` has the older names `error`, `what` and `next`. */
const levelOf = ({ status }: CheckResult) => (status === 'fail' ? 'error' : status);

export function listOfResults(results: readonly CheckResult[]): string {
  return [...byTarget(results)].map(([name, own]) => `${name}\n${own.map(lineOf).join('')}`).join('\n');
}

function lineOf(result: CheckResult): string {
  const line = `  ${levelOf(result).padEnd(5)}  ${result.detail}\n`;
  return result.fix === undefined ? line : `${line}         ${result.fix}\n`;
}

export function jsonOfResults(results: readonly CheckResult[]): string {
  const dataOf = (result: CheckResult) => ({
    check: result.check,
    level: levelOf(result),
    what: result.detail,
    next: result.fix,
  });
  const data = Object.fromEntries([...byTarget(results)].map(([name, own]) => [name, own.map(dataOf)]));
  return `${JSON.stringify(data, null, 2)}\n`;
}

function byTarget(results: readonly CheckResult[]): Map<string, CheckResult[]> {
  const groups = new Map<string, CheckResult[]>();
  for (const result of results) groups.set(result.target, [...(groups.get(result.target) ?? []), result]);
  return groups;
}
