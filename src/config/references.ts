/** `${env:NAME}` where a secret may be named: kept as it is written until somebody needs the value. */

const REFERENCE = /\$\{env:([A-Za-z_][A-Za-z0-9_]*)\}/g;

export type Environment = Readonly<Record<string, string | undefined>>;

/** The variables a text names. */
export function referencesIn(text: string): string[] {
  return [...text.matchAll(REFERENCE)].map((match) => match[1] ?? '');
}

/** Whether a text tries to name a variable, rightly or not. */
export function hasReference(text: string): boolean {
  return text.includes(`\${env:`);
}

export function hasBrokenReference(text: string): boolean {
  return hasReference(text.replace(REFERENCE, ''));
}

interface ResolvedReferences {
  readonly values: Readonly<Record<string, string>>;
  /** Variables that are named and not set. Then `values` must not be used: an empty text is no secret. */
  readonly missing: readonly string[];
}

export function resolveReferences(
  texts: Readonly<Record<string, string>>,
  environment: Environment,
): ResolvedReferences {
  const names = Object.values(texts).flatMap(referencesIn);
  const missing = [...new Set(names.filter((name) => !environment[name]))];
  const filled = (text: string) => text.replace(REFERENCE, (_, name: string) => environment[name] ?? '');
  const values = Object.entries(texts).map(([key, text]) => [key, filled(text)] as const);
  return { values: Object.fromEntries(missing.length > 0 ? [] : values), missing };
}
