/**
 * `quire mcp add`: from a name to a server that runs. It is shown, fetched and started once in its sandbox; what it
 * offers is shown, and accepted, signed and written into the configuration file together. Nothing is written before that.
 */
import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { stateDirOf, type UpstreamServer } from '../../config/control-plane.ts';
import {
  type AddedNetwork,
  type AddedServer,
  foldersOf,
  localEntry,
  ownFiles,
  remoteEntry,
} from '../../governance/adding/entry.ts';
import { fetchPackage } from '../../governance/adding/fetch-package.ts';
import { type AddPlan, planOf } from '../../governance/adding/plan.ts';
import { targetOf } from '../../governance/adding/target.ts';
import { acceptDefinitions, isWaiting } from '../../governance/catalog/accept.ts';
import type { Comparison } from '../../governance/catalog/compare.ts';
import type { Decider } from '../../governance/decider.ts';
import { signManifest } from '../../governance/manifest.ts';
import { appendServer } from '../../governance/marketplace/append-server.ts';
import type { Plane } from '../../governance/plane.ts';
import { classify } from '../../governance/policy/classify.ts';
import { createKey, keyIds, keysFolder, publicTextOf, readKey } from '../../governance/reviewer-keys.ts';
import { presentManifest } from '../../governance/safety/judge.ts';
import { setInConfig } from '../../governance/set-in-config.ts';
import { switchServer } from '../../governance/switch-server.ts';
import { AppError } from '../../shared/errors.ts';
import { hostPortText, readHostPort } from '../../shared/host-list.ts';
import { printable } from '../../shared/printable.ts';
import { withCandidate } from './candidate.ts';
import { type McpCall, type McpCommand, type McpOutput, plainOutput } from './command.ts';
import { McpFailure } from './exit.ts';
import { type GrowingFile, growingFileOf, writeGrown } from './growing-file.ts';
import { idFor, withSignature } from './manifest.ts';
import { checkedAlias, marketplaceOf } from './marketplace.ts';
import { unconfirmed } from './person.ts';
import { checkedConfigOf } from './plane.ts';

export const add: McpCommand = {
  name: 'add',
  summary: 'add a server: see what it is, review what it offers, and use it',
  arguments: [
    {
      name: 'what',
      description: 'a name of the marketplace, an npm package, a program, or an https address',
    },
    {
      name: 'words',
      description: 'its arguments; folders among them are opened to it',
      optional: true,
      isRest: true,
    },
  ],
  options: [
    { flag: '--as <name>', description: 'what it is called here' },
    { flag: '--command', description: 'the first word is a program' },
    {
      flag: '--env <NAME=value>',
      description: 'a variable it gets; NAME alone refers to yours',
      repeatable: true,
    },
    {
      flag: '--network <host:port>',
      description: 'a host it may reach; or all, for all of the network (none unless its package needs it)',
      repeatable: true,
    },
    { flag: '--source <source>', description: 'builtin, a file, or the https address of a registry list' },
  ],
  examples: [
    ['add server-memory', 'from the marketplace, in two confirmations'],
    ['add server-filesystem ~/Documents', 'with a folder it may use'],
    ['add @scope/server@1.2.3', 'a package of npm'],
    ['add @scope/server --network api.example.com:443', 'with a host it may reach'],
    ['add --command -- node ./server.js --verbose', 'a program of yours'],
    ['add https://example.com/mcp', 'one that runs elsewhere'],
  ],
  config: 'optional',
  run,
};

async function run(call: McpCall): Promise<McpOutput> {
  if (!call.canConfirm)
    throw new McpFailure('usage', {
      message: 'quire mcp add asks a person two questions, and here is no terminal',
      hint: 'Run it in a terminal. Without one, write the entry by hand: see "By hand" in docs/operate/governance.md.',
    });
  const [first = '', ...words] = call.words;
  const { entries } = await marketplaceOf(call);
  const target = targetOf(first, words, { entries, isCommand: call.options.command === true });
  const plan = planOf(target, { env: variablesIn(call), network: networkIn(call) });
  if (plan.start.kind === 'address' && plan.network !== 'none')
    throw new AppError('invalid_input', '--network is for servers that run on this machine', {
      subject: printable(plan.start.url, 200),
      hint: 'This one runs elsewhere, with a network of its own. Leave --network out.',
    });
  const name = checkedAlias(typeof call.options.as === 'string' ? call.options.as : plan.name);
  const file = growingFileOf(call);
  const place = foldersOf(await stateDirFor(call, file), name);
  await call.tell(planLines(name, plan, file).join('\n'));
  if (!(await isYes(call, `Start ${name} once, to see what it offers?`))) return notAdded(name);
  const fetched = plan.start.kind === 'npm' ? place.package : undefined;
  try {
    const server = await entryFor(call, { name, plan, place });
    const added = await review(call, file, { text: await appendServer(file.text, server), name });
    if (added) return added;
  } catch (error) {
    if (fetched !== undefined) await rm(fetched, { recursive: true, force: true });
    throw error;
  }
  // What was fetched for a server that was not added would only be in the way.
  if (fetched !== undefined) await rm(fetched, { recursive: true, force: true });
  return notAdded(name);
}

