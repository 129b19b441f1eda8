/** Finds the owner of a task in its text. */
import { WORD_END, wordsFor } from './language/languages.ts';
import { linkedName, personNamed } from './meetings/people.ts';

interface Owner {
  /** A known person, or a name with an @. */
  readonly owner?: string;
  /** As written in the text. */
  readonly text: string;
  /** Range of the name with its punctuation: the colon, the parentheses. */
  readonly start: number;
  readonly end: number;
}

const NAME = "\\p{Lu}[\\p{L}'’-]*(?: \\p{Lu}[\\p{L}'’-]*)?";
const NAMES = `${NAME}(?:(?:,| and| und| &| \\+|/) ?${NAME})*`;
const AT = /(?<![\p{L}\d.])@([\p{L}][\p{L}\d._-]{0,40})/u;
/** Contexts of "Getting Things Done", which look like people. */
const CONTEXTS =
  /^(?:home|work|office|phone|call|calls|computer|online|email|errands?|anywhere|waiting|agenda|read|review|someday|today|town|shop|garden|desk|laptop)$/i;
const BEFORE_COLON = new RegExp(
  `^[*_]*(?:\\[\\[)?(${NAMES})(?:\\]\\])?[*_]*(?:\\s?[–—-]\\s|:[*_]*\\s)\\s*`,
  'u',
);
const LINKED_NAME = '\\[\\[[^[\\]]{1,160}\\]\\]';
/** `[[Ben Okafor]] will send it`: what acts is a person, known or not. */
const LINKED_BEFORE_VERB = new RegExp(
  `^[*_]*(${LINKED_NAME}(?:(?:,| and| und| et| y| e| &| \\+|/) ?${LINKED_NAME}){0,4})[*_]*(?=,? (?:to|soll|sollen|muss|müssen|wird|werden|${wordsFor(({ phrases }) => phrases.intention)}|${wordsFor(({ phrases }) => phrases.present)})${WORD_END})`,
  'u',
);
const LINKED = /^\[\[([^[\]|]{1,80})(?:\|([^[\]]{1,80}))?\]\]\s*/u;
const BEFORE_VERB = new RegExp(
  `^[*_]*(${NAMES})[*_]*(?=(?:,)? (?:will|to|is going to|are going to|needs? to|has to|must|should|agreed to|promised to|wird|soll|muss|kümmert sich|übernimmt|va|hará)\\b)`,
  'u',
);
const IN_PARENTHESES = new RegExp(`\\(((?:owner: ?)?@?${NAMES})(?:[,;] [^()]*)?\\)`, 'u');
const AT_END = new RegExp(`\\s(?:[–—]|-{1,2}|→|->)\\s*(${NAMES})[.\\s]*$`, 'u');
const LABELLED = new RegExp(
  `[\\s,;(](?:[Oo]wner|[Aa]ssigned to|[Aa]ssignee|[Ww]er|[Vv]erantwortlich|[Rr]esponsables?|[Rr]esponsável|[Qq]ui)(?::\\s*(?:\\[\\[)?(@?${NAMES}|\\p{Ll}[\\p{L}\\d_-]{1,30}(?=\\s*[),;.]|$))(?:(?:\\|[^[\\]]{0,80})?\\]\\])?|\\s+(@?${NAMES}))\\)?`,
  'u',
);

const NO_OWNER =
  /^(?:We|I|It|This|That|They|There|He|She|You|Need|Needs|Want|Have|Plan|How|What|When|Where|Who|Try|Remember|Go|Everyone|Someone|Somebody|Nobody|TODO|FIXME|DONE|Action|Actions|Note|Next|Decision|Risk|Question|Follow|Waiting|Update|Idea|Wir|Ich|Es|Das|Man)\b/u;
const LINK = /\[\[([^[\]|]{1,80})(?:\|([^[\]]{1,80}))?\]\]/g;

/** A name written as one, with its range; `sure` when an unknown name is repeated, `named` when it is the owner. */
type OwnerNotation = Owner & { readonly sure: boolean; readonly named: boolean };

/** Places of a name, the most explicit first. */
const NOTATIONS: readonly {
  readonly pattern: RegExp;
  readonly sure: boolean;
  /** `owner: Ana`. */
  readonly named?: boolean;
  readonly nameOf: (match: readonly (string | undefined)[]) => string | undefined;
}[] = [
  { pattern: LABELLED, sure: true, named: true, nameOf: ([, colon, name]) => colon ?? name },
  { pattern: BEFORE_COLON, sure: true, nameOf: ([, name = '']) => (NO_OWNER.test(name) ? undefined : name) },
  { pattern: LINKED_BEFORE_VERB, sure: true, named: true, nameOf: ([, links = '']) => linkedNames(links) },
  { pattern: LINKED, sure: false, nameOf: ([, target = '', alias]) => alias ?? lastPart(target) },
  { pattern: BEFORE_VERB, sure: true, nameOf: ([, name = '']) => (NO_OWNER.test(name) ? undefined : name) },
  { pattern: IN_PARENTHESES, sure: false, nameOf: ([, name]) => name?.replace(/^owner: ?/i, '') },
  { pattern: AT_END, sure: false, nameOf: ([, name]) => name },
];

/** `owner` is set for known people and for names with an @; an unknown name in a sure place has `text` alone. */
export function findOwner(text: string, people: readonly string[]): Owner | undefined {
  const at = AT.exec(text);
  if (at && !CONTEXTS.test(at[1] ?? '')) {
    const name = (at[1] ?? '').replace(/[._-]+$/, '');
    return {
      owner: personNamed(people, name) ?? name,
      text: `@${name}`,
      start: at.index,
      end: at.index + name.length + 1,
    };
  }
  let unknown: Owner | undefined;
  for (const { text: name, start, end, sure, named } of writtenNames(text)) {
    const owner = knownIn(name, people) ?? (named ? name.replace(/^@/, '') : undefined);
    if (owner !== undefined) return { owner, text: name, start, end };
    if (sure) unknown ??= { text: name, start, end };
  }
  return unknown;
}

function* writtenNames(text: string): Generator<OwnerNotation> {
  for (const { pattern, sure, named = false, nameOf } of NOTATIONS) {
    const match = pattern.exec(text);
    const name = match && nameOf(match);
    if (match && name)
      yield { text: name, start: match.index, end: match.index + match[0].length, sure, named };
  }
  for (const { index, 0: whole, 1: target = '' } of text.matchAll(LINK))
    yield { text: lastPart(target), start: index, end: index + whole.length, sure: false, named: false };
}

/** Undefined when one of the links is to no person. */
function linkedNames(links: string): string | undefined {
  const names = [...links.matchAll(LINK)].map(([, target = '', alias]) => linkedName(target, alias));
  return names.every((name) => name !== undefined) ? names.join(', ') : undefined;
}

function lastPart(target: string): string {
  return target.slice(target.lastIndexOf('/') + 1);
}

/** Several names make one owner when all are known. */
function knownIn(names: string, people: readonly string[]): string | undefined {
  const parts = names.split(/,\s?| and | und | & | \+ |\//u).map((name) => name.replace(/^@/, ''));
  const known = parts.map((name) => personNamed(people, name));
  return known.every((name) => name !== undefined) ? known.join(', ') : undefined;
}
