/** Arguments that make a harmless program run code from the configuration, such as `node -e`. Also shells and launchers. */
import { type Rejection, rejection } from '../../upstream/definition.ts';
import { isContainerEngine, readContainer } from './containers.ts';

/** Programs that run arbitrary code; none may be a server's command. */
const SHELLS = new Set(
  (
    'sh bash dash ash zsh ksh mksh lksh pdksh csh tcsh fish nu xonsh elvish rbash rksh busybox toybox ' +
    'cmd powershell pwsh osascript wscript cscript mshta rundll32 regsvr32 jshell tclsh wish'
  ).split(' '),
);

/** Programs that start another, unreviewed program. */
const LAUNCHERS = new Set(
  (
    'env sudo doas su xargs nohup setsid script expect ssh timeout watch nice chroot ' +
    'ionice stdbuf taskset unshare nsenter strace flock parallel pkexec runuser systemd-run start-stop-daemon ' +
    'awk gawk mawk nawk original-awk find fd sed ed ex vi vim nvim view emacs make gmake ninja tar rsync git ' +
    'setpriv capsh chpst prlimit chrt numactl setarch linux32 linux64 i386 x86_64 unbuffer rlwrap script-live ' +
    'sudoedit sudo-rs gosu su-exec runcon aa-exec firejail bwrap proot fakeroot fakechroot dbus-run-session ' +
    'machinectl lxc lxc-attach flatpak-spawn sshpass scp sftp mosh socat nc ncat netcat telnet at batch crontab ' +
    'screen tmux dtach daemonize gdb lldb ltrace perf valgrind coreutils ip wsl forfiles'
  ).split(' '),
);

/** `/usr/bin/Python3.11.exe` is `python3.11`. */
export function baseName(path: string): string {
  const last = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
  return last.toLowerCase().replace(/\.(?:exe|cmd|bat|com|ps1)$/, '');
}

/** Without a version: `python3.11` is `python`, `bash-5.2` is `bash`. */
function programOf(path: string): string {
  return baseName(path).replace(/[-._]?\d[\d._-]*$/, '');
}

/** `ld-linux-x86-64.so.2 /bin/sh` starts any program. */
const DYNAMIC_LOADER = /^ld(?:64)?(?:[-.].*)?\.so(?:\.\d+)*$|^ld-(?:linux|musl)/;

export function isShellOrLauncher(path: string): boolean {
  const isLauncher = (name: string) => SHELLS.has(name) || LAUNCHERS.has(name);
  return [baseName(path), programOf(path)].some(isLauncher) || DYNAMIC_LOADER.test(baseName(path));
}

function isShell(path: string): boolean {
  return [baseName(path), programOf(path)].some((name) => SHELLS.has(name));
}

/** The options of a program by which code can be passed. */
interface Family {
  readonly programs: readonly string[];
  /** Letters of short options that take code; they may be joined: `-c`, `-cX`, `-Bc`. */
  readonly short: string;
  /** Letters that take a value, which is the rest of the word or the next one. */
  readonly shortValues: string;
  /** The letter after which all words belong to the program that is run: `python -m mod`. */
  readonly shortEnd?: string;
  readonly long: readonly string[];
  /** Options that take no value: the next word is the program that is run. */
  readonly switches: readonly string[];
  /** First words before the program: `npm exec`. */
  readonly subcommands?: readonly string[];
  /** First words that run code: `deno eval`. */
  readonly codeCommands?: readonly string[];
  /** The first word after the options is a program with options of its own. */
  readonly runsPrograms?: boolean;
  /** Long options may be abbreviated. */
  readonly abbreviates?: boolean;
  /** Modules behind `shortEnd` that run what comes after them: `python -m timeit`. */
  readonly codeModules?: readonly string[];
  /** Words of programs whose long options have one dash: `java -javaagent:…`. */
  readonly codeWords?: RegExp;
}

