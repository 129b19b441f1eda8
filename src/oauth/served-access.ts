/** What an app can be allowed to do here, in words that fit the tools that are served. */
import {
  ACCESS_LEVELS,
  type AccessLevel,
  accessOf,
  confinesTo,
  isAtMost,
  mostAccessOf,
  type Scope,
  scopeParts,
} from '../shared/principal.ts';
import { capScopes } from './cut-scopes.ts';

/** What the tools of a server can do. */
export interface ServedAccess {
  /** Whether any of them changes notes. */
  readonly canWrite: boolean;
  readonly canDelete: boolean;
  /** Whether changes can wait for a person's decision. */
  readonly canPropose: boolean;
  /** Whether there are tools of other servers. */
  readonly governs: boolean;
  /** Notebooks that access can be confined to. Default: none. */
  readonly notebooks?: readonly string[];
  /** The most that the role of the person allows their apps. Default: everything. */
  readonly most?: AccessLevel;
}

export const NOTES_ACCESS: ServedAccess = {
  canWrite: true,
  canDelete: true,
  canPropose: true,
  governs: false,
};

/** The levels that a person can choose from for an app that asks for these scopes; the last is the most. */
export function levelsFor(
  asked: readonly Scope[],
  served: ServedAccess,
): readonly [AccessLevel, ...AccessLevel[]] {
  const [, ...more] = levelsOf(served).filter((level) => isAtMost(level, mostAccessOf(asked)));
  return ['read', ...more];
}

/** The notebooks among which a person can choose; none where there is only one. */
export function notebooksToChoose({ notebooks = [] }: ServedAccess): readonly string[] {
  return notebooks.length > 1 ? notebooks : [];
}

/** All levels that make a difference here. */
export function levelsOf({ canWrite, canPropose, governs, most }: ServedAccess): readonly AccessLevel[] {
  const isServed = { read: true, propose: canWrite && canPropose, write: canWrite || governs };
  return ACCESS_LEVELS.filter((level) => isServed[level] && isAtMost(level, most ?? 'write'));
}

/** Who decides on what apps of the person propose. */
export function reviewerFor({ most }: ServedAccess): 'you' | 'an admin' {
  return most === undefined || most === 'write' ? 'you' : 'an admin';
}

/** What an app with a level may do; each text completes "may". */
export function describeAccess(
  level: AccessLevel | undefined,
  served: ServedAccess = NOTES_ACCESS,
): string[] {
  const { canWrite, canDelete, canPropose, governs } = served;
  if (level === undefined) return ['nothing'];
  const rights = ['read and search all your notes'];
  if (level === 'propose' && canWrite && canPropose)
    rights.push(`propose changes to notes, which wait until ${acceptanceIn(served)}`);
  if (level === 'write' && canWrite)
    rights.push(canDelete ? 'create, change, move and delete notes' : 'create and change notes');
  if (governs)
    rights.push(
      level === 'write'
        ? 'use the tools of the other servers that are connected here, within the rules for them'
        : 'use those tools of the other servers connected here that only read',
    );
  return rights;
}

function acceptanceIn(served: ServedAccess): string {
  return reviewerFor(served) === 'you' ? 'you accept them' : 'an admin accepts them';
}

/** The rights of scopes. Write access always includes read access. */
export function describeScopes(granted: readonly Scope[], served?: ServedAccess): string[] {
  const scopes = capScopes(granted, served?.most ?? 'write');
  const general = accessOf(scopes);
  const named = [...new Set(scopes.flatMap((scope) => scopeParts(scope)?.notebook ?? []))];
  const own = named.flatMap((notebook) => {
    const access = accessOf(scopes, notebook);
    return access === undefined || isAtMost(access, general)
      ? []
      : describeNotebook(access, notebook, served);
  });
  return confinesTo(scopes) === undefined || own.length === 0
    ? [...describeAccess(general, served), ...own]
    : own;
}

function describeNotebook(
  access: AccessLevel,
  notebook: string,
  served: ServedAccess = NOTES_ACCESS,
): string[] {
  const { canWrite, canDelete, canPropose } = served;
  const rights = [`read and search the notes in “${notebook}”`];
  if (access === 'propose' && canWrite && canPropose)
    rights.push(`propose changes to the notes in “${notebook}”, which wait until ${acceptanceIn(served)}`);
  if (access === 'write' && canWrite)
    rights.push(
      `${canDelete ? 'create, change, move and delete' : 'create and change'} notes in “${notebook}”`,
    );
  return rights;
}
