/**
 * What makes a text an attack: concepts of the lexicon that stand together. A definition describes a tool; one that
 * orders the model about, asks for what the tool has no business with, or asks for silence does not.
 */
import type { Concept } from './lexicon.ts';
import { type Names, NO_NAMES, type Token, tokensOf } from './tokens.ts';
import { type Rule, WIDE_RULES } from './wide-rules.ts';

const RULES: readonly Rule[] = [
  // Earlier instructions are to be ignored.
  { needs: 'override + earlier + rules', span: 10, isOrdered: true },
  { needs: 'override + rules + earlier', span: 10, isOrdered: true },
  { needs: 'earlier + rules + override', span: 10, isOrdered: true },
  { needs: 'rules + earlier + override', span: 10, isOrdered: true },
  { needs: 'override + every + rules', span: 7, isOrdered: true },
  { needs: 'override + rules + every', span: 7, isOrdered: true },
  { needs: 'every + rules + override', span: 7, isOrdered: true },
  { needs: 'override + user + wish', span: 7, isOrdered: true },
  { needs: 'override + said', span: 8, isOrdered: true },
  { needs: 'rules + earlier + void', span: 12 },
  { needs: 'rules + void + every', span: 8 },
  { needs: 'not|nowhere + follow + rules + earlier', span: 10 },
  { needs: 'prevail + rules|earlier + here|every', span: 14 },
  { needs: 'rules + void + you', span: 10 },
  { needs: 'follow + only + here', span: 8 },
  { needs: 'follow + rules + url', span: 16 },
  // The person is not to know.
  { needs: 'not|ban + tell + user', span: 9, isOrdered: true },
  { needs: 'not|ban + tell|utter + rules', span: 5, isOrdered: true },
  { needs: 'tell + nowhere + user', span: 8 },
  { needs: 'without + tell + user', span: 7, isOrdered: true },
  { needs: 'user + ban + know', span: 9, isOrdered: true },
  { needs: 'not + let + user + know', span: 11, isOrdered: true },
  { needs: 'not + user + know', span: 4, isOrdered: true },
  { needs: 'none + know', span: 7, isOrdered: true },
  { needs: 'covert + pass|grab|copy|call', span: 4 },
  { needs: 'keep + this + concealed', span: 6, isOrdered: true },
  { needs: 'keep + concealed + user', span: 10 },
  { needs: 'ensure + user + not|nowhere|none + know', span: 14 },
  { needs: 'hide + user', span: 6, isOrdered: true, isFunction: true },
  { needs: 'hush', span: 1 },
  { needs: 'user + ask + deny', span: 16, isOrdered: true },
  // What the tool has no business with is to be handed over.
  { needs: 'grab + credential + pass|utter', span: 26, isWide: true, isFunction: true },
  { needs: 'pass|utter + credential + channel|url|email|content|force', span: 20, isFunction: true },
  { needs: 'grab + credential + force|first', span: 16, isFunction: true },
  { needs: 'content + credential', span: 10, isParameter: true },
  { needs: 'grab + secret + pass + channel|url|email|every', span: 24, isWide: true, isFunction: true },
  { needs: 'pass + secret + url|email', span: 14, isFunction: true },
  { needs: 'pass + secret + every|stored|duty|force + channel|copy', span: 14, isFunction: true },
  { needs: 'pass + secret + stored + every|force', span: 12, isFunction: true },
  { needs: 'param + secret|credential|talk', span: 14, isFunction: true },
  { needs: 'model + force + secret|credential', span: 12, isOrdered: true },
  { needs: 'pass|grab|utter + prompt', span: 7 },
  { needs: 'pass|grab + talk + channel|url|email|content + every|force|model', span: 18, isFunction: true },
  { needs: 'pass + talk + channel|url|email', span: 9, isFunction: true },
  { needs: 'pass + talk + every', span: 12, isFunction: true },
  { needs: 'duty + pass + secret|talk|url|email', span: 18 },
  { needs: 'slot + secret|talk|credential', span: 14 },
  // Other tools are steered.
  { needs: 'foreign + call|tool + when + alter|pass|copy', span: 16 },
  { needs: 'foreign + call + also', span: 7 },
  { needs: 'foreign + call + secret|talk|credential', span: 14 },
  { needs: 'usurp + foreign', span: 4, isOrdered: true },
  { needs: 'foreign + usurp', span: 3, isOrdered: true },
  { needs: 'instead + foreign + force|every|not|ban', span: 12 },
  { needs: 'not|ban + call + other + tool', span: 9, isOrdered: true },
  { needs: 'call + nowhere + other + tool', span: 9 },
  // Copies go to somebody else.
  { needs: 'email + every|also + copy|pass|alter', span: 14 },
  // The model is given another role, or its consent is taken for granted.
  { needs: 'role + unlimited', span: 14 },
  { needs: 'unlimited + void', span: 10 },
  { needs: 'not + ask + approval + proceed|user', span: 14 },
  { needs: 'ask + nowhere + approval + proceed|user', span: 14 },
  { needs: 'proceed + without + ask|approval', span: 6 },
  // A command is to be run by the model.
  { needs: 'shell + first|force', span: 14 },
];

