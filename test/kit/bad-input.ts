/** For every parameter of every tool the values it must refuse, made from one good call and the parameters' kinds. */
import type { Tool } from '@modelcontextprotocol/client';
import { expect } from 'vitest';
import type { Answer } from './server.ts';

export type Args = Record<string, unknown>;

export interface BadCase {
  readonly tool: string;
  readonly parameter: string;
  readonly what: string;
  readonly args: Args;
  /** The parameter's name, or the words for what is wrong with a path. */
  readonly says: RegExp;
}

export type Kind =
  | 'notePath'
  | 'folderPath'
  | 'paths'
  | 'text'
  | 'soughtText'
  | 'query'
  | 'boolean'
  | 'object'
  | 'tags'
  | 'operation'
  | 'mode'
  | 'limit'
  | 'offset'
  | 'line'
  | 'cursor'
  | 'flag'
  | 'looseLimit'
  | 'looseLine'
  | 'marker'
  | 'oneLine'
  | 'day'
  | 'taskState'
  | 'edits'
  | 'id'
  | 'freshId'
  | 'choice'
  | 'words'
  | 'name'
  | 'stamp'
  | 'embeds'
  | 'changes'
  | 'positions'
  | 'scope'
  | 'choices'
  | 'share'
  | 'strictCursor'
  | 'longText';

export interface Subject {
  readonly good: Args;
  readonly parameters: Record<string, Kind>;
  readonly required: readonly string[];
}

interface ParameterSchema {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
}

/** For a tool that works on the note a.md: a good call, and the kinds of those parameters whose schema tells them. */
export function subjectOf({ inputSchema }: Pick<Tool, 'inputSchema'>): Subject {
  const { properties = {}, required = [] } = inputSchema;
  const parameters = Object.fromEntries(
    Object.entries(properties).flatMap(([name, schema]) => {
      const kind = kindOf(name, schema as ParameterSchema);
      return kind ? [[name, kind]] : [];
    }),
  );
  const good = Object.fromEntries(required.map((name) => [name, GOOD[parameters[name] ?? 'text']]));
  return { good, parameters, required };
}

const GOOD: Partial<Record<Kind, unknown>> = {
  notePath: 'a.md',
  text: 'new',
  boolean: true,
  limit: 1,
  offset: 0,
};

function kindOf(name: string, { type, enum: words, minimum }: ParameterSchema): Kind | undefined {
  if (type === 'boolean') return 'boolean';
  if (type === 'integer') return minimum === 0 ? 'offset' : 'limit';
  if (type !== 'string') return undefined;
  if (words) return 'choice';
  return /path$/i.test(name) ? 'notePath' : 'text';
}

const MEGABYTE = 'x'.repeat(1_000_000);
const HALF = `a\ud800b`;
const TYPES: Record<string, unknown> = {
  'a number': 7,
  'a boolean': true,
  null: null,
  'a list': ['x'],
  'an object': { a: 1 },
  'a text': 'zzz',
};
/** Which of those fit, and so are no mistake. */
const FITTING: Record<Kind, readonly string[]> = {
  notePath: ['a text'],
  folderPath: ['a text'],
  text: ['a text'],
  soughtText: ['a text'],
  query: ['a text'],
  boolean: ['a boolean'],
  object: ['an object'],
  paths: ['a list'],
  tags: ['a list'],
  operation: [],
  mode: [],
  limit: ['a number'],
  offset: ['a number'],
  line: ['a number'],
  cursor: ['a text'],
  flag: ['a boolean'],
  looseLimit: ['a number'],
  looseLine: ['a number'],
  marker: ['a number'],
  oneLine: ['a text'],
  day: [],
  taskState: ['a text'],
  edits: [],
  id: ['a text'],
  freshId: [],
  choice: [],
  words: ['a text'],
  name: ['a text'],
  stamp: [],
  embeds: [],
  changes: [],
  positions: [],
  scope: [],
  choices: [],
  share: [],
  strictCursor: [],
  longText: ['a text'],
};

const HOSTILE_IDS: Record<string, unknown> = {
  empty: '',
  blank: ' ',
  'a path': '../app-info',
  'a path inside': 'x/../abcd',
  'a query': 'abcd?x=1',
  'an escape': 'abcd%2f',
  'a NUL': 'ab\u0000cd',
  'a line break': 'ab\ncd',
  'another script': 'äbcd',
  'too long': 'a'.repeat(300),
  'a megabyte': MEGABYTE,
  'half a character': HALF,
};

