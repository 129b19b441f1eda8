/**
 * Writes emphasis with markdown delimiters where they would be read as such, else as tags (`a<strong>!</strong>b`):
 * whether a delimiter opens or closes depends on the characters on both sides (CommonMark's flanking rules).
 */
export interface Piece {
  text: string;
}

export interface Mark {
  readonly open: number;
  readonly close: number;
  /** In order of preference. */
  readonly signs: readonly string[];
  readonly openTag: string;
  readonly closeTag: string;
}

type Kind = 'edge' | 'space' | 'sign' | 'word' | 'either';

/** Chooses the delimiter or tag of each mark. Outer marks come before inner ones. */
export function settleMarks(pieces: readonly Piece[], marks: readonly Mark[]): void {
  for (const { open, close, signs } of marks) pieces[open]!.text = pieces[close]!.text = signs[0]!;
  const around: Mark[] = [];
  for (const mark of marks) {
    while (around.length > 0 && around[around.length - 1]!.close < mark.open) around.pop();
    const used = around.map(({ open }) => pieces[open]!.text[0]);
    const fitting = mark.signs.find((sign) => !used.includes(sign[0]) && fits(sign, pieces, mark));
    pieces[mark.open]!.text = fitting ?? mark.openTag;
    pieces[mark.close]!.text = fitting ?? mark.closeTag;
    around.push(mark);
  }
}

function fits(sign: string, pieces: readonly Piece[], { open, close }: Mark): boolean {
  const outsides = [charBefore(pieces, open), charAfter(pieces, close)];
  const insides = [charAfter(pieces, open), charBefore(pieces, close)];
  if ([...outsides, ...insides].includes(sign[0]!)) return false;
  return insides.every((inside, side) => {
    const outer = kindOf(outsides[side]!);
    const inner = kindOf(inside);
    if (inner === 'space' || inner === 'edge') return false;
    // CommonMark: `_` does not work inside a word, and a delimiter between a word and punctuation does not flank.
    return (outer !== 'word' && outer !== 'either') || (sign !== '_' && inner === 'word');
  });
}

function charBefore(pieces: readonly Piece[], at: number): string {
  for (let index = at - 1; index >= 0; index--)
    if (pieces[index]!.text !== '') return pieces[index]!.text.slice(-1);
  return '';
}

function charAfter(pieces: readonly Piece[], at: number): string {
  for (let index = at + 1; index < pieces.length; index++)
    if (pieces[index]!.text !== '') return pieces[index]!.text[0]!;
  return '';
}

/** Half of a surrogate pair counts as either kind, because parsers disagree. */
function kindOf(char: string): Kind {
  if (char === '') return 'edge';
  if (/\s/.test(char)) return 'space';
  if (/[\ud800-\udfff]/.test(char)) return 'either';
  return /[\p{P}\p{S}]/u.test(char) ? 'sign' : 'word';
}
