/** Variables by which code gets into a program that never asked for it. */
import type { Rejection } from '../types.ts';

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
