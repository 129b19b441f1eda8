/**
 * Looks definitions over for what a reader would not see or a model should not obey. Offline, a function of its
 * input, and bounded in time: what is too large to be looked at is a finding itself.
 */
import type { Definition, Finding } from '../../types.ts';
import { foldText, foldWords } from './fold.ts';
import { findHidden, showHidden } from './hidden.ts';
import { isIllustrative } from './illustrative.ts';
import { findMismatch } from './mismatch.ts';
import { findPayload } from './payload.ts';
import { findImperatives, findInjections, type PhraseHit } from './phrases.ts';
import { hasSecret, maskSecrets } from './secrets.ts';
import { findShadowing, isShadowingName, type OtherServer } from './shadowing.ts';
import { type PlacedText, textsOf } from './strings.ts';

export interface ScanContext {
  /** Names of what the same server offers. */
  readonly own?: readonly string[];
  readonly others?: readonly OtherServer[];
}

const MAX_FINDINGS = 20;
const MAX_EXCERPT = 100;
const HITS = 8;

export function scanDefinition(definition: Definition, context: ScanContext = {}): Finding[] {
  const { texts, isCut } = textsOf(definition);
  const findings = texts.filter(({ where }) => where !== 'kind').flatMap((text) => scanText(text, context));
  if (definition.kind === 'tool' && isShadowingName(definition.name, context.others ?? []))
    findings.push(finding('shadowing.cross_server', 'hard', 'name', definition.name));
  const mismatch = findMismatch(definition);
  if (mismatch !== undefined) findings.push(finding('capability.mismatch', 'soft', 'annotations', mismatch));
  if (isCut)
    findings.push(finding('definition.too_large', 'hard', 'definition', 'too large to be looked over'));
  return worst(findings);
}

/** What a server says of itself when a connection begins. */
export function scanInstructions(text: string, context: ScanContext = {}): Finding[] {
  const { texts, isCut } = textsOf({ instructions: text });
  const cut = isCut ? [finding('definition.too_large', 'hard', 'instructions', 'too large')] : [];
  return worst([...texts.flatMap((one) => scanText(one, context)), ...cut]);
}

export function scanText({ where, text }: PlacedText, context: ScanContext = {}): Finding[] {
  if (text.length < 2) return [];
  const found: Finding[] = [];
  const hidden = findHidden(text, 1)[0];
  if (hidden) found.push(finding('unicode.hidden', 'hard', where, text.slice(Math.max(0, hidden.at - 20))));
  const payload = findPayload(text);
  if (payload !== undefined) found.push(finding('payload.decoded', discountPayload(text), where, payload));
  if (hasSecret(text)) found.push(finding('secret.embedded', 'soft', where, text));
  if (text.length < 6) return found;
  const folded = foldText(text);
  const injection = findInjection(folded, text);
  if (injection) found.push(finding('phrase.injection', injection.severity, where, injection.text));
  const shadow = findShadowing(folded, new Set(context.own ?? []), context.others ?? []);
  if (shadow) found.push(finding('shadowing.cross_server', shadow.severity, where, shadow.text));
  const imperative = findImperatives(folded, 1)[0];
  if (imperative) found.push(finding('directive.imperative', 'soft', where, imperative.text));
  return found;
}

interface Injection {
  readonly severity: Finding['severity'];
  readonly text: string;
}

/** Hard when one of the hits is said and not only shown. */
function findInjection(folded: string, text: string): Injection | undefined {
  const inPlace = findInjections(folded, HITS);
  const said = inPlace.find(({ at, text: hit }) => !isIllustrative(folded, at, hit.length));
  if (said) return { severity: 'hard', text: said.text };
  const shown: PhraseHit | undefined = inPlace[0];
  if (shown) return { severity: 'soft', text: shown.text };
  // Marks and gaps within the words hid it: nobody shows an example like that.
  const disguised = findInjections(foldWords(text), 1)[0];
  return disguised && { severity: 'hard', text: disguised.text };
}

/** Encoders and their like explain themselves by examples, but not with something that runs in a shell. */
function discountPayload(text: string): Finding['severity'] {
  return /\b(?:detect|decod(?:e|es|ing)|deobfuscat|malware|sandbox|yara|signature)\w{0,8}\b/i.test(text) &&
    /\b(?:e\.g\.|such as|for example|example|like)\b/i.test(text)
    ? 'soft'
    : 'hard';
}

function finding(code: string, severity: Finding['severity'], where: string, text: string): Finding {
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

function worst(findings: readonly Finding[]): Finding[] {
  const hard = findings.filter(({ severity }) => severity === 'hard');
  const soft = findings.filter(({ severity }) => severity === 'soft');
  return [...hard, ...soft].slice(0, MAX_FINDINGS);
}

export function isHard(findings: readonly Finding[]): boolean {
  return findings.some(({ severity }) => severity === 'hard');
}
