/**
 * Scans definitions and results for hidden characters, prompt injection, shadowing, encoded payloads and secrets. Offline,
 * deterministic and bounded in time: text that is too large to scan is a finding itself.
 */
import { recordOf } from '../../../shared/records.ts';
import type { Definition } from '../../../upstream/definition.ts';
import { findUnderstatement } from '../../policy/classify.ts';
import type { ScanFinding } from '../../types.ts';
import { firstHidden, hasHidden, showHidden, stripSteps } from './hidden-text.ts';
import { findDisguised, findImperatives, findInjections, findPayload, type PhraseHit } from './injection.ts';
import { findMixedScript, foldText } from './reading.ts';
import { findShadowing, hasSecret, isShadowingName, maskSecrets, type OtherServer } from './shadowing.ts';
import type { SignalContext } from './signals.ts';
import { atOnce, type Steps, slicesOf } from './steps.ts';

const BEFORE = 160;
const AFTER = 120;
const CUE =
  /\b(?:e\.g\.|eg\.?|i\.e\.|such as|for example|for instance|examples?|samples?|like|detects?|detecting|detection|flags?|flagging|scans?|scanning|finds?|checks?|blocks?|blocking|catch(?:es)?|matches|recogni[sz]es?|known|phrases?|strings?|patterns?|attacks?|payloads?|prompts? that|contains?|containing|text(?:s)?|wording|attempts?|jailbreaks?|injections?|filters?|sanitizes?|rejects?|reports?|classif(?:y|ies))\b/;
/** The sentence says what is searched for. */
const DESCRIBES =
  /\b(?:detects?|checks?|analy[sz]es?|scans?|flags?|finds?|reports?|classif(?:y|ies)|blocks?|recogni[sz]es?|explains?)\b[^.!?\n]{0,80}\b(?:that|whether|which|when|attempts?|tries|asks?)\b[^.!?\n,]{0,40}$/;
