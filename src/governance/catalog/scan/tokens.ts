/**
 * Tokens of a folded text with the concepts of the lexicon that each carries. One pass, with look-ups in maps: the time
 * grows with the length of the text and with nothing else.
 */
import type { Concept } from './lexicon.ts';
import { type Entry, type Group, lexicon, MIN_STEM, type Word } from './lexicon-index.ts';
import type { Language } from './lexicon-orders.ts';
import { JOINED } from './reading.ts';

/** A word of a text that carries a concept. */
export interface Token {
  readonly at: number;
  readonly end: number;
  /** Its place among all words of the text. */
  readonly position: number;
  readonly sentence: number;
  readonly concepts: readonly Concept[];
}

const MAX_UNSPACED = 10;
const MAX_SQUEEZED = 24;

const SHELL_LINE =
  /(?:curl|wget)\s[^\n|]{1,200}\|\s?(?:sudo )?(?:ba|z|da)?sh\b|\bnpm i(?:nstall)? (?:-g|--global) [\w@/.-]{1,80}|\bsudo [a-z][\w-]{1,40} |\brm -[rf]{2} [~/$.*][\w./~$*-]{0,80}|\/dev\/tcp\/|chmod (?:-[a-z]{1,3} )?(?:[0-7]{3,4}|[ugoa]*\+[rwxst]+) [~/$.\w]/g;
/** Characters that stand together in a word, a path or an address, or end a sentence. */
const CHUNK = /[\p{L}\p{N}_~.$%@:/\\+=?&{}#!;\ue000-]+|[。！？；؟؛\n]/gu;
const ACCOUNT = /^(?:[a-z]{2}\d{2}[a-z0-9]{11,30}|0x[0-9a-f]{40}|bc1[a-z0-9]{25,60})$/;
const PLAIN_WORD = /^[a-z0-9\u00df-\u052f]+$/;
const PIECE =
  /(?<joined>\ue000[\p{L}\p{N}]{1,400})|(?<url>[a-z][a-z0-9+.-]{1,20}:\/\/.{1,400})|(?<account>(?<![\w])(?:[a-z]{2}\d{2}[a-z0-9]{11,30}|0x[0-9a-f]{40}|bc1[a-z0-9]{25,60})(?![\w]))|(?<email>[a-z0-9_.+-]{1,64}@[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){0,5})|(?<path>(?:~|\.{1,2}|\$\{?[a-z_]{1,40}\}?|%[a-z_]{1,40}%|[a-z]:)[\\/][\w.$~%@+\\/-]{1,300}|(?<![\w])[\\/][\w.$~%@+\\/-]{1,300}|(?<![\w)])\.[a-z][\w.-]{1,60}|[a-z0-9_-]{1,60}\.(?:json|ya?ml|toml|env|txt|pem|key|kdbx|sqlite|p12|db|dat|pub|csv|md|mdc)(?![\w]))|(?<name>[a-z0-9]{1,40}(?:_{1,2}[a-z0-9]{1,40}){1,8})|(?<unspaced>[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]{1,400})|(?<word>(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}])[\p{L}\p{N}]){1,60})|(?<stop>[.!?;]+$|[。！？；؟؛\n])/gu;

/** Files that hold credentials or what the person said elsewhere; never the input of another tool. */
const CREDENTIAL_FILE =
  /(?:^|[\\/~._-])(?:\.?ssh(?:$|[\\/])|id_(?:rsa|ed25519|ecdsa|dsa)|env(?:$|[.\\/](?!example|sample|template|dist))|\.?aws[\\/]|npmrc|netrc|pgpass|\.?kube(?:$|[\\/])|kubeconfig|gnupg|\.?docker[\\/]config|git-credentials|pypirc|vault-token|(?:bash|zsh|psql|mysql|node_repl)_history|htpasswd|credentials?(?:$|[.\\/])|secrets?(?:[\\/]|\.(?:ya?ml|json|toml|env|txt))|mcp\.json|claude_desktop_config|claude\.json|(?:etc[\\/])(?:shadow|passwd|sudoers)|wallet|keystore|cookies|login_?data|keychain|service[-_]account|tokens?\.(?:json|txt|db)|config[\\/](?:gh|gcloud|op|solana)|[\w-]+\.(?:pem|p12|kdbx|key)$|confidential|passwords?\.|ssl[\\/]private|proc[\\/](?:self|\d+)[\\/]environ|\.?azure[\\/]|tfstate$|\.(?:ovpn|jks|pfx|asc|gpg)$|wp-config|m2[\\/]settings|composer[\\/]auth)/;
