/** Lines for a shell that mend something, or open the file where it is mended. */

export interface FixContext {
  /** `quire` or `sb`. */
  readonly program: string;
  readonly configPath: string;
  readonly configText: string;
  /** Where `quire mcp` finds the file by itself it need not be named. */
  readonly namesConfig: boolean;
}

export interface Fixes {
  /** A subcommand of ours: `discover memory`. */
  mcp(words: string): string;
  /** The configuration at the line that has `place`, with what is to be done there. */
  edit(what: string, place?: string): string;
}

export function fixesFor({ program, configPath, configText, namesConfig }: FixContext): Fixes {
  return {
    mcp: (words) => `${program} mcp ${words}${namesConfig ? ` --config ${quoted(configPath)}` : ''}`,
    edit: (what, place) => {
      const line = place === undefined ? 0 : lineOf(configText, place);
      const comment = what.replaceAll(/\s+/g, ' ');
      return `"\${EDITOR:-vi}" ${line > 0 ? `+${line} ` : ''}${quoted(configPath)} # ${comment}`;
    },
  };
}

export function quoted(text: string): string {
  return /^[A-Za-z0-9_./:@=-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Of the entry that is called so. */
export function serverPlace(name: string): string {
  return `name: ${name}`;
}

function lineOf(text: string, place: string): number {
  const isHere = (line: string) => line.replaceAll(/['"]/g, '').includes(place);
  return text.split('\n').findIndex(isHere) + 1;
}