/** `--env NAME=value`, and `--env NAME` for a variable of the environment in which Quire is started. */
function variablesIn({ options }: McpCall): Record<string, string> {
  const given = (options.env ?? []) as readonly string[];
  return Object.fromEntries(
    given.map((word) => {
      const [, name, value] = /^([A-Za-z_][A-Za-z0-9_]*)(?:=(.*))?$/s.exec(word) ?? [];
      if (name === undefined)
        throw new AppError('invalid_input', '--env must be NAME or NAME=value', {
          subject: printable(word.replace(/=.*/s, '=…'), 60),
        });
      return [name, value ?? `\${env:${name}}`];
    }),
  );
}

/** `--network all`, or a host and port each time. */
function networkIn({ options }: McpCall): AddedNetwork {
  const given = (options.network ?? []) as readonly string[];
  if (given.length === 0) return 'none';
  if (given.length === 1 && (given[0] === 'all' || given[0] === 'none')) return given[0];
  return [...new Set(given.map(checkedHostPort))];
}

function checkedHostPort(word: string): string {
  const place = readHostPort(word);
  if (typeof place !== 'string') return hostPortText(place);
  throw new AppError('invalid_input', '--network must be a host and a port, or all', {
    subject: printable(word, 100),
    hint: `${printable(word, 100)} ${place}`,
  });
}

const NETWORK_WORDS = { none: 'no network', all: 'and all of the network' } as const;

function networkWords(network: AddedNetwork): string {
  return typeof network === 'string' ? NETWORK_WORDS[network] : `and the hosts ${network.join(', ')}`;
}

async function stateDirFor(call: McpCall, { path }: GrowingFile): Promise<string> {
  const config = await checkedConfigOf(call);
  return stateDirOf(config ?? { configFolder: dirname(path) });
}

function planLines(name: string, plan: AddPlan, { path, isNew }: GrowingFile): string[] {
  const { origin, start, words, env, network } = plan;
  const runs = {
    npm: () => `node, with the package ${packageLine(plan)} fetched from npm, without its install scripts`,
    command: () => (start.kind === 'command' ? [start.command, ...start.args, ...words].join(' ') : ''),
    address: () => (start.kind === 'address' ? start.url : ''),
  }[start.kind]();
  const isHere = start.kind !== 'address';
  return [
    ...origin.map((line) => printable(line, 300)),
    `Runs:      ${printable(runs, 300)}`,
    ...(start.kind === 'npm' && words.length > 0 ? [`With:      ${printable(words.join(' '), 300)}`] : []),
    ...(isHere ? [`Sandbox:   its own folder, what it is given, ${networkWords(network)}`] : []),
    ...(Object.keys(env).length > 0 ? [`Variables: ${Object.keys(env).join(', ')}`] : []),
    `Called:    ${name}, in ${path}${isNew ? ' (a new file)' : ''}`,
  ];
}

function packageLine({ start }: AddPlan): string {
  if (start.kind !== 'npm') return '';
  const { name, version } = start.package;
  return `${name}@${version ?? 'latest'}`;
}

async function isYes(call: McpCall, question: string): Promise<boolean> {
  const answer = await call.ask(`${question} [y/N] `);
  return /^y(?:es)?$/i.test(answer?.trim() ?? '');
}

function notAdded(name: string): McpOutput {
  return plainOutput({ added: false, server: name }, `${name} was not added. Nothing was changed.`);
}

interface Preparation {
  readonly name: string;
  readonly plan: AddPlan;
  readonly place: ReturnType<typeof foldersOf>;
}

async function entryFor(call: McpCall, { name, plan, place }: Preparation): Promise<AddedServer> {
  const { start, words, network, inputs } = plan;
  if (start.kind === 'address') return remoteEntry(name, start.url);
  const { workingFolder } = call;
  const shared = { name, data: place.data, network, workingFolder };
  const env = { ...ownFiles(inputs, place.data), ...plan.env };
  if (start.kind === 'command')
    return localEntry({ ...shared, command: start.command, read: [], words: [...start.args, ...words], env });
  call.progress(`fetching ${packageLine(plan)}`);
  const { program } = await fetchPackage(start.package, place.package, call);
  return localEntry({ ...shared, command: 'node', program, read: [place.package], words, env });
}