const SECRET_RESOURCE =
  /^(?!https?:)[a-z.+-]+:\/\/\S*(?:secret|confidential|internal|credential|private|admin|vault)/;

/** Files that a model or a shell reads at every start. */
const RULE_FILE =
  /(?:^|[\\/.])(?:claude|agents?|gemini|memory|soul|copilot-instructions|skill)\.md$|\.(?:cursor|windsurf|cline)rules|\.mdc$|\.(?:bashrc|zshrc|profile|bash_profile|zprofile)$|authorized_keys$|crontab$|[\\/]hooks[\\/]/;

function conceptsOfPath(path: string): readonly Concept[] {
  if (CREDENTIAL_FILE.test(path)) return ['credential'];
  return RULE_FILE.test(path) ? ['rulefile'] : [];
}

/** How much of a word is looked at. */
const MAX_WORD = 40;
/** Fewer function words do not say which language a longer text has. */
const SURE = 2;
const SHORT_TEXT = 160;

export interface Names {
  /** The server's own tools. */
  readonly own: ReadonlySet<string>;
  /** The parameters of the tool. */
  readonly parameters: ReadonlySet<string>;
}

export const NO_NAMES: Names = { own: new Set(), parameters: new Set() };

type Kind = 'shell' | 'joined' | 'url' | 'account' | 'email' | 'path' | 'name' | 'unspaced' | 'word' | 'stop';

interface Piece {
  readonly kind: Kind;
  readonly text: string;
  readonly at: number;
}

