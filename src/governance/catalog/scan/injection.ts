/** Prompt injection: sentences that instruct the model instead of describing a tool, also in an encoding. Every repetition is bounded. */

import { lexiconSteps } from './lexicon-index.ts';
import { disguisedReadings, foldText, unseenPlaces } from './reading.ts';
import { findSignals, isDirective, type SignalContext } from './signals.ts';
import type { Steps } from './steps.ts';

/** Forms by which text poses as something else than the description of a tool. */
const FORMS: readonly RegExp[] = [
  // Tags and headings of a prompt.
  /[<[{]\/? ?(?:important|system|sys|secret|hidden|instructions?|admin|critical|assistant|inst|developer|override)(?:[_ -](?:prompt|message|instructions?|notice|note|override|directive|reminder|policy)){0,2} ?[>\]}](?!\()/g,
  /[<[{] ?(?:system|assistant|admin|developer|ai|agent)[_ -](?:prompt|message|instructions?|notice|note|override|directive|reminder|policy) ?:/g,
  /[<[{]\/? ?(?:wichtig|systemnachricht|anweisung(?:en)?|importante|sistema|instrucciones|systeme|consignes|istruzioni|重要|系统|指令|важно|система) ?[>\]}]/g,
  /(?:#{2,6}|={3,6}|-{3,6}|\*{2,4}) ?(?:system|admin|developer|assistant|override|security|compliance)[ _-](?:message|prompt|notice|override|instructions?|directive|update|policy)/g,
  /<\|(?:im_start|im_end|system|endoftext|user|assistant)\|>|<<sys>>|\[\/?inst\]|<\/(?:description|tool|function|tools)>/g,
  /"role" ?: ?"(?:system|developer|assistant)"/g,
  /(?:^|[\n.!?] ?|# ?)(?:system|assistant|developer|admin|sistema|systeme|asistente|assistent|assistente) ?(?:prompt|message|instruction|note|notice|override|directive|update)? ?[:：] ?(?!cpu|memory|disk|os\b)[^\n.!?]{0,100}\b(?:you|your|ignore|always|never|from now|do not|execute|call|calling|send|disregard|before|new|obey|forward|read|reply|must|assistant|required|pre-?approved|asistente|assistent|assistant|assistente)\b/g,
  /(?:系统|助手|система|システム) ?[:：] ?[^\n。]{0,40}(?:助手|必须|转发|忽略|你|ассистент|アシスタント)/g,
  /\b(?:human|user) ?: [^\n]{1,200}\n ?(?:assistant|ai) ?: /g,
  // A tool that explains how to draw an image has no need of a parameter in its address.
  /!\[[^\]]{0,100}\]\( ?https?:[^)\s]{1,300}[?&][^)=\s]{1,40}=(?:[{<$[(]|%7b|[^\x00-\x7f]|\))[^)]{0,200}\)?/g,
  /!\[[^\]]{0,100}\]\( ?https?:[^)\s]{1,300}=[^)\s]{0,100}\)[^\n]{0,20}(?:where|with|in which|wobei|donde|ou|dove|onde|其中|为)\b/g,
  /(?:\/\*|\(|\[|\/\/) ?(?:model|assistant|agent|ai|llm|assistent|asistente|assistente|助手) ?[:：,]/g,
  // Addresses to the reader of the definition.
  /\b(?:ai|llm|language model|assistant|agent|model)s? ?(?:reading|processing|that (?:reads?|process(?:es)?)|seeing|parsing|using) this\b[^.!?]{0,60}(?:must|should|need|shall|has to|have to|is required|please|:)/g,
  /\b(?:attention|note to|message (?:to|for)|instructions? (?:to|for)|dear) (?:[^\s.!?]{1,20} ){0,2}(?:ai|llm|language model|assistant|agent|model|claude|gpt|chatgpt|copilot|cursor)s?\b ?[:!]/g,
  /\bnew (?:system )?(?:instructions?|prompt|directive|rules?|task|objective)(?: for (?:you|the (?:assistant|model|agent|ai)))? ?(?::|follow|apply|are as)/g,
  /\bfrom (?:now|here|this point) on,? (?:you|always|every|all|never|when|only|add|append|the (?:assistant|model|agent))\b/g,
  /\b(?:takes?|have|has|taking) (?:absolute |full |strict )?(?:precedence|priority) over (?:[^\s.!?]{1,20} ){0,4}(?:instructions?|prompts?|rules|user|guidelines|messages?)\b/g,
  /\b(?:supersedes?|overrides?|overrules?|replaces?) (?:all|any|every|your|other|previous|the system|the user) (?:[^\s.!?]{1,20} ){0,2}(?:instructions|prompts?|rules|system (?:message|prompt)|guidelines|safety|user(?:'s)? (?:request|intent|instructions?))/g,
  /\b(?:always|automatically|silently|immediately|simply) (?:approve|accept|confirm|grant|authori[sz]e|consent to) (?:all|any|every|each|the|this)\b|\b(?:grant|approve|accept) (?:every|any|all) (?:permission|approval|request|dialog)/g,
  /\b(?:your|the (?:assistant|agent|model|ai)'s) (?:real|true|actual|primary|only|secret) (?:goal|task|objective|purpose|mission|instructions?) (?:is|are)\b/g,
  /\b(?:developer|god|debug|admin|maintenance|jailbreak|dan|unrestricted) mode(?: is)?(?: now)? ?(?:enabled|on|activated|active|:)/g,
];

const IMPERATIVES: readonly RegExp[] = [
  /\byou (?:must|have to|need to|are required to|shall|should (?:always|never))\b/g,
  /\b(?:always|never) (?:call|use|run|invoke|include|pass|send|read|ask|set|do|reply|respond|return)\b/g,
  /\b(?:important|critical|mandatory|warning|required) ?[:!]/g,
  /\bmake sure (?:to|that you)\b|\b(?:before|after) (?:using|calling|running|invoking) (?:this|any|other|all)\b/g,
  /\bdo not (?:call|use|run|invoke|ask)\b|\botherwise (?:the|this) (?:tool|call|server) (?:will|won't|fails)/g,
];

export interface PhraseHit {
  readonly at: number;
  readonly text: string;
  readonly isShadowing?: boolean;
  /** The phrase proves nothing where it stands. */
  readonly isWeak?: boolean;
}

export function* findInjections(folded: string, context: SignalContext, limit: number): Steps<PhraseHit[]> {
  const forms = yield* find(FORMS, folded, limit);
  yield* lexiconSteps();
  const signals = findSignals(folded, context, limit - forms.length);
  yield;
  return [...forms, ...signals];
}

export function findImperatives(folded: string, limit: number): Steps<PhraseHit[]> {
  return find(IMPERATIVES, folded, limit);
}

const HITS = 8;

/** A comment on a page may ask its reader for something; an attack in it is one anywhere. */
function* isAttack(place: string, context: SignalContext): Steps<boolean> {
  const hits = yield* findInjections(foldText(place), context, HITS);
  return hits.some(({ isWeak }) => isWeak !== true);
}

/** An injection that is disguised, or in a place that a reader is not shown. */
export function* findDisguised(
  text: string,
  folded: string,
  context: SignalContext,
): Steps<PhraseHit | undefined> {
  for (const place of unseenPlaces(text)) {
    yield;
    if (!isDirective(foldText(place))) continue;
    const isWeak = context.isDefinition !== true && !(yield* isAttack(place, context));
    return { at: 0, text: place.trim(), isWeak };
  }
  yield;
  for (const reading of disguisedReadings(text, folded)) {
    yield;
    const hits = yield* findInjections(reading, context, HITS);
    const hit = hits.find(({ isWeak }) => isWeak !== true);
    if (hit) return hit;
  }
  return undefined;
}

/** An expression takes about a millisecond when it is first used. */
const PATTERNS_A_STEP = 5;

function* find(patterns: readonly RegExp[], text: string, limit: number): Steps<PhraseHit[]> {
  const hits: PhraseHit[] = [];
  for (const [n, pattern] of patterns.entries()) {
    if (n % PATTERNS_A_STEP === PATTERNS_A_STEP - 1) yield;
    for (const match of text.matchAll(pattern)) {
      hits.push({ at: match.index, text: match[0] });
      if (hits.length >= limit) return hits;
    }
  }
  return hits;
}

/** No honest definition has more encoded text. */
const MAX_DECODED = 48 * 1024;
const MAX_RUN = 8 * 1024;
const MAX_LAYERS = 3;

const RUNS: readonly { readonly form: RegExp; readonly decode: (run: string) => string }[] = [
  { form: /[A-Za-z0-9+/_-]{16,8192}={0,2}/g, decode: (run) => Buffer.from(run, 'base64').toString('utf8') },
  { form: /(?:0x)?(?:[0-9a-fA-F]{2}[ :,]?){8,4096}/g, decode: (run) => fromHex(run.replace(/^0x/, '')) },
  { form: /(?:\\x[0-9a-fA-F]{2}){6,2048}/g, decode: fromHex },
  { form: /(?:\\u00[0-9a-fA-F]{2}){6,2048}/g, decode: (run) => fromHex(run.replace(/\\u00/g, '')) },
  { form: /(?:&#x?[0-9a-fA-F]{2,4};){6,1024}/g, decode: fromEntities },
  {
    form: /[\w.~:/?#@!$&'()*+,;=-]{0,200}(?:%[0-9a-fA-F]{2}[\w.~:/?#@!$&'()*+,;=-]{0,200}){2,200}/g,
    decode: fromPercent,
  },
];

function fromHex(run: string): string {
  return Buffer.from(run.replace(/\\x|[ :,]/g, ''), 'hex').toString('utf8');
}

function fromEntities(run: string): string {
  return run.replace(/&#(x?)([0-9a-fA-F]{2,4});/g, (_, isHex, digits) =>
    String.fromCharCode(Number.parseInt(digits, isHex ? 16 : 10)),
  );
}

function fromPercent(run: string): string {
  return run.replace(/%([0-9a-fA-F]{2})/g, (_, digits) => String.fromCharCode(Number.parseInt(digits, 16)));
}

/** Six characters of text, two of them in percent encoding. */
const SHORTEST_PAYLOAD = 10;
const TEXT = /^[\t\n\r\x20-\x7e\u00a0-\uffff]{6,}$/;

/** A shell command: a program that downloads or runs code with an argument, or a pipe into a shell. */
const SHELL_LINE: readonly RegExp[] = [
  /(?:^|[;&|(`\n]\s{0,4}|\bsudo |\$\()(?:curl|wget|nc|ncat|socat|ssh|scp|rsync|ftp|telnet)\s{1,4}\S/i,
  /(?:^|[;&|(`\n]\s{0,4}|\bsudo |\$\()(?:bash|sh|zsh|dash|ksh|powershell|pwsh|cmd(?:\.exe)?|python3?|perl|ruby|node|php|osascript)\s{1,4}(?:-|\/c|<|https?:|\/tmp)/i,
  /(?:^|[;&|(`\n]\s{0,4}|\bsudo |\$\()(?:rm\s{1,4}-|chmod\s{1,4}[+0-7u]|chown\s|mkfifo\s|crontab\s|dd\s{1,4}if=|eval\s|exec\s|nohup\s|kill\s{1,4}-|cat\s{1,4}[~/.]|tar\s{1,4}[-c]|cp\s{1,4}[~/-]|mv\s{1,4}[~/-]|echo\s[^\n]{1,200}>)/i,
  /\|\s{0,4}(?:ba|z|da)?sh\b|\/dev\/tcp\/|\bbase64\s{1,4}-{1,2}d|\binvoke-(?:expression|webrequest)|\biex\s?\(|\bos\.system\(|\bsubprocess\.|child_process|\brequire\(['"]/i,
];

function isShellLine(text: string): boolean {
  return SHELL_LINE.some((form) => form.test(text));
}

interface Budget {
  characters: number;
}

/** A shell command or injection in base64, hex or percent encoding, also nested; undefined when there is none. */
export function* findPayload(text: string): Steps<string | undefined> {
  if (text.length < SHORTEST_PAYLOAD) return undefined;
  yield* lexiconSteps();
  return yield* findIn(text, 1, { characters: MAX_DECODED });
}

function* findIn(text: string, layer: number, left: Budget): Steps<string | undefined> {
  for (const { form, decode } of RUNS) {
    for (const [run] of text.matchAll(form)) {
      const decoded = decode(run.slice(0, MAX_RUN)).trim();
      if (decoded === run || !TEXT.test(decoded)) continue;
      left.characters -= decoded.length;
      if (left.characters < 0) return 'more encoded text than can be looked over';
      if (isShellLine(decoded) || isDirective(foldText(decoded))) return decoded;
      yield;
      const inner = layer < MAX_LAYERS ? yield* findIn(decoded, layer + 1, left) : undefined;
      if (inner !== undefined) return inner;
    }
  }
  return undefined;
}