const OPENING = /["'`«(<[]/;
const QUOTES = ['"', '`', "'", '«»', '“”'] as const;

/** A quoted phrase, introduced as an example or as something that is searched for, is no injection. `folded` has its marks. */
function isIllustrative(folded: string, at: number, length: number): boolean {
  const before = folded.slice(Math.max(0, at - BEFORE), at + 1);
  const after = folded.slice(at + length - 1, at + length + AFTER);
  return (
    DESCRIBES.test(before.slice(0, -1)) ||
    (CUE.test(before) && OPENING.test(before) && isQuoted(before, after))
  );
}

function isQuoted(before: string, after: string): boolean {
  return QUOTES.some((quote) => {
    const opening = quote[0] ?? '';
    const closing = quote.at(-1) ?? '';
    return opening === closing
      ? count(before, opening) % 2 === 1 && after.includes(closing)
      : before.lastIndexOf(opening) > before.lastIndexOf(closing) && after.includes(closing);
  });
}

/** An apostrophe within a word is no quotation mark. */
function count(text: string, mark: string): number {
  const marks = mark === "'" ? text.replace(/\w'\w/g, '') : text;
  return marks.split(mark).length - 1;
}

/** Parameters by which a tool asks for the conversation itself. */
const ASKS_FOR_TALK =
  /^(?:sidenote|side_note|conversation_?(?:history|log|context)?|chat_?history|previous_?messages|message_?history|system_?prompt|chain_?of_?thought|hidden_?context|internal_?notes|feedback_to_server)$/i;

function findMismatch(definition: Definition): string | undefined {
  const understated = findUnderstatement(definition);
  if (understated !== undefined || definition.kind !== 'tool') return understated;
  const asked = Object.keys(recordOf(recordOf(definition.inputSchema).properties)).find((one) =>
    ASKS_FOR_TALK.test(one),
  );
  return asked === undefined ? undefined : `asks for ${asked}`;
}

interface PlacedText {
  readonly where: string;
  readonly text: string;
}

const MAX_TEXTS = 4_000;
const MAX_CHARACTERS = 512 * 1024;
/** The longest of the real definitions in `test/corpus` has under 8,000 characters. */
const MAX_DEFINITION = 64 * 1024;
const MAX_TEXT_DEPTH = 40;
const MAX_PLACE = 120;

/** All texts in a value; `isCut` when it has more than is scanned. */
function textsOf(value: unknown, most = MAX_CHARACTERS): { texts: PlacedText[]; isCut: boolean } {
  const texts: PlacedText[] = [];
  const names = new Set<string>();
  let left = most;
  let isCut = false;
  const add = (where: string, text: string) => {
    if (texts.length >= MAX_TEXTS || left < text.length) isCut = true;
    if (texts.length >= MAX_TEXTS || left <= 0) return;
    texts.push({ where: where.slice(0, MAX_PLACE), text: text.slice(0, left) });
    left -= text.length;
  };
  const walk = (item: unknown, where: string, depth: number): void => {
    if (typeof item === 'string') add(where, item);
    if (typeof item !== 'object' || item === null || isCut) return;
    if (depth > MAX_TEXT_DEPTH) {
      isCut = true;
      return;
    }
    const isList = Array.isArray(item);
    for (const [name, inner] of Object.entries(item)) {
      const place = isList ? `${where}[${name}]` : where === '' ? name : `${where}.${name}`;
      // Names of properties are read by the model like any other text; rows of a table have them all alike.
      if (!isList && where !== '' && !names.has(name)) {
        names.add(name);
        add(`${place} (name)`, name);
      }
      walk(inner, place, depth + 1);
    }
  };
  walk(value, '', 0);
  return { texts, isCut };
}

export interface ScanContext {
  /** Names of the server's own definitions. */
  readonly own?: readonly string[];
  readonly others?: readonly OtherServer[];
  /** Names of the parameters of the definition that the text belongs to. */
  readonly parameters?: readonly string[];
  /** The text belongs to a definition, which has less to say than a result. */
  readonly isDefinition?: boolean;
}

const MAX_FINDINGS = 20;
/** A shorter text says nothing; it may hide something. */
const SHORTEST_PHRASE = 6;
const MAX_EXCERPT = 100;
const HITS = 8;

export function scanDefinition(definition: Definition, context: ScanContext = {}): ScanFinding[] {
  return atOnce(definitionSteps(definition, context));
}

export function* definitionSteps(definition: Definition, context: ScanContext = {}): Steps<ScanFinding[]> {
  const { texts, isCut } = textsOf(definition, MAX_DEFINITION);
  const placed = { ...context, parameters: parametersOf(definition), isDefinition: true };
  const findings: ScanFinding[] = [];
  let isUnread = isCut;
  for (const text of texts) {
    if (isUnread && !isCut) break;
    if (text.where === 'kind') continue;
    const scanned = yield* textSteps(text, placed);
    findings.push(...scanned.findings);
    isUnread ||= scanned.isUnread;
  }
  if (definition.kind === 'tool' && isShadowingName(definition.name, context.others ?? []))
    findings.push(finding('shadowing.cross_server', 'hard', 'name', definition.name));
  const mismatch = findMismatch(definition);
  if (mismatch !== undefined) findings.push(finding('capability.mismatch', 'soft', 'annotations', mismatch));
  if (isUnread)
    findings.push(finding('definition.too_large', 'hard', 'definition', 'too large to be looked over'));
  return worst(findings);
}

const MAX_NAMES = 400;

/** Names of parameters, also of inner ones. */
function parametersOf({ inputSchema, outputSchema }: Definition): string[] {
  const names: string[] = [];
  const walk = (schema: unknown, depth: number): void => {
    if (typeof schema !== 'object' || schema === null || depth > MAX_TEXT_DEPTH) return;
    for (const [key, inner] of Object.entries(schema)) {
      if (names.length > MAX_NAMES) return;
      if (key === 'properties') names.push(...Object.keys(recordOf(inner)).slice(0, MAX_NAMES));
      walk(inner, depth + 1);
    }
  };
  walk(inputSchema, 0);
  walk(outputSchema, 0);
  return names;
}

/** Scans the `instructions` of the initialize answer. */
export function scanInstructions(text: string, context: ScanContext = {}): ScanFinding[] {
  return atOnce(instructionsSteps(text, context));
}

export function* instructionsSteps(text: string, context: ScanContext = {}): Steps<ScanFinding[]> {
  const { texts, isCut } = textsOf({ instructions: text }, MAX_DEFINITION);
  const findings: ScanFinding[] = [];
  let isUnread = isCut;
  for (const one of texts) {
    const scanned = yield* textSteps(one, { ...context, isDefinition: true });
    findings.push(...scanned.findings);
    isUnread ||= scanned.isUnread;
  }
  if (isUnread) findings.push(finding('definition.too_large', 'hard', 'instructions', 'too large'));
  return worst(findings);
}

export function scanText(text: PlacedText, context: ScanContext = {}): ScanFinding[] {
  return atOnce(textSteps(text, context)).findings;
}

/** At most one finding of each kind. */
function* textSteps(
  { where, text }: PlacedText,
  context: ScanContext,
): Steps<{ findings: ScanFinding[]; isUnread: boolean }> {
  const found = new Map<string, ScanFinding>();
  let isFirst = true;
  for (const slice of slicesOf(text)) {
    if (yield) return { findings: [...found.values()], isUnread: true };
    for (const one of yield* sliceSteps({ where, text: slice }, context, isFirst)) {
      const known = found.get(one.code);
      if (!known || (known.severity === 'soft' && one.severity === 'hard')) found.set(one.code, one);
    }
    isFirst = false;
  }
  return { findings: [...found.values()], isUnread: false };
}

/** `isFirst`: the text begins here. */
function* sliceSteps(
  { where, text }: PlacedText,
  context: ScanContext,
  isFirst: boolean,
): Steps<ScanFinding[]> {
  if (text.length < 2) return [];
  const found: ScanFinding[] = [];
  const hidden = firstHidden(text);
  if (hidden) found.push(finding('unicode.hidden', 'hard', where, text.slice(Math.max(0, hidden.at - 20))));
  const payload = yield* findPayload(text);
  if (payload !== undefined) found.push(finding('payload.decoded', discountPayload(text), where, payload));
  if (hasSecret(text)) found.push(finding('secret.embedded', 'soft', where, text));
  if (text.length < SHORTEST_PHRASE) return found;
  const mixed = findMixedScript(text);
  if (mixed !== undefined) found.push(finding('unicode.mixed_script', 'hard', where, mixed));
  yield;
  const folded = foldText(text);
  const injection = yield* findInjection(folded, text, {
    own: lowerCaseOf(context.own),
    parameters: lowerCaseOf(context.parameters),
    hasFunction: isFirst && where === 'description',
    isParameter: where.startsWith('inputSchema.'),
    isDefinition: context.isDefinition === true,
  });
  const shadow = findShadowing(folded, new Set(context.own ?? []), context.others ?? []);
  yield;
  if (injection && !(shadow?.severity === 'hard' && injection.isShadowing)) {
    const code = injection.isShadowing ? 'shadowing.cross_server' : 'phrase.injection';
    found.push(finding(code, injection.severity, where, injection.text));
  }
  if (shadow) found.push(finding('shadowing.cross_server', shadow.severity, where, shadow.text));
  const [imperative] = yield* findImperatives(folded, 1);
  if (imperative) found.push(finding('directive.imperative', 'soft', where, imperative.text));
  return found;
}

/** By the list of names, which is one for all definitions of a server. */
const LOWER_CASE = new WeakMap<readonly string[], ReadonlySet<string>>();

function lowerCaseOf(names: readonly string[] = []): ReadonlySet<string> {
  const known = LOWER_CASE.get(names) ?? new Set(names.map((name) => name.toLowerCase()));
  LOWER_CASE.set(names, known);
  return known;
}

/** Hard unless every hit is illustrative. */
function* findInjection(
  folded: string,
  text: string,
  context: SignalContext,
): Steps<(Pick<ScanFinding, 'severity'> & Pick<PhraseHit, 'text' | 'isShadowing'>) | undefined> {
  const inPlace = yield* findInjections(folded, context, HITS);
  const said = inPlace.find(
    ({ at, text: hit, isWeak }) => isWeak !== true && !isIllustrative(folded, at, hit.length),
  );
  if (said) return { ...said, severity: 'hard' };
  // No honest example is disguised.
  const disguised = inPlace.some(({ isWeak }) => isWeak !== true)
    ? undefined
    : yield* findDisguised(text, folded, context);
  if (disguised && disguised.isWeak !== true) return { ...disguised, severity: 'hard' };
  const hit = inPlace[0] ?? disguised;
  return hit && { ...hit, severity: 'soft' };
}

/** Tools that decode explain themselves by examples. */
function discountPayload(text: string): ScanFinding['severity'] {
  return /\b(?:detect|decod(?:e|es|ing)|deobfuscat|malware|sandbox|yara|signature)\w{0,8}\b/i.test(text) &&
    /\b(?:e\.g\.|such as|for example|example|like)\b/i.test(text)
    ? 'soft'
    : 'hard';
}

function finding(code: string, severity: ScanFinding['severity'], where: string, text: string): ScanFinding {
  const safe = showHidden(maskSecrets(text.slice(0, 4 * MAX_EXCERPT)))
    .replace(/\s+/g, ' ')
    .trim();
  return {
    code,
    severity,
    where: showHidden(where),
    excerpt: safe.length > MAX_EXCERPT ? `${safe.slice(0, MAX_EXCERPT)}…` : safe,
  };
}

function worst(findings: readonly ScanFinding[]): ScanFinding[] {
  const hard = findings.filter(({ severity }) => severity === 'hard');
  const soft = findings.filter(({ severity }) => severity === 'soft');
  return [...hard, ...soft].slice(0, MAX_FINDINGS);
}

export function isHard(findings: readonly ScanFinding[]): boolean {
  return findings.some(({ severity }) => severity === 'hard');
}

export interface ScannedResult<T> {
  readonly result: T;
  readonly findings: readonly ScanFinding[];
  /** Number of hidden characters removed. */
  readonly stripped: number;
  /** The texts and names of `result` in which something was found. */
  readonly suspicious: ReadonlySet<string>;
}

const MAX_RESULT_DEPTH = 100;
/** The fields of binary content, which is not scanned. In structured content a field of that name is a text like others. */
const BINARY = /^(?!structuredContent).*\.(?:data|blob)$/;
const UNREAD: ScanFinding = {
  code: 'result.cut',
  severity: 'soft',
  where: 'result',
  excerpt: 'not looked over to its end',
};

/** Hidden characters are removed from a result; everything else stays and is flagged. */
export function scanResult<T>(result: T, context: ScanContext = {}): ScannedResult<T> {
  return atOnce(resultSteps(result, context));
}

export function* resultSteps<T>(result: T, context: ScanContext = {}): Steps<ScannedResult<T>> {
  const { texts, isCut } = textsOf(result);
  const findings: ScanFinding[] = [];
  const suspicious = new Set<string>();
  let isUnread = isCut;
  for (const text of texts) {
    // Most names of fields, and the kinds of blocks.
    if (text.text.length < SHORTEST_PHRASE && !firstHidden(text.text)) continue;
    if (BINARY.test(text.where)) continue;
    const scanned = yield* textSteps(text, context);
    if (scanned.findings.length > 0) suspicious.add(text.text);
    if (findings.length < MAX_FINDINGS) findings.push(...scanned.findings);
    isUnread ||= scanned.isUnread;
    if (scanned.isUnread) break;
  }
  const shown = findings.slice(0, MAX_FINDINGS);
  const clean = yield* withoutHidden(result);
  for (const text of [...suspicious]) suspicious.add(clean.of(text));
  return {
    result: clean.value as T,
    findings: isUnread ? [...shown, UNREAD] : shown,
    stripped: clean.stripped,
    suspicious,
  };
}

export function stripResult<T>(value: T): T {
  return atOnce(withoutHidden(value)).value as T;
}

/** The value without hidden characters, in texts and names alike; as it is where there are none. */
function* withoutHidden(
  value: unknown,
): Steps<{ value: unknown; stripped: number; of: (text: string) => string }> {
  const changed = new Map<string, string>();
  let stripped = 0;
  for (const text of textsWithHidden(value)) {
    const { text: clean, count } = yield* stripSteps(text);
    changed.set(text, clean);
    stripped += count;
  }
  const of = (text: string) => changed.get(text) ?? text;
  const strip = (item: unknown, depth: number): unknown => {
    if (typeof item === 'string') return of(item);
    if (typeof item !== 'object' || item === null || depth > MAX_RESULT_DEPTH) return item;
    if (Array.isArray(item)) return item.map((one) => strip(one, depth + 1));
    return Object.fromEntries(Object.entries(item).map(([name, one]) => [of(name), strip(one, depth + 1)]));
  };
  return { value: changed.size === 0 ? value : strip(value, 0), stripped, of };
}

function textsWithHidden(value: unknown): ReadonlySet<string> {
  const found = new Set<string>();
  const look = (text: string) => void (hasHidden(text) && found.add(text));
  const walk = (item: unknown, depth: number): void => {
    if (typeof item === 'string') look(item);
    if (typeof item !== 'object' || item === null || depth > MAX_RESULT_DEPTH) return;
    if (Array.isArray(item)) for (const one of item) walk(one, depth + 1);
    else
      for (const [name, one] of Object.entries(item)) {
        look(name);
        walk(one, depth + 1);
      }
  };
  walk(value, 0);
  return found;
}
