/** Scopes cut to what a person, a role or a notebook allows. */
import {
  type AccessLevel,
  accessOf,
  confinesTo,
  covers,
  isAtMost,
  mostAccessOf,
  type Scope,
  scopeParts,
} from '../shared/principal.ts';

/** The scopes of a level, as they are given out. */
function scopesOf(access: AccessLevel | undefined, notebook?: string): Scope[] {
  if (access === undefined) return [];
  const names = { read: ['read'], propose: ['read', 'propose'], write: ['read', 'write'] } as const;
  return names[access].map(
    (name): Scope => (notebook === undefined ? `notes:${name}` : `notes:${name}:${notebook}`),
  );
}

/** For all notebooks at first, then for those that have a level of their own. */
function rebuilt(
  scopes: readonly Scope[],
  levelOf: (notebook: string | undefined) => AccessLevel | undefined,
): readonly Scope[] {
  const general = levelOf(undefined);
  const notebooks = new Set(scopes.flatMap((scope) => scopeParts(scope)?.notebook ?? []));
  const own = [...notebooks].filter((notebook) => !isAtMost(levelOf(notebook), general));
  return [...scopesOf(general), ...own.flatMap((notebook) => scopesOf(levelOf(notebook), notebook))];
}

function lesser(a: AccessLevel | undefined, b: AccessLevel | undefined): AccessLevel | undefined {
  return isAtMost(a, b) ? a : b;
}

/** Scopes cut to a level: what a person allows of what was asked for, or may allow at all. */
export function capScopes(scopes: readonly Scope[], most: AccessLevel): readonly Scope[] {
  if (isAtMost(mostAccessOf(scopes), most)) return scopes;
  return rebuilt(scopes, (notebook) => lesser(accessOf(scopes, notebook), most));
}

/** The scopes of an app whose access a person changes: in the same notebooks. */
export function withAccess(scopes: readonly Scope[], access: AccessLevel): readonly Scope[] {
  if (mostAccessOf(scopes) === access) return scopes;
  const isConfined = confinesTo(scopes) !== undefined;
  return rebuilt(scopes, (notebook) => (notebook === undefined && isConfined ? undefined : access));
}

/** The scopes in some notebooks alone. */
export function confineScopes(scopes: readonly Scope[], notebooks: readonly string[]): readonly Scope[] {
  return notebooks.flatMap((notebook) => scopesOf(accessOf(scopes, notebook), notebook));
}

/** Scopes cut to what a limit allows. */
export function limitScopes(scopes: readonly Scope[], limit: readonly Scope[]): readonly Scope[] {
  if (scopes.every((scope) => covers(limit, scope))) return scopes;
  return rebuilt([...scopes, ...limit], (notebook) =>
    lesser(accessOf(scopes, notebook), accessOf(limit, notebook)),
  );
}