const HOSTILE_PATHS: Record<string, unknown> = {
  'a megabyte': `${MEGABYTE}.md`,
  'half a character': `${HALF}.md`,
  'a NUL': 'a\u0000.md',
  'a line break inside': 'a\nb.md',
  'an escape sequence': '\u001b[31ma.md',
  'a parent folder': '../a.md',
  'a parent folder inside': 'sub/../../a.md',
  'a drive letter': 'C:\\notes\\a.md',
  'a drive letter with slashes': 'c:/a.md',
  'a name too long': `${'n'.repeat(300)}.md`,
  'a name of many bytes': `${'é'.repeat(140)}.md`,
  'too deep': `${'d/'.repeat(1_200)}a.md`,
};
const HOSTILE: Record<Kind, Record<string, unknown>> = {
  notePath: {
    ...HOSTILE_PATHS,
    empty: '',
    blank: '   ',
    'only slashes': '///',
    __proto__: '__proto__',
    'a hidden file': '.git/config',
  },
  folderPath: { ...HOSTILE_PATHS, __proto__: '__proto__' },
  paths: {
    empty: [],
    'ten thousand': Array.from({ length: 10_000 }, () => 'a.md'),
    eleven: Array.from({ length: 11 }, () => 'a.md'),
    'an empty path': [''],
    'a number in it': ['a.md', 5],
    'null in it': [null],
    'a list in it': [['a.md']],
    'half a character': [HALF],
    'a megabyte path': [MEGABYTE],
  },
  text: { 'half a character': HALF },
  soughtText: { empty: '', 'half a character': HALF },
  query: { empty: '', blank: ' \n ', 'a megabyte': MEGABYTE, 'half a character': HALF },
  boolean: { 'the word true': 'true', one: 1, empty: '' },
  object: { empty: '' },
  tags: {
    'ten thousand': Array.from({ length: 10_000 }, (_, i) => `t${i}`),
    'an empty tag': [''],
    'a number in it': [5],
    'a megabyte': [MEGABYTE],
    'half a character': [HALF],
    'a control character': ['a\u0000b'],
    'a line break': ['a\nb: 1'],
    'white space': ['a b'],
  },
  operation: { empty: '', 'another word': 'rename', upper: 'ADD', __proto__: '__proto__' },
  mode: { empty: '', 'another word': 'replace', upper: 'APPEND', __proto__: '__proto__' },
  limit: { zero: 0, negative: -1, 'a fraction': 1.5, huge: 1e12, 'a numeral': '10' },
  offset: { negative: -1, 'a fraction': 0.5, huge: 1e300, 'a numeral': '0' },
  line: { 'a fraction': 1.5, huge: 1e300, 'a numeral': '1' },
  flag: { one: 1, empty: '', 'another word': 'yes' },
  looseLimit: { zero: 0, negative: -1, 'a fraction': 1.5, huge: 1e12, 'no numeral': 'ten', empty: '' },
  looseLine: { zero: 0, negative: '-1', 'a fraction': '1.5', huge: 1e300, empty: '' },
  marker: { 'a fraction': 1.5, huge: 1e300, 'no numeral': 'abc', empty: '', exponent: '1e3' },
  oneLine: { empty: '', blank: '  ', 'two lines': 'a\nb', 'a megabyte': MEGABYTE, 'half a character': HALF },
  day: { empty: '', 'a word': 'tomorrow', 'no such day': '2026-02-30', 'a moment': '2026-02-01T10:00' },
  taskState: { empty: '', brackets: 'a]b', 'a line break': 'a\nb', 'too long': 'x'.repeat(60) },
  edits: {
    empty: [],
    'not edits': ['x'],
    'an empty text to find': [{ old_text: '', new_text: 'x' }],
    'no new text': [{ old_text: 'x' }],
    'equal texts': [{ old_text: 'x', new_text: 'x' }],
    'an unknown key': [{ old_text: 'x', new_text: 'y', all: true }],
    'a thousand': Array.from({ length: 1_000 }, () => ({ old_text: 'x', new_text: 'y' })),
    'half a character': [{ old_text: HALF, new_text: 'x' }],
  },
  id: HOSTILE_IDS,
  freshId: { ...HOSTILE_IDS, 'too short': 'abc', 'an underscore': 'ab_cd' },
  choice: { empty: '', 'another word': 'frobnicate', upper: 'MOVE', __proto__: '__proto__' },
  words: { empty: '', 'a megabyte': MEGABYTE, 'half a character': HALF },
  name: {
    empty: '',
    'a megabyte': MEGABYTE,
    'half a character': HALF,
    'a space': ' ',
    tabs: '\t\t',
    'a line': '\n',
    'a hard space': '\u00a0',
    'a byte order mark': '\ufeff',
  },
  stamp: { empty: '', 'a day': '2026-01-01', 'a moment': '2026-01-01T10:00:00Z' },
  embeds: {
    'not files': ['x'],
    'no data': [{ mime: 'image/png', filename: 'a.png' }],
    'no mime': [{ data: 'AAAA', filename: 'a.png' }],
    'no name': [{ data: 'AAAA', mime: 'image/png' }],
    'no base64': [{ data: '%%%', mime: 'image/png', filename: 'a.png' }],
    'half a character': [{ data: 'AAAA', mime: 'image/png', filename: HALF }],
    'a thousand': Array.from({ length: 1_000 }, () => ({ data: '', mime: 'image/png', filename: 'a' })),
  },
  changes: {
    empty: [],
    'not changes': ['x'],
    'no new text': [{ old_string: 'x' }],
    'no old text': [{ new_string: 'x' }],
    'a thousand': Array.from({ length: 1_000 }, () => ({ old_string: 'x', new_string: 'y' })),
    'half a character': [{ old_string: HALF, new_string: 'x' }],
  },
  positions: {
    empty: [],
    'not positions': ['x'],
    'no position': [{ branchId: 'root_abcd' }],
    'position zero': [{ branchId: 'root_abcd', notePosition: 0 }],
    'a path': [{ branchId: '../x', notePosition: 1 }],
  },
  scope: {
    'an unknown key': { folder: 'x' },
    'a list': [],
    'no such day': { since: '2026-02-30' },
    'a word for a day': { until: 'yesterday' },
    'a number for a day': { since: 1 },
    'a path outside': { path_prefix: '../..' },
    'too many tags': { tags: Array.from({ length: 100 }, (_, i) => `t${i}`) },
    'an empty tag': { tags: [''] },
    'a tag of two words': { tags: ['a b'] },
    'half a character': { path_prefix: HALF },
    'a megabyte': { path_prefix: MEGABYTE },
  },
  choices: {
    empty: [],
    'another word': ['frobnicate'],
    'a number in it': [1],
    'too many': Array(100).fill('x'),
  },
  longText: { empty: '', blank: ' \n ', 'two megabytes': MEGABYTE + MEGABYTE, 'half a character': HALF },
  share: { negative: -0.1, 'more than all': 1.1, 'a numeral': '0.5', huge: 1e300 },
  strictCursor: {
    empty: '',
    'none of ours': 'bm9uc2Vuc2U',
    'other characters': 'a b/ü',
    'a megabyte': MEGABYTE,
    'half a character': HALF,
  },
  cursor: { empty: '', 'other characters': 'a b/ü', 'a megabyte': MEGABYTE, 'half a character': HALF },
};

