/** Renders a context pack as markdown. */
import type { ContextPack } from './types.ts';

export function packMarkdown(pack: ContextPack): string {
  const { budgetReport: report, citations } = pack;
  const sections = [
    section(
      'Preferences',
      pack.preferences.map(({ text, citation }) => `${text} [${citation}]`),
    ),
    section(
      'Facts',
      pack.relevantFacts.map(({ text, citation }) => `${oneLine(text)} [${citation}]`),
    ),
    section('Decisions', pack.priorDecisions.map(decisionLine)),
    section('Open loops', pack.openLoops.map(loopLine)),
    section('Suggested plan', pack.suggestedPlan),
    section(
      'Sources',
      citations.map(
        ({ index, sourcePath, anchor, lineStart, lineEnd }) =>
          `[${index}] ${sourcePath}${anchor === '' ? '' : `#${anchor}`}, lines ${lineStart}-${lineEnd}`,
      ),
    ),
  ];
  const notes = [
    `Constraints: ${pack.constraints.join(', ')}.`,
    `Allowed: ${pack.allowedActions.join(', ')}.`,
    `${pack.packId}, ${pack.createdAt}. ${report.used} of ${report.budget} tokens (${report.estimator}). Left out: ${report.dropped} beyond the budget, ${report.belowFloor} too far from the intent.`,
  ];
  return [`# ${oneLine(pack.intent)}`, ...sections.filter((text) => text !== ''), notes.join('\n')].join(
    '\n\n',
  );
}

function section(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : `## ${title}\n\n${lines.map((line) => `- ${line}`).join('\n')}`;
}

function decisionLine(entry: ContextPack['priorDecisions'][number]): string {
  const { title, decision, status, date, citation } = entry;
  const text = title === decision ? title : `${title}: ${decision}`;
  return `${oneLine(text)} (${[status, date].filter(Boolean).join(', ')}) [${citation}]`;
}

function loopLine({ kind, text, owner, due, citation }: ContextPack['openLoops'][number]): string {
  const details = [kind, owner, due && `due ${due}`].filter(Boolean).join(', ');
  return `${oneLine(text)} (${details}) [${citation}]`;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

const MOST_LOOPS = 3;
const MAX_NAMED = 120;

/** First steps that follow from the contents of a pack. */
export function suggestedPlan(
  pack: Pick<ContextPack, 'preferences' | 'relevantFacts' | 'priorDecisions' | 'openLoops'>,
): string[] {
  const { preferences, relevantFacts, priorDecisions, openLoops } = pack;
  const [fact] = relevantFacts;
  const [decision] = priorDecisions;
  return [
    ...(preferences.length > 0 ? ['Keep to the preferences.'] : []),
    ...(fact ? [`Read ${fact.path} first.`] : []),
    ...(decision ? [`Build on what was decided: ${named(decision.title)} [${decision.citation}]`] : []),
    ...openLoops.slice(0, MOST_LOOPS).map(({ text, citation }) => `Take up: ${named(text)} [${citation}]`),
  ];
}

function named(text: string): string {
  const line = oneLine(text);
  return line.length <= MAX_NAMED ? line : `${line.slice(0, MAX_NAMED - 1).toWellFormed()}…`;
}
