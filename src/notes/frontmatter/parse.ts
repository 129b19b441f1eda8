/**
 * Reads a note's frontmatter as JSON values. Never throws: a block that cannot be read gives no data, says why
 * in `problem`, and leaves the whole text as the body, so that nothing is hidden from the reader.
 */
import { BOM } from '../text/text.ts';
import { splitFrontmatter } from './split.ts';

/**
 * Reads the frontmatter most notes have (words, numbers, dates, quoted text, lists of these) without the YAML
 * library, which takes fifty times as long. Answers undefined to everything it is not sure of; what it does
 * answer is what the library would (a property test compares the two).
 */
type Scalar = string | number | boolean | null;

const KEY = /^([A-Za-z_][\w-]*):(?: +(.*))?$/;
const ITEM = /^( *)- +(.*)$/;
/** What can mean nothing else in plain YAML: a colon means something only where a space follows. */
const PLAIN = '(?:[^\\s\\u0000-\\u001f\\u007f-\\u009f:#]|:(?=[^\\s\\u0000-\\u001f\\u007f-\\u009f#]))';
const FIRST = '[-:]*[<($/]?[A-Za-z\\u00a1-\\ud7ff]';
const WORD = new RegExp(`^${FIRST}${PLAIN}*$`);
/** Neither a number nor a date has a space in it. */
const WORDS = new RegExp(`^(?:${FIRST}|\\d)${PLAIN}*(?: ${PLAIN}+)+$`);
/** Without a space, neither a colon nor a `#` inside means anything; a colon at the end does. */
const ADDRESS = /^https?:\/\/[!-~]*[!-9;-~]$/;
const INTEGER = /^(?:0|-?[1-9]\d{0,14})$/;
const DATE = /^\d{4}-\d{2}-\d{2}$/;
const DOUBLE = /^"([^"\\\u0000-\u001f\u007f-\u009f\u2028\u2029\ufeff]*)"$/;
const SINGLE = /^'([^'\u0000-\u001f\u007f-\u009f\u2028\u2029\ufeff]*)'$/;
const FLOW = /^\[ *([^[\]{}"'#:&*!|>%@`]*?) *\]$/;

const MAX_CHARACTERS = 4_000;

/** `yaml` is what stands between the fences. */
export function readPlainBlock(yaml: string): Record<string, unknown> | undefined {
  if (yaml.length > MAX_CHARACTERS) return undefined;
  const data: Record<string, unknown> = {};
  let list: { readonly indent: string; readonly items: Scalar[] } | undefined;
  let openKey: string | undefined;
  for (const line of yaml.split(/\r?\n/)) {
    if (line === '') continue;
    const item = openKey === undefined ? null : ITEM.exec(line);
    if (item && openKey !== undefined) {
      const [, indent = '', source = ''] = item;
      const value = scalarOf(source);
      list ??= { indent, items: [] };
      if (value === undefined || list.indent !== indent) return undefined;
      list.items.push(value);
      data[openKey] = list.items;
      continue;
    }
    const pair = KEY.exec(line);
    const key = pair?.[1];
    if (key === undefined || key === '__proto__' || Object.hasOwn(data, key)) return undefined;
    const source = pair?.[2] ?? '';
    const value = source === '' ? null : readValue(source);
    if (value === undefined) return undefined;
    data[key] = value;
    openKey = source === '' ? key : undefined;
    list = undefined;
  }
  return data;
}

function readValue(source: string): Scalar | Scalar[] | undefined {
  const flow = FLOW.exec(source);
  if (!flow) return scalarOf(source);
  const inner = flow[1] ?? '';
  if (inner === '') return [];
  const items = inner.split(/ *, */).map(scalarOf);
  return items.every((item) => item !== undefined) ? items : undefined;
}

function scalarOf(source: string): Scalar | undefined {
  if (WORD.test(source)) return word(source);
  if (WORDS.test(source)) return source;
  if (INTEGER.test(source)) return Number(source);
  if (DATE.test(source) || ADDRESS.test(source)) return source;
  return (DOUBLE.exec(source) ?? SINGLE.exec(source))?.[1];
}

function word(source: string): Scalar {
  if (/^(?:true|True|TRUE)$/.test(source)) return true;
  if (/^(?:false|False|FALSE)$/.test(source)) return false;
  return /^(?:null|Null|NULL)$/.test(source) ? null : source;
}

interface ParsedNote {
  readonly data: Record<string, unknown>;
  readonly body: string;
  /** Where `body` starts in the text. */
  readonly bodyStart: number;
  /** The error, with its line in the note. */
  readonly problem?: string;
}

export async function parseFrontmatter(text: string): Promise<ParsedNote> {
  const span = splitFrontmatter(text);
  if (!span) {
    const bodyStart = text.startsWith(BOM) ? 1 : 0;
    return { data: {}, body: text.slice(bodyStart), bodyStart };
  }
  const plain = readPlainBlock(text.slice(span.yamlStart, span.yamlEnd));
  if (plain) return { data: plain, body: text.slice(span.bodyStart), bodyStart: span.bodyStart };
  const { parseBlock } = await import('./yaml.ts');
  const block = parseBlock(text.slice(span.bom ? 1 : 0, span.yamlEnd));
  if ('problem' in block) return { data: {}, body: text, bodyStart: 0, problem: block.problem };
  return { data: block.data, body: text.slice(span.bodyStart), bodyStart: span.bodyStart };
}
