/**
 * Validates a query before it is sent, because Trilium reports no errors: it returns every note for an unknown
 * property, and guesses at an open bracket or a missing value.
 */
import { AppError } from '../../../shared/errors.ts';
import { nearest } from '../../../shared/nearest.ts';

export interface QueryToken {
  readonly kind: 'word' | 'quoted' | 'open' | 'close' | 'operator' | 'label' | 'relation' | 'property';
  /** Without quotes. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** For a quoted token: whether the quote is closed. */
  readonly isClosed: boolean;
}

const OPERATOR = '\\*=\\*|=\\*|\\*=|%=|!=|<=|>=|~=|~\\*|=|<|>';
const TOKEN = new RegExp(
  [
    /(?<quote>["'`])(?<quoted>(?:\\.|(?!\k<quote>)[^\\])*)(?<closing>\k<quote>?)/.source,
    /(?<paren>[()])/.source,
    `(?<operator>${OPERATOR})`,
    // A word continues until the start of a token that cannot be part of one.
    `(?<word>(?:(?!${OPERATOR})[^\\s()])+)`,
  ].join('|'),
  'gs',
);

export function tokensOf(query: string): QueryToken[] {
  return [...query.matchAll(TOKEN)].map((found) => {
    const { quoted, closing, paren, operator, word = '' } = found.groups ?? {};
    const place = { start: found.index, end: found.index + found[0].length, isClosed: true };
    if (quoted !== undefined)
      return { ...place, kind: 'quoted', text: quoted.replace(/\\(.)/gs, '$1'), isClosed: closing !== '' };
    if (paren !== undefined) return { ...place, kind: paren === '(' ? 'open' : 'close', text: paren };
    if (operator !== undefined) return { ...place, kind: 'operator', text: operator };
    return { ...place, kind: kindOf(word), text: word };
  });
}

function kindOf(word: string): QueryToken['kind'] {
  if (/^#!?./.test(word)) return 'label';
  if (/^~!?./.test(word)) return 'relation';
  return /^note\./i.test(word) ? 'property' : 'word';
}

export function isStructural({ kind }: QueryToken): boolean {
  return kind === 'label' || kind === 'relation' || kind === 'property';
}

export const isKeyword = ({ kind, text }: QueryToken, word: string): boolean =>
  kind === 'word' && text.toLowerCase() === word;

/** Quotes a text as a single value. */
export function quoted(text: string): string {
  const quote = ['"', "'", '`'].find((sign) => !text.includes(sign)) ?? '"';
  const inside = text.replaceAll('\\', '\\\\');
  return `${quote}${text.includes(quote) ? inside.replaceAll(quote, `\\${quote}`) : inside}${quote}`;
}

/** The parsed query. Words come first; structure begins with the first label, relation or property. */
export interface QueryShape {
  readonly isStructured: boolean;
  /** Whether the query has an order of its own. */
  readonly hasOrder: boolean;
  /** Words and phrases before the structure. */
  readonly words: readonly string[];
  /** The part before the structure and the structure, verbatim. */
  readonly lead: string;
  readonly structure: string;
  /** Whether the query refers to other notes than the result: ancestors or relation targets. */
  readonly looksElsewhere: boolean;
  /** The conditions besides the words. */
  readonly expression?: Expression;
  /** Order and limit, verbatim. */
  readonly ending: string;
}

export type Expression =
  | { readonly kind: 'and' | 'or'; readonly parts: readonly Expression[] }
  | { readonly kind: 'not'; readonly part: Expression }
  | Condition;

/** A comparison of one label, relation or property. */
export interface Condition {
  readonly kind: 'condition';
  readonly subject: QueryToken;
  readonly operator?: string;
  readonly value?: string;
  /** Verbatim. */
  readonly text: string;
}

const PROPERTIES = [
  'noteId title text content rawContent type mime isProtected isArchived',
  'dateCreated dateModified utcDateCreated utcDateModified',
  'parentCount childrenCount attributeCount ownedAttributeCount labelCount ownedLabelCount',
  'relationCount ownedRelationCount relationCountIncludingLinks ownedRelationCountIncludingLinks',
  'targetRelationCount targetRelationCountIncludingLinks',
  'contentSize contentAndAttachmentsSize contentAndAttachmentsAndRevisionsSize revisionCount',
]
  .join(' ')
  .split(' ');
const ROOMS = ['labels', 'relations', 'parents', 'children', 'ancestors'];

export function checkQuery(query: string): QueryShape {
  const tokens = tokensOf(query);
  const start = structureStart(tokens);
  const words = tokens.slice(0, start).filter(({ kind }) => kind === 'word' || kind === 'quoted');
  const structure = tokens.slice(start).filter((token) => !isMark(token));
  const read = structure.length > 0 ? new Reader(query, structure).read() : { ending: '' };
  return {
    isStructured: structure.length > 0,
    hasOrder: structure.some((token) => isKeyword(token, 'orderby')),
    words: words.map(({ text }) => text),
    lead: query.slice(0, tokens[start]?.start).trim(),
    structure: start < tokens.length ? query.slice(tokens[start]?.start).trim() : '',
    looksElsewhere: structure.some(looksElsewhere),
    ...read,
  };
}

/** An open bracket or a bare `#` before the first structural token belongs to the structure. */
function structureStart(tokens: readonly QueryToken[]): number {
  let at = tokens.findIndex(isStructural);
  if (at < 0) return tokens.length;
  const opens = (token: QueryToken | undefined) =>
    token !== undefined && (token.kind === 'open' || isKeyword(token, 'not') || isMark(token));
  while (opens(tokens[at - 1])) at--;
  return at;
}

/** A bare `#` marks the start of an expression. */
const isMark = (token: QueryToken): boolean => isKeyword(token, '#');

function looksElsewhere({ kind, text }: QueryToken): boolean {
  if (kind === 'relation') return text.includes('.');
  return kind === 'property' && /\.(?:relations|parents|ancestors)\b/i.test(text);
}

class Reader {
  readonly #query: string;
  readonly #tokens: readonly QueryToken[];
  #at = 0;

  constructor(query: string, tokens: readonly QueryToken[]) {
    this.#query = query;
    this.#tokens = tokens;
  }

  read(): { readonly expression: Expression; readonly ending: string } {
    const open = this.#tokens.find(({ isClosed }) => !isClosed);
    if (open) throw this.#wrong(open, 'The quotation marks are not closed.');
    const expression = this.#either();
    const ending = this.#next ? this.#query.slice(this.#next.start) : '';
    if (this.#take('orderby')) this.#orders();
    if (this.#take('limit')) this.#limit();
    const rest = this.#next;
    if (rest?.kind === 'close') throw this.#wrong(rest, 'This bracket closes nothing.');
    if (rest) throw this.#wrong(rest, 'Nothing is expected here.');
    return { expression, ending };
  }

  get #next(): QueryToken | undefined {
    return this.#tokens[this.#at];
  }

  #take(word: string): boolean {
    const next = this.#next;
    if (!next || !isKeyword(next, word)) return false;
    this.#at++;
    return true;
  }

  #either(): Expression {
    const parts: Expression[] = [];
    do parts.push(this.#both());
    while (this.#take('or'));
    return joined('or', parts);
  }

  #both(): Expression {
    const parts: Expression[] = [];
    do {
      this.#take('and');
      parts.push(this.#one());
    } while (this.#next && this.#next.kind !== 'close' && !this.#endsConditions(this.#next));
    return joined('and', parts);
  }

  #endsConditions(token: QueryToken): boolean {
    return ['or', 'orderby', 'limit'].some((word) => isKeyword(token, word));
  }

  #one(): Expression {
    if (this.#take('not')) return { kind: 'not', part: this.#one() };
    const token = this.#next;
    if (!token) throw this.#wrong(this.#tokens.at(-1), 'A condition is missing behind it.');
    this.#at++;
    switch (token.kind) {
      case 'open': {
        const inner = this.#either();
        if (this.#next?.kind !== 'close') throw this.#wrong(token, 'This bracket is not closed.');
        this.#at++;
        return inner;
      }
      case 'label':
      case 'relation':
        return this.#attribute(token);
      case 'property':
        return this.#property(token);
      case 'operator':
        throw this.#wrong(token, 'There is nothing before it to compare.');
      case 'close':
        throw this.#wrong(token, 'There is nothing inside these brackets.');
      default:
        throw this.#wrong(
          token,
          'Words to look for stand before all conditions; values stand behind an operator.',
        );
    }
  }

  #attribute(token: QueryToken): Condition {
    const [name = '', ...path] = token.text.replace(/^[#~]!?/, '').split('.');
    if (!/^[\p{L}\p{N}_:-]+$/u.test(name))
      throw this.#wrong(token, 'A name of letters, digits, _ and : is expected.');
    if (path.length > 0 && token.kind === 'label') throw this.#wrong(token, 'A label has no properties.');
    if (path.length > 0) this.#assertPath(token, path);
    return this.#comparison(token, path.length > 0);
  }

  #property(token: QueryToken): Condition {
    const path = token.text.split('.').slice(1);
    this.#assertPath(token, path);
    const isPresence = ['labels', 'relations'].includes(path.at(-2)?.toLowerCase() ?? '');
    return this.#comparison(token, !isPresence);
  }

  #comparison(subject: QueryToken, isNeeded: boolean): Condition {
    const textUpTo = (end: number) => this.#query.slice(subject.start, end);
    const operator = this.#next;
    if (operator?.kind !== 'operator') {
      if (isNeeded)
        throw this.#wrong(subject, 'An operator and a value are missing behind it, such as = "x".');
      return { kind: 'condition', subject, text: textUpTo(subject.end) };
    }
    this.#at++;
    const value = this.#next;
    if (!value || ['operator', 'open', 'close'].includes(value.kind))
      throw this.#wrong(operator, 'A value is missing behind it.');
    this.#at++;
    const text = textUpTo(value.end);
    return { kind: 'condition', subject, operator: operator.text, value: value.text, text };
  }

  #assertPath(token: QueryToken, [first = '', ...rest]: readonly string[]): void {
    const name = first.toLowerCase();
    if (name === 'labels' || name === 'relations') {
      if (!rest[0]) throw this.#wrong(token, `The name of a ${name.slice(0, -1)} is missing.`);
      if (rest.length > 1) this.#assertPath(token, rest.slice(1));
    } else if (ROOMS.includes(name)) this.#assertPath(token, rest);
    else if (rest.length > 0 || !PROPERTIES.some((one) => one.toLowerCase() === name))
      throw this.#wrong(token, unknownProperty(first));
  }

  #orders(): void {
    do {
      const token = this.#next;
      if (!token || !isStructural(token))
        throw this.#wrong(token ?? this.#tokens.at(-1), 'Order by #label or note.property.');
      this.#at++;
      const path = token.text.replace(/,$/, '').split('.');
      if (token.kind === 'property') this.#assertPath(token, path.slice(1));
      const direction = this.#next;
      if (direction?.kind === 'word' && /^(?:asc|desc),?$/i.test(direction.text)) this.#at++;
      else if (direction?.kind === 'word' && direction.text === ',') this.#at++;
    } while (this.#next && !isKeyword(this.#next, 'limit'));
  }

  #limit(): void {
    const token = this.#next;
    if (!token || !/^\d+$/.test(token.text))
      throw this.#wrong(token ?? this.#tokens.at(-1), 'A number is missing.');
    this.#at++;
  }

  #wrong(token: QueryToken | undefined, problem: string): AppError {
    const around = token ? this.#query.slice(token.start, token.end).slice(0, 60) : '';
    const place = token ? ` at character ${token.start + 1}` : '';
    return new AppError('invalid_input', 'Trilium would not understand this query', {
      subject: `${around}${place}`,
      hint: `${problem} To look for these signs themselves, put them in quotation marks.`,
    });
  }
}

function joined(kind: 'and' | 'or', parts: readonly Expression[]): Expression {
  const [only] = parts;
  return only && parts.length === 1 ? only : { kind, parts };
}

function unknownProperty(name: string): string {
  const known = [...PROPERTIES, ...ROOMS];
  const near = nearest(name, known);
  return `Notes have no property "${name.slice(0, 40)}"${near ? `; did you mean note.${near}?` : `. They have: ${known.join(', ')}.`}`;
}