/** Starts the server as the new text configures it; undefined when the person does not want it after all. */
async function review(
  call: McpCall,
  file: GrowingFile,
  { text, name }: { readonly text: string; readonly name: string },
): Promise<McpOutput | undefined> {
  const signed = await withKeyAndSignature(call, file, { text, name });
  return withCandidate(call, { file, text: signed }, async (plane) => {
    const server = plane.server(name);
    return switchedOn(plane, server, unconfirmed(call), async (decider) => {
      call.progress(`starting ${name}`);
      const comparison = await plane.discover(server, { signal: call.signal });
      const waiting = comparison.entries.filter(isWaiting);
      await call.tell(offerLines(server, comparison).join('\n'));
      if (!(await isYes(call, `Accept these ${waiting.length}, sign ${name} and use it?`))) return undefined;
      await acceptDefinitions(plane, comparison, { baseline: true, entries: [] }, decider);
      // The listing that `servers` and a first call look at says what is accepted.
      await plane.discover(server, { signal: call.signal });
      await writeGrown(file, signed);
      await plane.audit.record({ event: 'consented', server: name, outcome: 'approved', ...decider });
      return addedOutput(server, { file, comparison });
    });
  });
}

/** A name that was removed before is switched off, and stays so unless `add` comes to something. */
async function switchedOn<T>(
  plane: Plane,
  server: UpstreamServer,
  decider: Decider,
  add: (decider: Decider) => Promise<T | undefined>,
): Promise<T | undefined> {
  if (!(await plane.switches.of(server.name))) return add(decider);
  await switchServer(plane, server, true, decider);
  let added: T | undefined;
  try {
    added = await add(decider);
    return added;
  } finally {
    if (added === undefined) await switchServer(plane, server, false, decider);
  }
}

/** Only what runs here is signed. */
async function withKeyAndSignature(
  call: McpCall,
  file: GrowingFile,
  { text, name }: { readonly text: string; readonly name: string },
): Promise<string> {
  return withCandidate(call, { file, text }, async (plane) => {
    const server = plane.server(name);
    if (server.transport !== 'stdio') return text;
    const { manifestKeys, servers, serversKey } = plane.config;
    const key = await keyFor(call, manifestKeys);
    const { found } = await plane.verdict(server);
    const content = await presentManifest(server, found);
    const signature = signManifest(content, key.content, key.id);
    const signed = await withSignature(text, { servers, serversKey, name }, signature);
    if (Object.hasOwn(manifestKeys, key.id)) return signed;
    const others = servers.filter((one) => one.transport === 'stdio' && one.name !== name);
    if (Object.keys(manifestKeys).length === 0 && others.length > 0)
      await call.tell(
        `This is the first key of this configuration: from now on the other servers need a signature too. Sign each after a review: ${others.map((one) => `quire mcp manifest ${one.name} --sign --write`).join('; ')}`,
      );
    return setInConfig(signed, ['control_plane', 'mcp_manifest_keys', key.id], publicTextOf(key.content));
  });
}

/** A key of this person that the configuration knows, else one that it will know; made where there is none. */
async function keyFor({ environment, tell }: McpCall, known: Readonly<Record<string, string>>) {
  const folder = keysFolder(environment);
  const ids = await keyIds(folder);
  const id = ids.find((one) => Object.hasOwn(known, one)) ?? ids[0];
  if (id !== undefined) return { id, content: await readKey(folder, id) };
  const made = await createKey(folder, idFor(environment.USER || environment.LOGNAME));
  await tell(`Made a key to sign with: ${made.file} (for you alone; keep a copy in a safe place)`);
  return { id: made.id, content: await readKey(folder, made.id) };
}

const SHOWN = 60;

function offerLines(server: UpstreamServer, { entries }: Comparison): string[] {
  const waiting = entries.filter(isWaiting);
  const held = entries.filter(({ state }) => state === 'quarantined');
  const names = waiting.slice(0, SHOWN).map(({ definition }) => {
    const { name, description = '' } = definition;
    return `  ${printable(name, 60).padEnd(28)} ${classify(definition, server).padEnd(12)} ${printable(description, 80)}`;
  });
  return [
    `${server.name} offers:`,
    ...names,
    ...(waiting.length > SHOWN ? [`  … and ${waiting.length - SHOWN} more`] : []),
    ...held.map(
      ({ definition, findings }) =>
        `  ${printable(definition.name, 60).padEnd(28)} held back: ${[...new Set(findings.map(({ code }) => code))].join(', ')}`,
    ),
  ];
}

function addedOutput(
  server: UpstreamServer,
  { file, comparison }: { readonly file: GrowingFile; readonly comparison: Comparison },
): McpOutput {
  const tools = comparison.entries.filter(({ definition }) => definition.kind === 'tool');
  const first = tools.find(({ definition }) => classify(definition, server) === 'read_only') ?? tools[0];
  return plainOutput(
    {
      added: true,
      server: server.name,
      file: file.path,
      accepted: comparison.entries.filter(isWaiting).length,
    },
    `${server.name} is in ${file.path}, signed and in use.`,
    ...(first
      ? [`Try it:            quire mcp call ${server.name} ${printable(first.definition.name, 60)}`]
      : []),
    `Offer it to agents: quire serve --config ${file.path}`,
    `Take it out again:  quire mcp remove ${server.name}`,
  );
}
