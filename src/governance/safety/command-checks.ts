/** Checks the form of a command: a single token that names a program, and not a shell or launcher. */

import { isIP } from 'node:net';
import type { UpstreamServer } from '../../config/control-plane.ts';
import type { PolicyReason } from '../../shared/errors.ts';
import { isLoopbackHost, reachOf } from '../../shared/ip-ranges.ts';
import type { Rejection } from '../../upstream/definition.ts';
import { isShellOrLauncher } from './arguments.ts';

/** Signs a shell acts on; the last row is for what cannot be seen, line ends among it. */
const METACHARACTERS = /[|&;<>$()`\\"'{}[\]*?!#~]|[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}]/u;

const SHAPE_CODES: readonly PolicyReason[] = [
  'command_missing',
  'command_not_string',
  'command_not_single_token',
  'command_metacharacters',
  'command_is_shell',
];

/** A rejection of the command's form: no file was looked for. */
export function isShapeRejection({ code }: Rejection): boolean {
  return SHAPE_CODES.includes(code);
}

export function judgeCommand(command: unknown): Rejection[] {
  if (command === undefined || command === null || command === '')
    return [{ code: 'command_missing', reason: 'No command is given. Set command to the executable.' }];
  if (typeof command !== 'string')
    return [
      {
        code: 'command_not_string',
        reason: 'command must be a single executable token; put arguments in args',
      },
    ];
  return shapeProblems(command);
}

function shapeProblems(command: string): Rejection[] {
  const problems: Rejection[] = [];
  if (/\s/u.test(command))
    problems.push({
      code: 'command_not_single_token',
      reason: 'command holds white space. Put the executable in command and the rest in args.',
    });
  const sign = METACHARACTERS.exec(command)?.[0];
  if (sign !== undefined)
    problems.push({
      code: 'command_metacharacters',
      reason: `command holds ${shown(sign)}, which a shell would act on. Name a program only.`,
    });
  if (isShellOrLauncher(command.trim().split(/\s/u)[0] ?? ''))
    problems.push({
      code: 'command_is_shell',
      reason: 'command is a shell or starts other programs. Name the server itself.',
    });
  return problems;
}

function shown(sign: string): string {
  const isVisible = /^[\x21-\x7e]$/.test(sign);
  return isVisible ? sign : `U+${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

/** Variables by which code gets into a program that never asked for it. */

const INJECTING = new Set(
  (
    'NODE_OPTIONS NODE_PATH NODE_REPL_EXTERNAL_MODULE BASH_ENV ENV SHELLOPTS BASHOPTS PS4 PROMPT_COMMAND ZDOTDIR ' +
    'PYTHONSTARTUP PYTHONPATH PYTHONHOME PYTHONINSPECT PYTHONBREAKPOINT PERL5OPT PERL5LIB PERL5DB RUBYOPT RUBYLIB ' +
    'JAVA_TOOL_OPTIONS JDK_JAVA_OPTIONS _JAVA_OPTIONS GIT_SSH_COMMAND GIT_SSH GIT_EXEC_PATH GIT_ASKPASS ' +
    'NPM_CONFIG_NODE_OPTIONS NPM_CONFIG_SCRIPT_SHELL NPM_CONFIG_SHELL GCONV_PATH PATH IFS'
  ).split(' '),
);
const INJECTING_PREFIXES = ['LD_', 'DYLD_', 'BASH_FUNC_', 'GIT_CONFIG'];

export function judgeEnvironment(env: Readonly<Record<string, string>>): Rejection[] {
  const bad = Object.keys(env).filter(injects);
  if (bad.length === 0) return [];
  return [
    {
      code: 'env_code_injection',
      reason: `env sets ${bad.slice(0, 5).join(', ')}, by which other code gets into the server. Leave it out.`,
    },
  ];
}

/** In any case: npm reads its own in lower case, and Windows does not care. */
function injects(name: string): boolean {
  const upper = name.toUpperCase();
  return INJECTING.has(upper) || INJECTING_PREFIXES.some((prefix) => upper.startsWith(prefix));
}

/** Which addresses a server over HTTP may have, as far as the text tells. What names resolve to, the fetch checks. */

const MAX_LENGTH = 8_192;

const URL_CODES: readonly PolicyReason[] = [
  'url_missing',
  'url_invalid',
  'url_not_https',
  'url_userinfo',
  'url_private_address',
];

export function isUrlRejection({ code }: Rejection): boolean {
  return URL_CODES.includes(code);
}

export function judgeUrl({
  url: text,
  allowPrivate,
}: Pick<UpstreamServer, 'url' | 'allowPrivate'>): Rejection[] {
  if (text === undefined)
    return [{ code: 'url_missing', reason: 'No url is given. Set url to its address.' }];
  const url = text.length <= MAX_LENGTH && URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || /[\s\p{Cc}]/u.test(text))
    return [{ code: 'url_invalid', reason: 'url must be a full address, such as https://example.com/mcp.' }];
  const host = hostOf(url);
  const problems: Rejection[] = [];
  if (url.protocol === 'http:' && !isLoopbackHost(host))
    problems.push({ code: 'url_not_https', reason: 'url must be https; http is for this machine only.' });
  if (url.username !== '' || url.password !== '')
    problems.push({ code: 'url_userinfo', reason: 'url must hold no user name or password. Use headers.' });
  if (isRefusedAddress(host, allowPrivate))
    problems.push({
      code: 'url_private_address',
      reason: 'url leads to a private, link-local or metadata address. For a private one set allow_private.',
    });
  return problems;
}

function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
}

function isRefusedAddress(host: string, allowPrivate: boolean): boolean {
  if (isIP(host) === 0) return false;
  const reach = reachOf(host);
  return reach === 'special' || (reach === 'private' && !allowPrivate);
}
