/**
 * Who sits at the terminal, asked on behalf of a server. Its words are shown as one line of printable text behind a bar,
 * so that they look like nobody's but its own. Without a terminal nothing is asked.
 */
import type {
  Answer,
  FormQuestion,
  Operator,
  SamplingQuestion,
  UrlQuestion,
} from '../../governance/connect/nested/operator.ts';
import { printable } from '../../shared/printable.ts';
import type { Ask, McpCall } from './command.ts';
import { askFields } from './form.ts';

const MAX_MESSAGE = 2_000;
/** Somebody has to read it: what is longer is shown all the same, in lines. */
const LINE = 200;

export function terminalOperator({ canAsk, ask }: Pick<McpCall, 'canAsk' | 'ask'>): Operator {
  return {
    isInteractive: canAsk,
    askForm: (question, signal) => askForm(question, ask, signal),
    confirmSecrets: async ({ server, fields }, signal) =>
      isYes(
        await ask(
          `These look like secrets: ${fields.map((name) => printable(name, 80)).join(', ')}.\nReally send them to ${server}? [y/N] `,
          { signal },
        ),
      ),
    askUrl: (question, signal) => askUrl(question, ask, signal),
    askSampling: async (question, signal) => isYes(await ask(samplingText(question), { signal })),
    whileWaiting: (_, signal) => askWhileWaiting(ask, signal),
  };
}

async function askForm({ server, message, schema }: FormQuestion, ask: Ask, signal: AbortSignal) {
  const head = `\nThe server ${server} asks:\n${quoted(message)}\n`;
  const content = await askFields(schema, (text, options) => ask(text, { ...options, signal }), head);
  if (content === undefined) return { action: 'cancel' } as const;
  const said = await ask(`Send this to ${server}? [y/N] `, { signal });
  if (said === undefined) return { action: 'cancel' } as const;
  return isYes(said) ? ({ action: 'accept', content } as const) : ({ action: 'decline' } as const);
}

async function askUrl({ server, message, url, host }: UrlQuestion, ask: Ask, signal: AbortSignal) {
  const text = [
    '',
    `The server ${server} asks you to visit a page:`,
    quoted(message),
    `  host: ${printable(host)}`,
    `  page: ${printable(url)}`,
    'Nothing was fetched. If you trust the host, open the page in your browser.',
    'Will you visit it? [y/N] ',
  ].join('\n');
  const said = await ask(text, { signal });
  return answerOf(said);
}

function answerOf(said: string | undefined): Answer {
  if (said === undefined) return 'cancel';
  return isYes(said) ? 'accept' : 'decline';
}

async function askWhileWaiting(ask: Ask, signal: AbortSignal): Promise<'retry' | 'cancel'> {
  for (;;) {
    const said = await ask('Waiting for the page to be done. r: try again now, c: cancel ', { signal });
    if (said === undefined || said.trim().toLowerCase() === 'c') return 'cancel';
    if (said.trim().toLowerCase() === 'r') return 'retry';
  }
}

/** All of it: what is not seen is not agreed to. */
function samplingText({ server, systemPrompt, messages, maxTokens }: SamplingQuestion): string {
  return [
    '',
    `The server ${server} asks for an answer of the model, of ${maxTokens} tokens at most, to this:`,
    ...promptLines({ messages, ...(systemPrompt !== undefined && { systemPrompt }) }),
    'Let the model answer? [y/N] ',
  ].join('\n');
}

/** A prompt to be read before a yes. */
export function promptLines({
  systemPrompt,
  messages,
}: Pick<SamplingQuestion, 'systemPrompt' | 'messages'>): string[] {
  return [
    ...(systemPrompt === undefined ? [] : ['system:', ...inLines(systemPrompt)]),
    ...messages.flatMap(({ role, content }) => [
      `${role}:`,
      ...[content].flat().flatMap((part) => inLines(part.type === 'text' ? part.text : JSON.stringify(part))),
    ]),
  ];
}

function quoted(text: string): string {
  return `  | ${printable(text, MAX_MESSAGE)}`;
}

function inLines(text: string): string[] {
  return text.split('\n').flatMap((line) => {
    const shown = [...printable(line)];
    const count = Math.max(1, Math.ceil(shown.length / LINE));
    return Array.from(
      { length: count },
      (_, at) => `  | ${shown.slice(at * LINE, (at + 1) * LINE).join('')}`,
    );
  });
}

export function isYes(said: string | undefined): boolean {
  return /^\s*y(?:es)?\s*$/i.test(said ?? '');
}
