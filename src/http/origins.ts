/** Web origins, compared as browsers write them. */

/** Scheme, host and port and nothing more; undefined for what is no origin of the web. */
export function originOf(text: string): string | undefined {
  if (!/^https?:\/\/[^\s/?#@\\]+\/?$/i.test(text) || !URL.canParse(text)) return undefined;
  return new URL(text).origin;
}

/** Whether an origin is one of those; `*` stands for all. Those of extensions and the like are taken as they are. */
export function originsIn(allowed: readonly string[]): (origin: string) => boolean {
  const known = new Set(allowed.map((text) => originOf(text) ?? text));
  return (text) => known.has('*') || known.has(originOf(text) ?? text);
}
