/**
 * SilverBullet's own grammar of page names, which is narrower than what its file API stores: a page outside it
 * exists and cannot be opened in the editor. Only for names about to be made.
 */

/** Why SilverBullet could not open a file of this name, of whatever kind; undefined when it can. */
export function fileNameProblem(name: string): string | undefined {
  if (/^[.^]/.test(name)) return `starts with "${name[0]}"`;
  const sign = /\[\[|\]\]|[@#|<>$]/.exec(name)?.[0];
  if (sign !== undefined) return `holds "${sign}", which means something else in a link`;
  return /\/\/|^\/|\/$/.test(name) ? 'has an empty part beside a "/"' : undefined;
}

/** The same for a page, whose name goes without its `.md`. */
export function pageNameProblem(name: string): string | undefined {
  const problem = fileNameProblem(name);
  if (problem !== undefined) return problem;
  const extension = /\.[a-z0-9]+$/i.exec(name)?.[0];
  return extension === undefined
    ? undefined
    : `ends in "${extension}", which SilverBullet takes for a file extension`;
}

/** A lawful name as near as possible; undefined when nothing is left of it. */
export function suggestPageName(name: string): string | undefined {
  const suggested = name
    .replace(/(?:\.md)+$/i, '')
    .replace(/\[\[|\]\]/g, '')
    .replace(/[@#|<>$]+/g, '-')
    .split('/')
    .map((part) => part.replace(/^[-.^\s]+|[-\s]+$/g, ''))
    .filter((part) => part !== '')
    .join('/')
    .replace(/(?:\.[a-z0-9]+)+$/i, (end) => end.replaceAll('.', '-'));
  return suggested === '' || pageNameProblem(suggested) !== undefined ? undefined : suggested;
}