const PATH_WORDS =
  /^(Invalid path|Invalid page path|Path too long|Path traversal not allowed|Access denied|File not found)/;

function badCases(subjects: Record<string, Subject>): BadCase[] {
  return Object.entries(subjects).flatMap(([tool, { good, parameters, required }]) =>
    Object.entries(parameters).flatMap(([parameter, kind]) => {
      const isPath = kind === 'notePath' || kind === 'folderPath';
      const name = parameter === 'frontmatter' ? /frontmatter/ : new RegExp(`\\b${parameter}\\b`);
      const says = isPath ? new RegExp(`${name.source}|${PATH_WORDS.source.replace('^', '')}`) : name;
      const bad = (what: string, value: unknown): BadCase => ({
        tool,
        parameter,
        what,
        args: confirmed(tool, parameter, { ...good, [parameter]: value }),
        says,
      });
      const { [parameter]: _, ...without } = good;
      return [
        ...(required.includes(parameter)
          ? [{ tool, parameter, what: 'missing', args: without, says: name }]
          : []),
        ...Object.entries(TYPES)
          .filter(([what]) => !FITTING[kind].includes(what))
          .map(([what, value]) => bad(what, value)),
        ...Object.entries(HOSTILE[kind]).map(([what, value]) => bad(what, value)),
      ];
    }),
  );
}

const LONGEST_REFUSAL = 2_000;

/**
 * Calls a tool with everything it must refuse; returns what it let through, and what it refused in the wrong
 * words. `refusal` gives the words of a refusal in the right form, or says what is wrong with the form.
 */
export async function badlyRefused(
  tool: string,
  subjects: Record<string, Subject>,
  call: (tool: string, args: Args) => Promise<Answer>,
  refusal: (answer: Answer) => { readonly words: string } | { readonly wrong: string },
): Promise<string[]> {
  const cases = badCases(subjects).filter((bad) => bad.tool === tool);
  expect(cases.length).toBeGreaterThan(8);
  const wrong: string[] = [];
  for (const { parameter, what, args, says } of cases) {
    const answer = await call(tool, args);
    const refused = refusal(answer);
    const where = `${tool}.${parameter} ${what}: ${answer.text.slice(0, 300)}`;
    if ('wrong' in refused) wrong.push(`${refused.wrong}: ${where}`);
    else if (!says.test(refused.words)) wrong.push(`not named: ${where}`);
    else if (answer.text.length > LONGEST_REFUSAL) wrong.push(`too long (${answer.text.length}): ${where}`);
  }
  return wrong;
}

/** A hostile path to delete comes with its confirmation, so that it is the path that is refused. */
function confirmed(tool: string, parameter: string, args: Args): Args {
  return tool === 'delete_note' && parameter === 'path' && typeof args.path === 'string'
    ? { ...args, confirmPath: args.path }
    : args;
}
