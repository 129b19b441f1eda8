/** What `quire connect` would do to one file: its text after the change, and what there is to say about it. */
import {
  type Client,
  type ClientSystem,
  type ConfigPlace,
  entryFor,
  type Target,
} from '../../clients/client.ts';
import { mergedEntry, type ParsedConfig, parseConfig, withEntry, withoutEntry } from '../../clients/edit.ts';
import { isQuires, isUsualName } from '../../clients/recognize.ts';

export interface FileChange {
  readonly client: Client;
  readonly place: ConfigPlace;
  readonly before: string;
  readonly after: string;
  /** Names of entries that are not Quire's and would be replaced. */
  readonly foreign: readonly string[];
  /** Names of entries that look like ours by name and were left alone. */
  readonly left: readonly string[];
}

export function additionTo(
  config: ParsedConfig,
  place: ConfigPlace,
  { targets, system }: { readonly targets: ReadonlyMap<string, Target>; readonly system: ClientSystem },
): FileChange {
  const { client, file, text } = config;
  const foreign: string[] = [];
  let after = text;
  for (const [name, target] of targets) {
    const before = config.entries.get(name);
    const isForeign = before !== undefined && !isQuires(name, before);
    if (isForeign) foreign.push(name);
    const entry = mergedEntry(isForeign ? undefined : before, entryFor(client, target, name, system));
    after = withEntry(parseConfig(client, file, after), name, entry);
  }
  return { client, place, before: text, after, foreign, left: [] };
}

/** Without a name, every entry that we could have written; with one, that entry, whoever wrote it. */
export function removalFrom(config: ParsedConfig, place: ConfigPlace, named: string | undefined): FileChange {
  const { client, file, text, entries } = config;
  const alike = [...entries.keys()].filter((name) =>
    named === undefined ? isUsualName(name) : name === named,
  );
  const left = alike.filter((name) => named === undefined && !isQuires(name, entries.get(name) ?? {}));
  let after = text;
  for (const name of alike)
    if (!left.includes(name)) after = withoutEntry(parseConfig(client, file, after), name);
  return { client, place, before: text, after, foreign: [], left };
}
