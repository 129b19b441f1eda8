/** `docker run` and its like: options that take the walls of the container down, and folders that hold the machine. */
import { posix } from 'node:path';

const ENGINES = ['docker', 'podman', 'nerdctl', 'docker-compose', 'podman-remote'];

export function isContainerEngine(name: string): boolean {
  return ENGINES.includes(name);
}

interface Contained {
  /** The word that lets the container reach the machine; undefined when there is none. */
  readonly risk?: string;
  /** What runs inside, as a command line: the image's own program and the words after the image. */
  readonly lines: readonly (readonly string[])[];
}

const NOTHING: Contained = { lines: [] };
const RUNNING = ['run', 'create', 'exec'];

/** Letters that take a value, as the rest of the word or as the next one. */
const SHORT_VALUES = 'acehlmpuvw';
const SWITCHES = new Set(
  (
    'detach init interactive no-healthcheck oom-kill-disable privileged publish-all quiet read-only rm sig-proxy tty ' +
    'disable-content-trust use-api-socket rootfs replace tls-verify no-hosts no-hostname http-proxy env-host rmi'
  ).split(' '),
);

export function readContainer(args: readonly string[]): Contained {
  const at = args.findIndex((word) => RUNNING.includes(word));
  if (at < 0 || isBelowAnother(args, at)) return NOTHING;
  const { options, rest } = split(args.slice(at + 1));
  const risk = options.find(([name, value]) => isRisk(name, value));
  if (risk) return { risk: shown(risk), lines: [] };
  const entry = options.flatMap(([name, value]) => (name === 'entrypoint' ? [[value]] : []));
  const [image = '', ...words] = rest;
  return { lines: [...entry, [programOfImage(image), ...words], words] };
}

/** `docker mcp gateway run` runs no container itself; `docker container run` does. */
function isBelowAnother(args: readonly string[], at: number): boolean {
  const before = args[at - 1];
  if (before === undefined || before.startsWith('-') || before === 'container') return false;
  return !args[at - 2]?.startsWith('-');
}

type Option = readonly [name: string, value: string];

function split(words: readonly string[]): { options: Option[]; rest: readonly string[] } {
  const options: Option[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    if (!word.startsWith('-') || word === '-') return { options, rest: words.slice(at) };
    if (word === '--') return { options, rest: words.slice(at + 1) };
    const next = words[at + 1] ?? '';
    const read = word.startsWith('--') ? readLong(word.slice(2), next) : readShort(word.slice(1), next);
    options.push(...read.options);
    if (read.tookNext) at++;
  }
  return { options, rest: [] };
}

interface ReadWord {
  readonly options: readonly Option[];
  readonly tookNext: boolean;
}

function readLong(word: string, next: string): ReadWord {
  const equals = word.indexOf('=');
  if (equals >= 0) return { options: [[word.slice(0, equals), word.slice(equals + 1)]], tookNext: false };
  return SWITCHES.has(word)
    ? { options: [[word, 'true']], tookNext: false }
    : { options: [[word, next]], tookNext: true };
}

/** Of the short options only `-v` matters, alone or behind others: `-itv /:/host`. */
function readShort(letters: string, next: string): ReadWord {
  const at = [...letters].findIndex((letter) => SHORT_VALUES.includes(letter));
  if (at < 0) return { options: [], tookNext: false };
  const joined = letters.slice(at + 1).replace(/^=/, '');
  const name = letters[at] === 'v' ? 'volume' : (letters[at] ?? '');
  return { options: [[name, joined === '' ? next : joined]], tookNext: joined === '' };
}

const REFUSED = new Set([
  'privileged',
  'cap-add',
  'device',
  'device-cgroup-rule',
  'volumes-from',
  'cgroup-parent',
  'use-api-socket',
  'rootfs',
  'env-host',
]);
const NAMESPACES = new Set(['pid', 'net', 'network', 'ipc', 'uts', 'userns', 'cgroupns']);

function isRisk(name: string, value: string): boolean {
  if (REFUSED.has(name)) return value !== 'false';
  if (NAMESPACES.has(name)) return /^(?:host|container:|ns:)/i.test(value);
  if (name === 'security-opt') return !/^no-new-privileges(?:[:=]true)?$/.test(value);
  if (name === 'volume') return holdsMachine(value.split(':')[0] ?? '');
  return name === 'mount' && mountedFolders(value).some(holdsMachine);
}

function mountedFolders(value: string): string[] {
  return value.split(',').flatMap((part) => /^(?:src|source)=(.*)$/.exec(part)?.[1] ?? []);
}

const WHOLE = new Set(['/', '/home', '/root', '/Users', '/var', '/opt', '/mnt', '/media', '/srv']);
const BELOW = '/etc /proc /sys /dev /boot /run /var/run /var/lib /usr /bin /sbin /lib /lib64 /System'.split(
  ' ',
);
const HARMLESS = ['/etc/localtime', '/etc/timezone', '/etc/ssl', '/etc/pki', '/usr/share'];
const SECRET = /\/\.(?:ssh|gnupg|aws|azure|kube|docker|config|quire)(?:\/|$)|\.sock$/;

/** A name without a slash is a volume of the engine. */
function holdsMachine(source: string): boolean {
  if (!/^[/.~]/.test(source)) return false;
  if (source.startsWith('~') || source.split('/').includes('..')) return true;
  const path = posix.normalize(source).replace(/(?<=.)\/+$/, '');
  const isBelow = (folder: string) => path === folder || path.startsWith(`${folder}/`);
  if (HARMLESS.some(isBelow)) return false;
  return (
    WHOLE.has(path) || BELOW.some(isBelow) || /^\/(?:home|Users)\/[^/]+$/.test(path) || SECRET.test(path)
  );
}

/** `node:22` is started as `node`; an image of a publisher (`mcp/time`) has a program of its own. */
function programOfImage(image: string): string {
  const name = image.replace(/^(?:docker\.io\/)?(?:library\/)?/, '');
  return name.includes('/') ? '' : (name.split(/[:@]/)[0] ?? '');
}

function shown([name, value]: Option): string {
  return `--${name}${SWITCHES.has(name) ? '' : `=${value}`}`.slice(0, 60);
}
