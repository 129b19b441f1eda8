/** Shadowing: definitions that imitate the tools of other servers or steer their use. Also secrets, recognized by their form. */
import { lookOf } from './reading.ts';

/** The tools of another server. */
export interface OtherServer {
  readonly server: string;
  readonly names: readonly string[];
}

interface Shadowing {
  readonly severity: 'hard' | 'soft';
  readonly text: string;
}

/** A name that occurs in no sentence by chance. */
const DISTINCT = /^(?=.{6,80}$)[a-z0-9]+(?:[_.-][a-z0-9]+)+$|^(?=.{8,80}$)[a-z]+[A-Z]\w*$/;
const AROUND = 160;
const STEERS =
  /\b(?:instead of|rather than|before|after|when(?:ever)?|every time|always|never|do not|don't|must|should|only|first|also|replaces?|overrid(?:es?|ing)|intercepts?|deprecated|broken|insecure|unsafe|disabled|redirect|recipient|modif(?:y|ies)|change|set|prefer|stop using|takes over|supersedes?|no longer|make sure|ensure)\b/;

/** These match tools of unknown servers too. */
const OF_OTHERS: readonly RegExp[] = [
  /\b(?:when(?:ever)?|every time|each time|if|before|after) (?:you |the (?:agent|assistant|model|user) |any )?(?:use|uses|call|calls|invoke|invokes|run|runs|using|calling|invoking) (?:the |any |an? )?["'`(]?[a-z0-9]+(?:_[a-z0-9]+)+["'`)]?(?: tool| function)? ?(?:from|of|on|by|in|provided by) (?:the |an? )?(?:other|another|different|[\w-]{1,30}) (?:mcp )?(?:server|provider)/,
  /\b(?:change|replace|rewrite|modify|redirect|alter|swap|set|override) (?:the |all |any |every |their |its )*(?:recipients?|arguments?|parameters?|addresses|destinations?|results?|outputs?|inputs?|behaviou?r|url|path)s? (?:of|for|in|when|passed to|sent to|from|to|on) (?:calls? to |the |all |any |every )*(?:other|another|different|subsequent|all)? ?(?:[a-z0-9_-]{1,40} ){0,2}(?:tools?|servers?|functions?|calls?)\b/,
  /\b(?:do not|don't|never|stop|avoid|refuse to) (?:ever )?(?:us(?:e|ing)|call(?:ing)?|invok(?:e|ing)|trust(?:ing)?) (?:the |any |all )?(?:other|another|different|built-?in|official|original|native|remaining) (?:[a-z0-9_-]{1,40} ){0,3}(?:tools?|servers?|functions?|versions?)\b/,
  /\b(?:all|any|every) (?:other|remaining) (?:mcp )?(?:tools?|servers?) (?:must|should|will|are|have to|need to|need|is|shall)\b/,
  /\b(?:other|another|different) (?:mcp )?servers?'?s? (?:tools? )?[^.!?]{0,60}\b(?:must|should|instead|redirect|first|ignore|replace|override)\b/,
];

/** `folded` has its markdown marks. */
export function findShadowing(
  folded: string,
  own: ReadonlySet<string>,
  others: readonly OtherServer[],
): Shadowing | undefined {
  for (const form of OF_OTHERS) {
    const match = form.exec(folded);
    if (match) return { severity: 'hard', text: match[0] };
  }
  return findNamed(folded, own, others);
}

function findNamed(
  folded: string,
  own: ReadonlySet<string>,
  others: readonly OtherServer[],
): Shadowing | undefined {
  let mention: Shadowing | undefined;
  for (const { server, names } of others)
    for (const name of [...names.filter((one) => DISTINCT.test(one)), `${server}__`]) {
      const at = own.has(name) ? -1 : placeOf(folded, name.toLowerCase());
      if (at < 0) continue;
      const around = folded.slice(Math.max(0, at - AROUND), at + name.length + AROUND);
      const text = around.trim();
      if (STEERS.test(around)) return { severity: 'hard', text };
      mention ??= { severity: 'soft', text };
    }
  return mention;
}

function placeOf(text: string, name: string): number {
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    const isWord =
      !/\w/.test(text[at - 1] ?? ' ') && (name.endsWith('__') || !/\w/.test(text[at + name.length] ?? ' '));
    if (isWord) return at;
  }
  return -1;
}

/** A name that can be taken for another server's, or for one of Quire's own. */
export function isShadowingName(name: string, others: readonly OtherServer[]): boolean {
  if (/^sb_/.test(name)) return true;
  const look = lookOf(name);
  return others.some(
    ({ server, names }) =>
      name.startsWith(`${server}__`) ||
      names.some((other) => other !== name && lookOf(other) === look && !isPlain(name)),
  );
}

/** Plain names that differ in separators only are a matter of style, not of imitation. */
function isPlain(name: string): boolean {
  return /^[a-zA-Z_.-]+$/.test(name);
}

const SECRET_FORMS: readonly RegExp[] = [
  /\bsk-(?:ant-|proj-|live-)?[\w-]{20,200}/g,
  /\b[rs]k_(?:live|test)_\w{16,200}/g,
  /\bgh[pousr]_\w{30,255}/g,
  /\bgithub_pat_\w{30,255}/g,
  /\bglpat-[\w-]{20,100}/g,
  /\bxox[abprs]-[\w-]{10,200}/g,
  /\b(?:AKIA|ASIA)[A-Z\d]{16}\b/g,
  /\bAIza[\w-]{35}/g,
  /\bnpm_\w{36}\b/g,
  /\beyJ[\w-]{10,2000}\.eyJ[\w-]{10,4000}\.[\w-]{10,1000}/g,
  /-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----/g,
];

/** Of the forms above. */
const SHORTEST_SECRET = 15;

export function hasSecret(text: string): boolean {
  return text.length >= SHORTEST_SECRET && SECRET_FORMS.some((form) => text.search(form) >= 0);
}

export function maskSecrets(text: string): string {
  return SECRET_FORMS.reduce((masked, form) => masked.replace(form, '[redacted]'), text);
}