interface CompiledRule extends Rule {
  /** Proves an attack in a definition only: a page or a mail may say the like. */
  readonly isWeak: boolean;
  readonly groups: readonly (readonly Concept[])[];
}

const COMPILED: readonly CompiledRule[] = [...RULES, ...WIDE_RULES].map((rule, n) => ({
  ...rule,
  isWeak: n >= RULES.length || rule.needs.includes('foreign'),
  groups: rule.needs.split(' + ').map((group) => group.split('|') as Concept[]),
}));
/** The rules that a token with a concept can complete. */
const BY_CONCEPT = new Map<Concept, CompiledRule[]>();
for (const rule of COMPILED)
  for (const concept of new Set(rule.isOrdered ? rule.groups.at(-1) : rule.groups.flat()))
    BY_CONCEPT.set(concept, [...(BY_CONCEPT.get(concept) ?? []), rule]);

export interface SignalContext extends Names {
  /** The text begins with a sentence that says what the tool does. */
  readonly hasFunction: boolean;
  readonly isParameter?: boolean;
  /** The text belongs to a definition, not to a result. */
  readonly isDefinition?: boolean;
}

export interface Signal {
  readonly at: number;
  readonly text: string;
  /** The text steers the tools of others. */
  readonly isShadowing: boolean;
  /** The text proves nothing where it stands. */
  readonly isWeak: boolean;
}

export function findSignals(folded: string, context: SignalContext, limit: number): Signal[] {
  const tokens = tokensOf(folded, context);
  const isFunction = context.hasFunction && isStatement(tokens);
  // A tool for conversations is given conversations.
  const isForTalk =
    context.hasFunction && tokens.some((one) => one.sentence === 0 && one.concepts.includes('talk'));
  const isOut = (rule: CompiledRule, { sentence }: Token) =>
    (rule.isParameter === true && context.isParameter !== true) ||
    (rule.isDescription === true && !context.hasFunction) ||
    (isForTalk && rule.groups.some((group) => group.includes('talk'))) ||
    (rule.isFunction === true && isFunction && sentence === 0);
  const signals: Signal[] = [];
  const last = new Map<Concept, number>();
  for (const [index, token] of tokens.entries()) {
    for (const concept of token.concepts) last.set(concept, token.position);
    for (const concept of token.concepts)
      for (const rule of BY_CONCEPT.get(concept) ?? []) {
        if (isOut(rule, token) || !isPossible(rule, token.position, last)) continue;
        const first = firstOf(tokens, index, rule);
        if (first === undefined) continue;
        const from = tokens[first]?.at ?? 0;
        signals.push({
          at: from,
          text: folded.slice(from, token.end),
          isShadowing: rule.groups.some((group) => group.includes('foreign')),
          isWeak: rule.isWeak && context.isDefinition !== true,
        });
        if (signals.length >= limit) return signals;
      }
  }
  return signals;
}

