/** Lines for a shell that mend something, or open the file where it is mended. */

/** One thing that was looked at. */
export type CheckStatus = 'ok' | 'warn' | 'fail' | 'skip';

export interface Check {
  readonly check: string;
  /** A server, a notebook, a file; or `-`. */
  readonly target: string;
  readonly status: CheckStatus;
  readonly detail: string;
  /** A line for a shell. Every fail has one. */
  readonly fix?: string;
}

/** Checks of one target. */
export function checksOf(target: string) {
  const plain =
    (status: 'ok' | 'skip') =>
    (check: string, detail: string): Check => ({ check, target, status, detail });
  const bad =
    (status: 'warn' | 'fail') =>
    (check: string, detail: string, fix: string): Check => ({ check, target, status, detail, fix });
  return { ok: plain('ok'), skip: plain('skip'), warn: bad('warn'), fail: bad('fail') };
}

interface FixContext {
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
