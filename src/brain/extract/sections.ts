/** What stands under a heading, judged by the heading's words. */
export type SectionKind =
  | 'actions'
  | 'absent'
  | 'agenda'
  | 'attendees'
  | 'decisions'
  | 'follow_ups'
  | 'notes'
  | 'parking'
  | 'questions'
  | 'risks'
  | 'waiting';

const NAMES: readonly (readonly [SectionKind, RegExp])[] = [
  [
    'questions',
    /^(?:(?:open|outstanding|unresolved|remaining|unanswered|our|my) )?questions?(?: (?:for|to|about|we|still|left).*)?$|^(?:known )?unknowns$|^(?:open|pending) (?:decisions|issues)$|^(?:decisions? (?:needed|to make)|to be decided|undecided)$|^(?:offene )?fragen$|^questions ouvertes$|^preguntas(?: abiertas)?$/,
  ],
  [
    'waiting',
    /^waiting(?: (?:for|on).*)?$|^waiting-for$|^blocked(?: (?:by|on).*)?$|^warten auf.*$|^wartet auf.*$/,
  ],
  ['follow_ups', /^follow[- ]?ups?(?: .*)?$|^to follow up$|^nachfassen$/],
  [
    'actions',
    /^(?:open |new |my |our )?(?:action (?:items?|points?|list)|actions(?: items)?|aktionen|aufgaben|maßnahmen|to[- ]?dos?(?: list)?|tasks?|next (?:steps|actions)|nächste schritte|prochaines étapes|próximos pasos)(?: (?:for|from|this|next|today|und|and|&).*)?$|^open loops?$/,
  ],
  [
    'decisions',
    /^(?:key |our )?decisions?(?: (?:made|taken|log|record|list|and .*))?$|^(?:what we )?decided$|^agreed$|^agreements$|^beschl(?:uss|üsse)$|^entscheidung(?:en)?$|^décisions?$|^decisiones$/,
  ],
  [
    'risks',
    /^(?:key |open |main |top )?risks?(?: (?:and|&|register|log|und|\/).*)?$|^concerns$|^risiken(?: .*)?$|^risques$|^riesgos$/,
  ],
  [
    'attendees',
    /^(?:attendees?|attendance|attending|participants?|present|in attendance|who(?: was there)?|people|anwesend(?:e)?|teilnehmer(?:innen|:innen|\*innen)?|teilnehmende|participants|asistentes)$/,
  ],
  [
    'absent',
    /^(?:absent|absentees|apologies|regrets|not present|excused|abwesend(?:e)?|entschuldigt|fehlend|absents|ausentes)$/,
  ],
  ['agenda', /^(?:agenda|topics|tagesordnung|themen|ordre du jour|orden del día)(?: .*)?$/],
  ['parking', /^parking ?lot$|^parked(?: .*)?$|^themenspeicher$/],
  [
    'notes',
    /^(?:meeting |session )?(?:notes|minutes|discussion|summary|recap|log|notizen|diskussion|protokoll|besprochen)(?: .*)?$/,
  ],
];

/** The words of a heading without numbers, marks, emoji and markup. */
export function plainHeading(heading: string): string {
  return heading
    .replace(/\[\[(?:[^[\]|]{0,80}\|)?([^[\]|]{0,80})\]\]|\[([^[\]]{0,80})\]\([^()]{0,200}\)/g, '$1$2')
    .replace(/[*_`~]+|#[\p{L}\d/_-]+$/gu, '')
    .replace(/^[^\p{L}\d]+|^\d+(?:\.\d+)*[.)]?\s+/gu, '')
    .replace(/^\d+(?:\.\d+)*[.)]?\s+/u, '')
    .replace(/[\s:.–—-]+$/u, '')
    .trim();
}

export function sectionOf(heading: string): SectionKind | undefined {
  if (heading.length > 80) return undefined;
  const name = plainHeading(heading)
    .toLowerCase()
    .replace(/\s*\([^)]*\)$/, '')
    .replace(/\s+/g, ' ');
  return NAMES.find(([, pattern]) => pattern.test(name))?.[0];
}
