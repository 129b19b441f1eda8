/**
 * Asks the operator at the terminal on behalf of a server. The server's text is shown as one printable line behind a bar,
 * so that it cannot pass for ours. Without a terminal no question is asked.
 */

import { printable } from '../../shared/printable.ts';
import { isSecretName } from '../../shared/redact.ts';
import type {
  Answer,
  FormQuestion,
  FormValue,
  Operator,
  SamplingQuestion,
  UrlQuestion,
} from '../../upstream/nested/operator.ts';
import type { Ask } from '../ask.ts';
import type { McpCall } from './command.ts';

/** One field of a form, as the server's JSON Schema describes it. */
interface Field {
  readonly type?: string;
  readonly title?: string;
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly oneOf?: readonly { readonly const: string; readonly title?: string }[];
  readonly items?: Field & { readonly anyOf?: Field['oneOf'] };
  readonly default?: FormValue;
}

const MAX_FIELDS = 100;
const MAX_TRIES = 3;

/** One question per field. Undefined when the operator gave up. */
async function askFields(
  schema: unknown,
  ask: Ask,
  head: string,
): Promise<Record<string, FormValue> | undefined> {
  const { properties = {}, required = [] } = (schema ?? {}) as {
    properties?: Record<string, Field>;
    required?: readonly string[];
  };
  const content: Record<string, FormValue> = {};
  let before = head;
  for (const [name, field] of Object.entries(properties).slice(0, MAX_FIELDS)) {
    const value = await askField(name, field, { ask, before, isNeeded: required.includes(name) });
    if (value === GAVE_UP) return undefined;
    if (value !== undefined) content[name] = value;
    before = '';
  }
  return content;
}

const GAVE_UP = Symbol('gave up');

interface FieldPrompt {
  readonly ask: Ask;
  readonly before: string;
  readonly isNeeded: boolean;
}

async function askField(
  name: string,
  field: Field,
  { ask, before, isNeeded }: FieldPrompt,
): Promise<FormValue | undefined | typeof GAVE_UP> {
  let problem = before;
  for (let tried = 0; tried < MAX_TRIES; tried++) {
    const said = await ask(`${problem}${promptOf(name, field, isNeeded)}`, { hidden: isSecretName(name) });
    if (said === undefined) return GAVE_UP;
    if (said.trim() === '' && field.default !== undefined) return field.default;
    if (said.trim() === '' && !isNeeded) return undefined;
    const value = said.trim() === '' ? undefined : valueFrom(said.trim(), field);
    if (value !== undefined) return value;
    problem = `That does not fit: ${wantedOf(field)}.\n`;
  }
  return GAVE_UP;
}

function promptOf(name: string, field: Field, isNeeded: boolean): string {
  const { title, description, default: usual } = field;
  const label = title === undefined ? name : `${title} (${name})`;
  const about = description === undefined ? '' : `  | ${printable(description, 500)}\n`;
  const facts = [
    wantedOf(field),
    isNeeded ? 'needed' : 'may be left empty',
    ...(usual === undefined ? [] : [`usually ${printable(JSON.stringify(usual), 100)}`]),
  ];
  return `${about}${printable(label, 100)} [${facts.join(', ')}]: `;
}

function choicesOf({ enum: names, oneOf, items }: Field): readonly string[] | undefined {
  const own = names ?? oneOf?.map(({ const: value }) => value);
  return own ?? items?.anyOf?.map(({ const: value }) => value) ?? (items && choicesOf(items));
}

function wantedOf(field: Field): string {
  const choices = choicesOf(field)?.map((choice) => printable(choice, 60));
  if (field.type === 'array') return `some of ${choices?.join(' | ') ?? 'any texts'}, with commas between`;
  if (choices) return choices.join(' | ');
  return field.type === 'boolean' ? 'yes or no' : (field.type ?? 'text');
}

function valueFrom(text: string, field: Field): FormValue | undefined {
  const choices = choicesOf(field);
  switch (field.type) {
    case 'boolean':
      return /^(?:y|yes|true)$/i.test(text) ? true : /^(?:n|no|false)$/i.test(text) ? false : undefined;
    case 'integer':
    case 'number': {
      const value = Number(text);
      const isFine = Number.isFinite(value) && (field.type === 'number' || Number.isInteger(value));
      return isFine ? value : undefined;
    }
    case 'array': {
      const values = text.split(',').map((one) => one.trim());
      return values.every((one) => choices?.includes(one) ?? true) ? values : undefined;
    }
    default:
      return (choices?.includes(text) ?? true) ? text : undefined;
  }
}

const MAX_MESSAGE = 2_000;
/** Longer lines of a prompt are wrapped, so that all of it can be read. */
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

/** The whole prompt: the operator agrees only to text that was shown. */
function samplingText({ server, systemPrompt, messages, maxTokens }: SamplingQuestion): string {
  return [
    '',
    `The server ${server} asks for an answer of the model, of ${maxTokens} tokens at most, to this:`,
    ...promptLines({ messages, systemPrompt }),
    'Let the model answer? [y/N] ',
  ].join('\n');
}

/** The lines of a prompt that an operator reads before approving it. */
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

function isYes(said: string | undefined): boolean {
  return /^\s*y(?:es)?\s*$/i.test(said ?? '');
}
