/** `quire brain eval`: how well notes are found, as a table and a recommendation. */
import type { Evaluation } from '../app/brain-eval.ts';
import { openAllServed } from '../app/notebooks.ts';
import type { Config } from '../config/schema.ts';
import { serverStartup } from '../startup/hook.ts';
import { configOf, type FolderCommand, logOf, noticesOf, servicesOf, toStderr } from './command.ts';
import { plural } from './history/text.ts';
import { systemTerminal, viewOf } from './mcp/terminal.ts';
import { type Column, tableOf, type View } from './table.ts';

export async function evalBrain(command: FolderCommand, asJson: boolean): Promise<void> {
  const terminal = systemTerminal();
  const { environment } = terminal;
  const config = await configOf(command, environment);
  const log = logOf(command, environment, toStderr);
  const notebooks = await openAllServed(readOnly(config), servicesOf(log, environment, serverStartup));
  try {
    const { evaluateBrain } = await import('../app/brain.ts');
    const announce = noticesOf(command, environment).say;
    const found = await evaluateBrain(config, notebooks, { log, announce });
    await terminal.out(asJson ? evaluationJson(found) : evaluationText(found, viewOf(terminal, false)));
    if (found.failure) throw found.failure;
  } finally {
    for (const notebook of notebooks.values()) await notebook.close();
  }
}

function readOnly({ notebooks }: Config): Pick<Config, 'notebooks'> {
  const changed = Object.entries(notebooks).map(([name, notebook]) => [
    name,
    { ...notebook, readOnly: true },
  ]);
  return { notebooks: Object.fromEntries(changed) };
}

const COLUMNS: readonly Column<Evaluation['ways'][number]>[] = [
  { title: 'Found by', value: ({ name }) => name, min: 12, priority: 6 },
  { title: 'nDCG@10', value: ({ ndcg10 }) => ndcg10.toFixed(3), priority: 5, align: 'right' },
  { title: 'First', value: ({ hit1 }) => percent(hit1), priority: 3, align: 'right' },
  { title: 'First five', value: ({ hit5 }) => percent(hit5), priority: 4, align: 'right' },
  { title: 'Time', value: ({ msPerQuestion: ms }) => `${ms.toFixed(1)} ms`, priority: 2, align: 'right' },
];

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

function evaluationText(
  { notes, measured, questions, ways, recommendation }: Evaluation,
  view: View,
): string {
  const { link, heading, title } = questions;
  const from = measured < notes ? `${measured} of ${plural(notes, 'note')}` : plural(notes, 'note');
  const kinds = [
    `${plural(link, 'sentence')} with a link`,
    plural(heading, 'heading'),
    plural(title, 'title'),
  ];
  return [
    `${plural(link + heading + title, 'question')} from ${from}: ${kinds.join(', ')}.`,
    '',
    ...tableOf(COLUMNS, ways, view).lines,
    '',
    recommendation,
    '',
  ].join('\n');
}

function evaluationJson({ ways, failure, ...evaluation }: Evaluation): string {
  const rounded = ways.map((way) =>
    Object.fromEntries(Object.entries(way).map(([key, value]) => [key, roundedIfNumber(value)])),
  );
  return `${JSON.stringify({ ...evaluation, ways: rounded, failure: failure?.message }, null, 2)}\n`;
}

function roundedIfNumber(value: string | number): string | number {
  return typeof value === 'number' ? Math.round(value * 1_000) / 1_000 : value;
}