const FAMILIES: readonly Family[] = [
  {
    programs: ['node', 'nodejs', 'bun', 'deno', 'tsx', 'ts-node', 'esno', 'electron'],
    short: 'epr',
    shortValues: 'C',
    long: [
      'eval',
      'print',
      'require',
      'import',
      'loader',
      'experimental-loader',
      'preload',
      'run',
      // A file of variables may hold NODE_OPTIONS, and a file of settings other files to load.
      'env-file',
      'env-file-if-exists',
      'experimental-config-file',
      'experimental-default-config-file',
      'snapshot-blob',
      'openssl-config',
      // Who reaches the inspector runs any code.
      'inspect',
      'inspect-brk',
      'inspect-wait',
      'inspect-port',
      'inspect-publish-uid',
      'debug',
      'debug-brk',
      'debug-port',
    ],
    switches: [
      'enable-source-maps',
      'no-warnings',
      'no-deprecation',
      'expose-gc',
      'trace-warnings',
      'trace-deprecation',
      'preserve-symlinks',
      'preserve-symlinks-main',
      'use-system-ca',
      'experimental-strip-types',
      'abort-on-uncaught-exception',
      'permission',
    ],
    subcommands: ['run', 'watch', 'x'],
    // `bun exec` is a shell.
    codeCommands: ['eval', 'repl', 'exec', 'jupyter', 'inspect'],
  },
  {
    programs: ['npx', 'npm', 'pnpm', 'pnpx', 'yarn', 'yarnpkg', 'bunx', 'npx-cli.js', 'npm-cli.js'],
    short: 'c',
    shortValues: 'pwC',
    long: [
      'call',
      'shell',
      'script-shell',
      'shell-mode',
      'node-options',
      'node-arg',
      'shell-auto-fallback',
      'userconfig',
      'globalconfig',
    ],
    switches: [
      'yes',
      'no',
      'quiet',
      'silent',
      'offline',
      'prefer-offline',
      'no-install',
      'ignore-existing',
      'global',
    ],
    subcommands: ['exec', 'x', 'dlx', 'run', 'run-script'],
    runsPrograms: true,
    abbreviates: true,
  },
  {
    programs: ['uvx', 'uv', 'pipx'],
    short: '',
    shortValues: 'pwficPC',
    long: ['env-file', 'config-file'],
    switches: ['quiet', 'offline', 'isolated', 'no-cache', 'no-config', 'native-tls'],
    subcommands: ['run', 'tool'],
    runsPrograms: true,
  },
  {
    programs: ['python', 'pythonw', 'pypy', 'py'],
    short: 'c',
    shortValues: 'WXQ',
    shortEnd: 'm',
    long: [],
    switches: [],
    codeModules: [
      'code',
      'pdb',
      'timeit',
      'runpy',
      'asyncio',
      'idlelib',
      'IPython',
      'bpython',
      'ptpython',
      'debugpy',
    ],
  },
  {
    programs: ['perl'],
    // -M and -m take a module, and after a semicolon anything.
    short: 'eEMm',
    shortValues: 'IFilD0x',
    long: [],
    switches: [],
  },
  { programs: ['ruby', 'jruby'], short: 'er', shortValues: 'ICEFKTxi0', long: ['require'], switches: [] },
  {
    programs: ['php'],
    short: 'rBRE',
    shortValues: 'dcfztF',
    long: ['run', 'process-begin', 'process-code', 'process-end'],
    switches: [],
    codeWords: /^(?:-d)?(?:auto_prepend_file|auto_append_file|extension|zend_extension)=/i,
  },
  { programs: ['lua', 'luajit'], short: 'el', shortValues: '', long: [], switches: [] },
  { programs: ['rscript', 'r'], short: 'e', shortValues: '', long: [], switches: [] },
  {
    programs: ['julia'],
    short: 'eEL',
    shortValues: 'CJpt',
    long: ['eval', 'print', 'load'],
    switches: [],
  },
  {
    programs: ['elixir', 'groovy', 'scala', 'raku', 'racket', 'guile', 'bb', 'runghc', 'sbcl'],
    short: 'ec',
    shortValues: '',
    long: ['eval', 'load', 'rpc-eval'],
    switches: [],
  },
  {
    programs: ['java', 'javaw'],
    short: '',
    shortValues: '',
    long: [],
    switches: [],
    codeWords:
      /^-(?:javaagent:|agentlib:|agentpath:|Xrun|Xdebug|XX:(?:OnError|OnOutOfMemoryError|Flags|VMOptionsFile)=)/,
  },
];

const FURTHER_INTERPRETERS = ['dotnet', 'mono', 'wasmtime', 'wasmer'];

/** A program whose first argument is the program that it runs. */
export function isInterpreter(path: string): boolean {
  const family = familyOf(path);
  return (family !== undefined && !family.runsPrograms) || FURTHER_INTERPRETERS.includes(programOf(path));
}

/** A program that fetches or finds the program that it runs: `npx`, `uvx`, `docker`. */
export function isRunner(path: string): boolean {
  return familyOf(path)?.runsPrograms === true || isContainerEngine(baseName(path));
}

function familyOf(path: string): Family | undefined {
  return FAMILIES.find(({ programs }) =>
    [baseName(path), programOf(path)].some((name) => programs.includes(name)),
  );
}

