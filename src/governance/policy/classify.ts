/**
 * Classifies a capability by its effect. Annotations and names that say it is dangerous always count; those that say it
 * is harmless count only for a reviewed server. The default is `external`.
 */

import type { UpstreamServer } from '../../config/control-plane.ts';
import { recordOf } from '../../shared/records.ts';
import type { Definition } from '../../upstream/definition.ts';
import { type ActionClass, isTrusted } from '../types.ts';

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));

const DESTROYING = words('delete remove drop purge close archive revoke kill reset');
const WRITING = words(
  'create add update edit write set put insert append move rename upload save send post publish invite pay execute run',
);
const READING = words('get list read search find fetch query describe status');

/** Fast path: most names need no Unicode rules. */
const SNAKE_CASE = /^[a-z]+(?:_[a-z]+)*$/;

type Classification = Pick<UpstreamServer, 'name' | 'actionClasses' | 'trust' | 'transport'>;

export function classify(definition: Definition, server: Classification): ActionClass {
  const { actionClasses } = server;
  const said = Object.hasOwn(actionClasses, definition.name) ? actionClasses[definition.name] : undefined;
  if (said !== undefined) return said;
  return definition.kind === 'tool' ? classOfTool(definition, server) : 'read_only';
}

function classOfTool({ name, annotations }: Definition, server: Classification): ActionClass {
  const hints = recordOf(annotations);
  const spoken = wordsOf(name);
  if (hints.destructiveHint === true || spoken.some((word) => DESTROYING.has(word))) return 'destructive';
  if (spoken.some((word) => WRITING.has(word))) {
    const leaves = server.transport === 'streamable_http' || hints.openWorldHint === true;
    return leaves ? 'external' : 'local_write';
  }
  if (hints.readOnlyHint === true && isTrusted(server.trust)) return 'read_only';
  return isReading(name, spoken, server) ? 'read_only' : 'external';
}

/** `deleteAll_files`, `HTTPGet` and `run-2` in words: delete all files, http get, run 2. */
export function wordsOf(name: string): string[] {
  if (SNAKE_CASE.test(name)) return name.split('_');
  return name
    .normalize('NFKC')
    .replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .replace(/(\p{L})(\p{N})|(\p{N})(\p{L})/gu, '$1$3 $2$4')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}

/** Only the first word is the verb: in `wipe_list` the list is an object. A name with letters outside ASCII may imitate one. */
function isReading(name: string, spoken: readonly string[], server: Classification): boolean {
  if (!/^[\x20-\x7e]*$/.test(name)) return false;
  const own = new Set(wordsOf(server.name));
  const first = spoken.find((word) => !own.has(word));
  return first !== undefined && READING.has(first);
}
