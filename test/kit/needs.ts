/** Requirements of some tests besides Node. Where it is missing they are skipped, and the summary says what would switch them on. */
import { spawnSync } from 'node:child_process';
import { describe, test } from 'vitest';

export interface Need {
  readonly what: string;
  /** How to get it, as a command or a sentence. */
  readonly install: string;
  readonly isMet: boolean;
}

export function needOf(what: string, install: string, isMet: boolean): Need {
  return { what, install, isMet };
}

/** A program, by its name or the first of its names that is there. */
export function programNeed(what: string, packageName: string, ...args: readonly string[]): Need {
  return needOf(what, `apt-get install ${packageName}`, isInstalled(what, args));
}

export function isInstalled(program: string, args: readonly string[] = ['--version']): boolean {
  return spawnSync(program, args, { stdio: 'ignore' }).error === undefined;
}

export function describeWith(need: Need, name: string, body: () => void): void {
  if (need.isMet) describe(name, body);
  else describe.skip(nameUnder(need, name), body);
}

export function testWith(need: Need, name: string, body: () => Promise<void>): void {
  if (need.isMet) test(name, body);
  else test.skip(nameUnder(need, name), body);
}

function nameUnder({ what, install }: Need, name: string): string {
  return `${name} [needs ${what}: ${install}]`;
}

/** The requirement of a skipped test, read from its full name; undefined for a test that is skipped for another reason. */
export function needIn(fullName: string): string | undefined {
  return /\[needs ([^\]]+)\]/.exec(fullName)?.[1];
}