/** Each group was seen near enough. */
function isPossible(
  { groups, span }: CompiledRule,
  position: number,
  last: ReadonlyMap<Concept, number>,
): boolean {
  return groups.every((group) =>
    group.some((one) => position - (last.get(one) ?? Number.NEGATIVE_INFINITY) < span),
  );
}

const ADDRESSED: ReadonlySet<Concept> = new Set(['first', 'force', 'url', 'email', 'you', 'model']);

/** Whether the first sentence only says what a tool does: it obliges nobody and names no address. */
function isStatement(tokens: readonly Token[]): boolean {
  return !tokens.some(
    ({ sentence, concepts }) => sentence === 0 && concepts.some((one) => ADDRESSED.has(one)),
  );
}

/** The first token of a hit that ends at `index`. Each group takes a token of its own. */
function firstOf(tokens: readonly Token[], index: number, rule: CompiledRule): number | undefined {
  const { position = 0, sentence } = tokens[index] ?? {};
  const search: Search = {
    isIn: (at) => {
      const token = tokens[at];
      return (
        token !== undefined &&
        position - token.position < rule.span &&
        (rule.isWide || token.sentence === sentence)
      );
    },
    has: (at, group) => tokens[at]?.concepts.some((one) => group.includes(one)) === true,
  };
  return rule.isOrdered ? inOrder(rule.groups, index, search) : assign(rule.groups, index, search);
}

function inOrder(
  groups: readonly (readonly Concept[])[],
  index: number,
  { isIn, has }: Search,
): number | undefined {
  let at = index;
  for (const group of groups.toReversed()) {
    while (isIn(at) && !has(at, group)) {
      if (at === index) return undefined;
      at--;
    }
    if (!isIn(at)) return undefined;
    at--;
  }
  return at + 1;
}

interface Search {
  isIn(at: number): boolean;
  has(at: number, group: readonly Concept[]): boolean;
}

/** Matches groups to tokens: the token at `index` takes one of its groups, then the rarest of the others the nearest. */
function assign(groups: readonly (readonly Concept[])[], index: number, search: Search): number | undefined {
  for (const [n, group] of groups.entries()) {
    if (!search.has(index, group)) continue;
    const others = groups.filter((_, other) => other !== n).map((other) => placesOf(other, index, search));
    others.sort((a, b) => a.length - b.length);
    const taken = new Set([index]);
    for (const places of others) {
      const at = places.find((place) => !taken.has(place));
      if (at !== undefined) taken.add(at);
    }
    if (taken.size === groups.length) return Math.min(...taken);
  }
  return undefined;
}

function placesOf(group: readonly Concept[], index: number, { isIn, has }: Search): number[] {
  const places: number[] = [];
  for (let at = index - 1; isIn(at); at--) if (has(at, group)) places.push(at);
  return places;
}

/** Concepts that have no place in text which is kept from the reader. */
const ACTIONS: ReadonlySet<Concept> = new Set([
  'pass',
  'grab',
  'call',
  'override',
  'covert',
  'hush',
  'not',
  'follow',
  'alter',
  'void',
  'usurp',
  'swap',
  'role',
  'free',
  'quiet',
  'sneak',
]);
const OBJECTS: ReadonlySet<Concept> = new Set([
  'credential',
  'secret',
  'talk',
  'model',
  'user',
  'tool',
  'foreign',
  'url',
  'email',
  'rules',
  'force',
  'content',
  'brief',
  'prompt',
  'maker',
  'reply',
  'private',
]);

/** Whether text that a reader is not shown asks for something. */
export function isDirective(folded: string): boolean {
  const tokens = tokensOf(folded, NO_NAMES);
  const acting = tokens.findIndex(({ concepts }) => concepts.some((one) => ACTIONS.has(one)));
  return (
    acting >= 0 && tokens.some(({ concepts }, n) => n !== acting && concepts.some((one) => OBJECTS.has(one)))
  );
}
