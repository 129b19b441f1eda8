/**
 * Why a process did not start, for its operator: the last lines of its stderr without its secrets, the rule of the sandbox
 * that they speak of and the setting that opens it, and where its log is. All of it is in the details of the error, which
 * are not passed on to the clients of a call.
 */
import { existsSync } from 'node:fs';
import { isAppError } from '../shared/errors.ts';
import { printable } from '../shared/printable.ts';
import { redactText } from '../shared/redact.ts';
import type { SandboxBackend, SandboxProfile } from './sandbox/backends.ts';

export interface LaunchFacts {
  readonly backend: SandboxBackend;
  readonly profile: SandboxProfile | 'none';
  /** The hosts it reaches, where they are a list. */
  readonly network?: readonly string[] | undefined;
  /** Places that it asked for and was refused. */
  readonly denied?: () => readonly string[];
  /** The configured variables, whose values are not shown. */
  readonly env: Readonly<Record<string, string>>;
  readonly logFile?: string | undefined;
}

type EndingDetails = Readonly<Record<'stderr' | 'sandbox' | 'log', string>>;

const MAX_LINES = 20;
const MAX_BYTES = 4 * 1024;
const MAX_LINE = 500;
/** Shorter values are no secrets, and stand in many words. */
const MIN_SECRET = 6;

export function endingOf(stderr: string, facts: LaunchFacts): Partial<EndingDetails> {
  const lines = lastLines(stderr, facts.env);
  const sandbox = facts.backend === 'process' ? undefined : deniedIn(lines.join('\n'), facts);
  return {
    ...(lines.length > 0 && { stderr: lines.join('\n') }),
    ...(sandbox !== undefined && { sandbox }),
    ...(facts.logFile !== undefined && { log: facts.logFile }),
  };
}

function lastLines(stderr: string, env: LaunchFacts['env']): string[] {
  // Secrets go before the text is cut: half a secret would not be recognized.
  const lines = withoutValues(stderr, env)
    .slice(-MAX_BYTES)
    .split('\n')
    .map((line) => printable(redactText(line), MAX_LINE))
    .filter((line) => line !== '');
  return lines.slice(-MAX_LINES);
}

function withoutValues(text: string, env: LaunchFacts['env']): string {
  let clean = text;
  for (const [name, value] of Object.entries(env))
    if (value.length >= MIN_SECRET) clean = clean.replaceAll(value, `[${name}]`);
  return clean;
}

function deniedIn(output: string, { profile, network, denied }: LaunchFacts): string | undefined {
  const places = denied?.() ?? [];
  if (places.length > 0)
    return `The sandbox denied ${places.join(', ')}. If it needs that: put it into sandbox_network.`;
  if (network && NO_WAY_OUT.test(output))
    return 'The sandbox could not make a network of its own here, as sandbox_network needs it: bubblewrap must be able to run within bubblewrap, and /usr/bin/setpriv must be there.';
  if (network && NO_NETWORK.test(output))
    return `The sandbox lets it reach only ${network.join(', ')}. If it needs another host: put it into sandbox_network.`;
  return deniedBy(output, network ? 'network' : profile);
}

const NO_WAY_OUT = /^(?:bwrap|setpriv|quire: the way out of the sandbox could not be made): /m;
const NO_NETWORK =
  /ENETUNREACH|EHOSTUNREACH|EAI_AGAIN|ENOTFOUND|getaddrinfo|name resolution|Network is unreachable|Could not resolve host/i;
const READ_ONLY = /EROFS|Read-only file system/i;
const NOT_THERE = /ENOENT|No such file or directory|Cannot find (?:module|package)|can't open file/i;
const NOT_ALLOWED = /EACCES|EPERM|Permission denied|Operation not permitted/i;
const PATH = /(?<![\w:/])\/[\w.@+-]+(?:\/[\w.@+ -]*[\w.@+-])*/g;

/** The rule of the sandbox that an output speaks of, and what opens it; undefined when it speaks of none. */
export function deniedBy(output: string, profile: SandboxProfile | 'none'): string | undefined {
  if (READ_ONLY.test(output))
    return profile === 'readonly'
      ? 'The sandbox lets it write nowhere (sandbox_profile: readonly). With restricted it may write in its own folder, sandbox_cwd.'
      : 'The sandbox lets it write only in its own folder, sandbox_cwd. Let it keep its files there.';
  if (NO_NETWORK.test(output) && profile !== 'network')
    return `The sandbox gives it no network (sandbox_profile: ${profile}). If it needs one: name its hosts in sandbox_network, or open all of it with sandbox_profile: network.`;
  if (NOT_THERE.test(output)) return hiddenPath(output);
  if (NOT_ALLOWED.test(output))
    return 'The sandbox may have denied it: what it reads must be in sandbox_read, what it writes in its own folder, sandbox_cwd.';
  return undefined;
}

/** Of a path that exists outside the sandbox alone, the sandbox is the reason. */
function hiddenPath(output: string): string | undefined {
  const speaking = output.split('\n').filter((line) => NOT_THERE.test(line));
  const path = speaking.flatMap((line) => line.match(PATH) ?? []).find((one) => existsSync(one));
  if (path === undefined) return undefined;
  return `The sandbox hides ${path} from it. If it needs that: put the path or its folder into sandbox_read.`;
}

/** The hint of an error with the details of how a process ended, for the terminal of the operator. */
export function hintWithEnding(error: unknown): string | undefined {
  if (!isAppError(error)) return undefined;
  const { stderr, sandbox, log } = error.details;
  const parts = [
    error.hint,
    typeof stderr === 'string' && `Its last lines:\n${indented(stderr)}`,
    sandbox,
    typeof log === 'string' && `Its log: ${log} (quire mcp logs ${error.subject})`,
  ];
  const said = parts.filter((part) => typeof part === 'string');
  return said.length > 0 ? said.join('\n') : undefined;
}

function indented(text: string): string {
  return text
    .split('\n')
    .map((line) => `  | ${line}`)
    .join('\n');
}