/** `names` are the command as written, and the path of the file that it resolves to. */
export function judgeArguments(names: readonly string[], args: unknown): Rejection[] {
  if (args === undefined) return [];
  if (!isTexts(args))
    return [rejection('args_invalid', 'args must be a list of texts without NUL. Put numbers in quotes.')];
  for (const name of names) {
    const program = baseName(name).slice(0, 40);
    const { risk } = contained(name, args);
    if (risk !== undefined)
      return [
        rejection('args_unconfined', `${risk} lets ${program} reach beyond the container. Leave it out.`),
      ];
    const code = inlineCode(name, args);
    if (code === undefined) continue;
    const reason = `${code} makes ${program} run code or a shell from its arguments. Name a file or a package.`;
    return [rejection('args_inline_code', reason)];
  }
  return [];
}

function contained(command: string, args: readonly string[]): ReturnType<typeof readContainer> {
  return isContainerEngine(baseName(command)) ? readContainer(args) : { lines: [] };
}

function isTexts(args: unknown): args is string[] {
  return Array.isArray(args) && args.every((arg) => typeof arg === 'string' && !arg.includes('\0'));
}

/** The argument that passes code; undefined when there is none. */
function inlineCode(command: string, args: readonly string[]): string | undefined {
  const family = familyOf(command);
  if (!family) return codeInContainer(command, args);
  const word = family.codeWords && args.find((arg) => family.codeWords?.test(arg));
  if (word !== undefined) return word.split(/[:=]/)[0]?.slice(0, 40);
  let mayBeValue = false;
  for (const [at, arg] of args.entries()) {
    if (arg.length > 1 && arg.startsWith('-')) {
      const option = readOption(arg, family);
      if (option === 'code') return arg.split('=')[0]?.slice(0, 40);
      if (option === 'end')
        return family.runsPrograms ? ranProgram(args.slice(at + 1)) : codeModule(args.slice(at), family);
      mayBeValue = option === 'takes-value';
      continue;
    }
    if (family.codeCommands?.includes(arg)) return arg;
    const found = family.runsPrograms ? ranProgram(args.slice(at)) : undefined;
    if (found !== undefined) return found;
    if (!mayBeValue && !family.subcommands?.includes(arg)) return undefined;
    mayBeValue = false;
  }
  return undefined;
}

/** Words after the image may be those of its own program, so of the programs that start others only shells count. */
function codeInContainer(command: string, args: readonly string[]): string | undefined {
  for (const [program = '', ...rest] of contained(command, args).lines) {
    const found = isShell(program) ? program : inlineCode(program, rest);
    if (found !== undefined) return found.slice(0, 40);
  }
  return undefined;
}

/** `-m timeit` and `-mtimeit`, also behind other letters. */
function codeModule(
  [word = '', next = '']: readonly string[],
  { shortEnd = '', codeModules }: Family,
): string | undefined {
  if (word === '--' || !codeModules) return undefined;
  const joined = word.slice(word.indexOf(shortEnd) + 1);
  const name = (joined === '' ? next : joined).split('.')[0] ?? '';
  return codeModules.includes(name) ? `-m ${name}` : undefined;
}

/**
 * A package may have the name of an interpreter: `uvx python -c`, `npx -y node@22 -e`. One with a scope (`@x/ssh`) is
 * no program of this machine.
 */
function ranProgram([program = '', ...rest]: readonly string[]): string | undefined {
  if (/^@[^/]+\//.test(program)) return undefined;
  const name = program.replace(/(?<=.)(?:@|==).*$/, '');
  return isShellOrLauncher(name) ? name.slice(0, 40) : inlineCode(name, rest);
}

type Option = 'code' | 'end' | 'switch' | 'takes-value';

function readOption(arg: string, family: Family): Option {
  if (arg === '--') return 'end';
  return arg.startsWith('--') ? readLong(arg.slice(2), family) : readShort(arg.slice(1), family);
}

function readLong(option: string, { long, switches, abbreviates }: Family): Option {
  const [name = ''] = option.toLowerCase().replaceAll('_', '-').split('=');
  const isCode = (code: string) =>
    code === name || (abbreviates === true && name.length >= 3 && code.startsWith(name));
  if (!switches.includes(name) && long.some(isCode)) return 'code';
  // An unknown option may take the next word as its value.
  return option.includes('=') || switches.includes(name) ? 'switch' : 'takes-value';
}

/** Letter by letter: `-Bc` is `-B -c`, `-Wc` is `-W` with the value `c`. */
function readShort(letters: string, { short, shortValues, shortEnd }: Family): Option {
  for (const [at, letter] of [...letters].entries()) {
    if (short.includes(letter)) return 'code';
    if (letter === shortEnd) return 'end';
    if (shortValues.includes(letter)) return at === letters.length - 1 ? 'takes-value' : 'switch';
  }
  return 'switch';
}
