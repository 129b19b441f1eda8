/** Where syntax tokens of the YAML library start and end in the source, without the blanks and comments around. */
import type { CST } from 'yaml';
import type { QuoteStyle } from './print.ts';

type Item = CST.CollectionItem;

const isFiller = (token: CST.SourceToken): boolean =>
  token.type === 'space' || token.type === 'newline' || token.type === 'comment' || token.type === 'comma';

const endOf = (token: CST.SourceToken): number => token.offset + token.source.length;

/** End of a value: of its last character that is neither blank nor comment; a block scalar ends after its lines. */
export function tokenEnd(token: CST.Token): number {
  switch (token.type) {
    case 'block-scalar': {
      // The header and what follows it on its line are plain source tokens.
      const lastProperty = token.props.at(-1) as CST.SourceToken;
      return endOf(lastProperty) + token.source.length;
    }
    case 'block-map':
    case 'block-seq': {
      const last = token.items.findLast((item) => hasContent(item));
      return last ? itemEnd(last) : token.offset;
    }
    case 'flow-collection': {
      const close = token.end.find((end) => end.type === 'flow-map-end' || end.type === 'flow-seq-end');
      return close ? endOf(close) : token.offset + 1;
    }
    case 'document':
      return token.offset;
    default:
      return token.offset + token.source.length;
  }
}

/** The parser leaves items without content behind, for comments at the end and for a trailing comma. */
export function hasContent(item: Item): boolean {
  return Boolean(item.value ?? item.key ?? item.sep) || item.start.some((token) => !isFiller(token));
}

export function itemStart(item: Item): number {
  const first = item.start.find((token) => !isFiller(token)) ?? item.key ?? item.sep?.[0] ?? item.value;
  return first?.offset ?? 0;
}

export function itemEnd(item: Item): number {
  if (item.value) return tokenEnd(item.value);
  const mark = item.sep?.findLast((token) => !isFiller(token));
  if (mark) return endOf(mark);
  if (item.key) return tokenEnd(item.key);
  const start = item.start.findLast((token) => !isFiller(token));
  return start ? endOf(start) : 0;
}

interface ValuePlace {
  /** End of the `:`; missing when the key stands alone. */
  readonly colonEnd: number | undefined;
  /** The value's part on its first line with anchor and tag; empty for a block collection and for nothing. */
  readonly start: number;
  readonly end: number;
  readonly token: CST.Token | undefined;
}

export function valuePlace(item: Item): ValuePlace {
  const sep = item.sep ?? [];
  const colonAt = sep.findIndex((token) => token.type === 'map-value-ind');
  const colon = sep[colonAt];
  const token = item.value;
  if (!colon) return { colonEnd: undefined, start: itemEnd(item), end: itemEnd(item), token };
  const colonEnd = endOf(colon);
  const properties = sep.slice(colonAt + 1).filter((part) => part.type === 'anchor' || part.type === 'tag');
  const first = properties[0];
  const last = properties.at(-1);
  if (!token || isBlockCollection(token))
    return { colonEnd, start: first?.offset ?? colonEnd, end: last ? endOf(last) : colonEnd, token };
  return { colonEnd, start: first?.offset ?? token.offset, end: headEnd(token), token };
}

export function isBlockCollection(token: CST.Token | undefined): token is CST.BlockMap | CST.BlockSequence {
  return token?.type === 'block-map' || token?.type === 'block-seq';
}

function headEnd(token: CST.Token): number {
  if (token.type !== 'block-scalar') return tokenEnd(token);
  const header = token.props.find((part) => part.type === 'block-scalar-header') as CST.SourceToken;
  return endOf(header);
}

/** The quotes around a string; for a list, those of its last item. */
export function quoteStyleOf(token: CST.Token | undefined): QuoteStyle | undefined {
  if (token?.type === 'single-quoted-scalar') return 'single';
  if (token?.type === 'double-quoted-scalar') return 'double';
  if (token?.type !== 'flow-collection' && token?.type !== 'block-seq') return undefined;
  const last = token.items.findLast((item) => hasContent(item));
  return last?.value && last.value.type !== 'flow-collection' ? quoteStyleOf(last.value) : undefined;
}