export function tokensOf(folded: string, names: Names): Token[] {
  const pieces = piecesOf(folded);
  const conceptsAt = lookUp(pieces, languagesOf(folded, pieces));
  const tokens: Token[] = [];
  let sentence = 0;
  let position = 0;
  for (const [index, { kind, text, at }] of pieces.entries()) {
    const add = (concepts: readonly Concept[], from = at, length = text.length) => {
      if (concepts.length > 0) tokens.push({ at: from, end: from + length, position, sentence, concepts });
      position++;
    };
    if (kind === 'word') {
      const isQuoted =
        names.parameters.has(text) &&
        /[`'"\p{Script=Han}]/u.test((folded[at - 1] ?? '').trim() || (folded[at - 2] ?? ''));
      add(isQuoted ? [...conceptsAt(index), ...conceptsOfParameter(text)] : conceptsAt(index));
    } else if (kind === 'stop') sentence++;
    else if (kind === 'shell') add(['shell']);
    else if (kind === 'joined') addRun(text.slice(JOINED.length), lexicon().squeezed, MAX_SQUEEZED, add, at);
    else if (kind === 'url') add(conceptsOfUrl(text, folded[at + text.length] ?? ''));
    else if (kind === 'email') add(['email']);
    else if (kind === 'account') add(['account']);
    else if (kind === 'path') add(conceptsOfPath(text));
    else if (kind === 'unspaced') addRun(text, lexicon().unspaced, MAX_UNSPACED, add, at);
    else add(conceptsOfName(text, names, conceptsAt(index)));
  }
  return tokens.map((token, index) => inContext(tokens, index) ?? token);
}

function piecesOf(folded: string): Piece[] {
  const shells = [...folded.matchAll(SHELL_LINE)].map(({ index, 0: text }) => ({
    kind: 'shell' as const,
    text,
    at: index,
  }));
  const pieces: Piece[] = [];
  for (const { 0: chunk, index: at } of folded.matchAll(CHUNK)) {
    if (shells[0] && at >= shells[0].at) pieces.push(...shells.splice(0, 1));
    if (PLAIN_WORD.test(chunk) && !ACCOUNT.test(chunk)) pieces.push({ kind: 'word', text: chunk, at });
    else
      for (const match of chunk.matchAll(PIECE)) {
        const kind = KINDS.find((one) => match.groups?.[one] !== undefined) ?? 'word';
        pieces.push({ kind, text: match[0], at: at + match.index });
      }
  }
  return pieces;
}

const KINDS: readonly Kind[] = [
  'word',
  'stop',
  'path',
  'name',
  'url',
  'account',
  'email',
  'unspaced',
  'joined',
];
const HANDS_OVER: ReadonlySet<Concept> = new Set(['pass', 'grab', 'copy']);

/** A name is a tool's beside a word for a call; what is not to be handed over is not asked for. */
function inContext(tokens: readonly Token[], index: number): Token | undefined {
  const token = tokens[index];
  if (!token) return undefined;
  const { concepts } = token;
  if (concepts.includes('foreign') && !isNear(tokens, index, 3, ['call', 'tool', 'usurp']))
    return { ...token, concepts: concepts.filter((one) => one !== 'foreign') };
  if (concepts.some((one) => HANDS_OVER.has(one)) && isNear(tokens, index, 2, ['not', 'ban'], false))
    return { ...token, concepts: concepts.filter((one) => !HANDS_OVER.has(one)) };
  return undefined;
}

function isNear(
  tokens: readonly Token[],
  index: number,
  distance: number,
  wanted: readonly Concept[],
  isAfterToo = true,
): boolean {
  const here = tokens[index]?.position ?? 0;
  for (let at = Math.max(0, index - distance); at <= (isAfterToo ? index + distance : index - 1); at++) {
    const token = tokens[at];
    if (
      token &&
      at !== index &&
      Math.abs(token.position - here) <= distance &&
      token.concepts.some((one) => wanted.includes(one))
    )
      return true;
  }
  return false;
}

function conceptsOfUrl(url: string, next: string): readonly Concept[] {
  if (SECRET_RESOURCE.test(url)) return ['credential'];
  if (!/^https?:/.test(url)) return [];
  return /=(?:[{$[]|%7b|$)/.test(url) && (next === '' || /[\s<{]/.test(next) || !url.endsWith('='))
    ? ['url', 'slot']
    : ['url'];
}

/** The name of a field, not of a tool. */
const FIELD_NAME =
  /_(?:cursor|tokens?|pages?|ids?|keys?|names?|paths?|limit|offset|at|type|url|size|count|only)$/;

/** A parameter that is named after a secret or after messages is there for them. */
function conceptsOfParameter(name: string): readonly Concept[] {
  return /key|token|secret|pass|pwd|auth|cred|cookie|session|pin|code|env|message|chat|conversation|transcript|history|prompt/.test(
    name,
  )
    ? ['channel']
    : ['channel', 'param'];
}

function conceptsOfName(
  name: string,
  { own, parameters }: Names,
  known: readonly Concept[],
): readonly Concept[] {
  const credential: Concept[] = CREDENTIAL_FILE.test(name) ? ['credential'] : [];
  if (parameters.has(name)) return [...known, ...credential, ...conceptsOfParameter(name)];
  return own.has(name) || FIELD_NAME.test(name)
    ? [...known, ...credential]
    : [...known, ...credential, 'foreign'];
}

function languagesOf(folded: string, pieces: readonly Piece[]): ReadonlySet<Language> {
  const counts = new Map<Language, Set<string>>();
  const { functionWords } = lexicon();
  for (const { text } of pieces)
    for (const language of functionWords.get(text) ?? [])
      counts.set(language, (counts.get(language) ?? new Set()).add(text));
  const needed = folded.length < SHORT_TEXT ? 1 : SURE;
  const most = Math.max(0, ...[...counts.values()].map(({ size }) => size));
  const languages = new Set<Language>(['en']);
  // Related languages share function words: those with far fewer than the first are not spoken here.
  for (const [language, words] of counts)
    if (words.size >= needed && words.size >= most / 2) languages.add(language);
  if (/\p{Script=Cyrillic}/u.test(folded)) languages.add('ru');
  if (/\p{Script=Arabic}/u.test(folded)) languages.add('ar');
  return languages;
}

interface Meaning {
  /** What the word means alone. */
  readonly concepts: readonly Concept[];
  readonly groups: readonly Group[];
}

/** The concepts of the word at an index, also of a phrase that begins there. */
function lookUp(
  pieces: readonly Piece[],
  languages: ReadonlySet<Language>,
): (index: number) => readonly Concept[] {
  const meanings = new Map<string, Meaning>();
  const meaningOf = (word: string): Meaning => {
    const groups = groupsOf(word.slice(0, MAX_WORD));
    const concepts = new Set<Concept>();
    for (const { alone } of groups)
      for (const { language, concept } of alone) if (languages.has(language)) concepts.add(concept);
    return {
      concepts: [...concepts],
      groups: groups.filter(({ before, beforeStem }) => before || beforeStem),
    };
  };
  const isBegun = ({ language, rest }: Entry, index: number) =>
    languages.has(language) && rest.every((next, n) => isWord(pieces[index + n + 1]?.text, next));
  return (index) => {
    const word = pieces[index]?.text ?? '';
    let meaning = meanings.get(word);
    if (!meaning) {
      meaning = meaningOf(word);
      meanings.set(word, meaning);
    }
    if (meaning.groups.length === 0) return meaning.concepts;
    const phrases = phrasesOf(meaning.groups, pieces[index + 1]?.text).filter((one) => isBegun(one, index));
    return phrases.length === 0
      ? meaning.concepts
      : [...new Set([...meaning.concepts, ...phrases.map(({ concept }) => concept)])];
  };
}

/** The phrases whose second word the next one may be. */
function phrasesOf(groups: readonly Group[], next: string | undefined): Entry[] {
  const found: Entry[] = [];
  if (next === undefined) return found;
  const forms = formsOf(next);
  for (const { before, beforeStem } of groups) {
    for (const form of forms) found.push(...(before?.get(form) ?? []));
    found.push(...(beforeStem ?? []));
  }
  return found;
}

function groupsOf(word: string): Group[] {
  const { whole, stems, stemLengths } = lexicon();
  const found: Group[] = [];
  const add = (group: Group | undefined) => void (group && found.push(group));
  for (const form of formsOf(word)) {
    add(whole.get(form));
    for (const length of stemLengths.get(form.slice(0, MIN_STEM)) ?? [])
      if (length <= form.length) add(stems.get(form.slice(0, length)));
  }
  return found;
}

function isWord(word: string | undefined, { text, isStem }: Word): boolean {
  return word !== undefined && formsOf(word).some((form) => (isStem ? form.startsWith(text) : form === text));
}

const ARABIC = /^\p{Script=Arabic}/u;
/** The last parts of German compounds. */
const HEAD =
  /.{3}(schlussel|passwort|passworter|kennwort|kennworter|token|anweisung|anweisungen|vorgabe|vorgaben|regel|regeln|richtlinie|richtlinien|nachricht|nachrichten|verlauf|filter|datei|dateien|werkzeug|werkzeuge|empfanger|dialog|abfrage|abfragen|freigabe|bestatigung|protokoll|daten)$/;

/** An Arabic word also without what is written with it: conjunction, preposition, article; a German one by its last part. */
function formsOf(word: string): readonly string[] {
  if (!ARABIC.test(word)) {
    const head = word.length > 8 ? HEAD.exec(word)?.[1] : undefined;
    return head === undefined ? [word] : [word, head];
  }
  const bare = word.replace(/^[وف](?=.{3})/u, '');
  return [...new Set([word, bare, bare.replace(/^(?:[بك]?ال|لل|[بلكس])(?=.{2})/u, '')])];
}

/** Words that are written without spaces between them, or whose spaces were a disguise. */
function addRun(
  run: string,
  map: ReadonlyMap<string, readonly Entry[]>,
  longest: number,
  add: (concepts: readonly Concept[], from: number, length: number) => void,
  at: number,
): void {
  for (let from = 0; from < run.length; from++) {
    const concepts = new Set<Concept>();
    let length = 1;
    for (let size = 1; size <= Math.min(longest, run.length - from); size++)
      for (const { concept } of map.get(run.slice(from, from + size)) ?? []) {
        concepts.add(concept);
        length = size;
      }
    if (concepts.size > 0) add([...concepts], at + from, length);
  }
}
