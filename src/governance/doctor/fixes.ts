/** Command lines that fix a problem, or open the configuration file at the line to change. */

interface FixContext {
  /** `quire` or `sb`. */
  readonly program: string;
  readonly configPath: string;
  readonly configText: string;
  /** False where `quire mcp` finds the file without `--config`. */
  readonly namesConfig: boolean;
}

export interface Fixes {
  /** A subcommand of ours: `discover memory`. */
  mcp(words: string): string;
  /** Opens the configuration file at the line that has `place`. */
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

/** The place of a server's entry in the configuration file. */
export function serverPlace(name: string): string {
  return `name: ${name}`;
}

function lineOf(text: string, place: string): number {
  const isHere = (line: string) => line.replaceAll(/['"]/g, '').includes(place);
  return text.split('\n').findIndex(isHere) + 1;
}

/** Asks for the values of variables and exports them. */
export function exportLine(variables: readonly string[]): string {
  return variables.map((name) => `read -r ${name} && export ${name}`).join(' && ');
}
