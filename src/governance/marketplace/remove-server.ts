/**
 * Takes a server out of a configuration file. Only the lines of its entry go; where the form of the file does not allow
 * that, the file is rewritten with its comments. Either way the new text is parsed again, and must equal the old
 * configuration without the entry; otherwise nothing is written. The entry need not be valid.
 */
import type * as Yaml from 'yaml';
import { AppError } from '../../shared/errors.ts';
import { isRecord } from '../../shared/records.ts';
import { noSuchServer } from '../refusals.ts';
import { endOf, type Fields, parsedServers, parsesTo, withServers } from './append-server.ts';

export interface Removal {
  readonly text: string;
  /** As it stood in the file. */
  readonly entry: Fields;
}

export async function withoutServer(text: string, name: string): Promise<Removal> {
  const yaml = await import('yaml');
  const { content, path, servers, document } = parsedServers(yaml, text);
  const at = placeOf(servers, name);
  const wanted = withServers(content, path, servers.toSpliced(at, 1));
  const list = document.getIn(path, true);
  const tries = [() => cut(yaml, text, list, at), () => rewrite(yaml, text, [...path, at])];
  for (const attempt of tries) {
    const next = attempt();
    if (next !== undefined && parsesTo(yaml, next, wanted))
      return { text: next, entry: servers[at] as Fields };
  }
  throw new AppError('unsupported', 'The entry cannot be taken out without changing the rest of the file', {
    subject: name,
    hint: `Does another entry refer to it with an alias (*)? Take it out by hand, under ${path.join('.')}.`,
  });
}

function placeOf(servers: readonly unknown[], name: string): number {
  const names = servers.map((one) => (isRecord(one) && typeof one.name === 'string' ? one.name : ''));
  const at = names.indexOf(name);
  if (at < 0 || name === '')
    throw noSuchServer(
      name,
      names.filter((one) => one !== ''),
    );
  if (names.indexOf(name, at + 1) < 0) return at;
  throw new AppError('invalid_input', 'The name stands twice in the configuration', {
    subject: name,
    hint: 'Take one of the two out by hand.',
  });
}

/** The lines from the dash to the end of the last value. Undefined where they are not lines of their own. */
function cut(yaml: typeof Yaml, text: string, list: unknown, at: number): string | undefined {
  // Without its only item a key would have nothing after it, and be no list.
  if (!yaml.isSeq(list) || list.flow === true || list.items.length < 2) return undefined;
  const item = list.items[at];
  if (!yaml.isNode(item) || !item.range) return undefined;
  const [start] = item.range;
  const from = text.lastIndexOf('\n', start - 1) + 1;
  if (!/^\s*-\s+$/.test(text.slice(from, start))) return undefined;
  const end = endOf(yaml, item);
  const lineEnd = text[end - 1] === '\n' ? end - 1 : text.indexOf('\n', end);
  return text.slice(0, from) + (lineEnd < 0 ? '' : text.slice(lineEnd + 1));
}

/** Undefined where the rest refers to what is gone. */
function rewrite(yaml: typeof Yaml, text: string, place: readonly (string | number)[]): string | undefined {
  const document = yaml.parseDocument(text);
  document.deleteIn(place);
  try {
    return document.toString({ lineWidth: 0 });
  } catch {
    return undefined;
  }
}
