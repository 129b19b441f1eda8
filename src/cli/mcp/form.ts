/** A form as questions, one field after another. What does not fit its field is asked for again, not for ever. */
import type { FormValue } from '../../governance/connect/nested/operator.ts';
import { printable } from '../../shared/printable.ts';
import { isSecretName } from '../../shared/redact.ts';
import type { Ask } from './command.ts';

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

/** Undefined when whoever was asked gave up. */
export async function askFields(
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

interface Asking {
  readonly ask: Ask;
  readonly before: string;
  readonly isNeeded: boolean;
}

async function askField(
  name: string,
  field: Field,
  { ask, before, isNeeded }: Asking,
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
