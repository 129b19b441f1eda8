/** `quire mcp discover <server>`: lists the capabilities of a server, their review state and their changes since. */
import type { UpstreamServer } from '../../config/control-plane.ts';
import {
  type Acceptance,
  acceptDefinitions,
  isWaiting,
  preselectedOf,
} from '../../governance/catalog/accept.ts';
import type { Comparison } from '../../governance/catalog/compare.ts';
import { confinementData } from '../../governance/confinement-view.ts';
import type { Plane } from '../../governance/plane.ts';
import { type ClassVerdict, classVerdict } from '../../governance/policy/classify.ts';
import { decide } from '../../governance/policy/decide.ts';
import type { CatalogEntry, Decision } from '../../governance/types.ts';
import { AppError } from '../../shared/errors.ts';
import { printable } from '../../shared/printable.ts';
import type { CapabilityKind } from '../../upstream/definition.ts';
import type { Confinement } from '../../upstream/sandbox/confinement.ts';
import { type Column, tableOf, type View } from '../table.ts';
import { type McpCall, type McpCommand, SERVER } from './command.ts';
import { confirmed, KEY_FILE, unconfirmed } from './person.ts';
import { noteConfinement, withServer } from './plane.ts';

interface AcceptedNames {
  readonly names: readonly string[];
  /** Names that the server no longer offers. */
  readonly gone: readonly string[];
}

/** Undefined where nothing is accepted: without a flag, and by a person who says no. */
async function acceptFrom(
  plane: Pick<Plane, 'catalog' | 'audit' | 'config'>,
  server: UpstreamServer,
  { comparison, call }: { comparison: Comparison; call: McpCall },
): Promise<AcceptedNames | undefined> {
  const names = (call.options.accept ?? []) as readonly string[];
  const baseline = call.options.acceptBaseline === true;
  const clean = preselectedOf(comparison, server);
  const isNamed = baseline || names.length > 0;
  const isAsked = isNamed || call.options.acceptClean === true;
  if (!isAsked && !(await isConfirmed(clean, call))) return undefined;
  const chosen = names.flatMap((name) => entriesNamed(comparison, name));
  const takesClean = !baseline && (call.options.acceptClean === true || !isNamed);
  const preselected = takesClean ? clean : { entries: [], instructions: false };
  const entries = [...new Set([...chosen, ...preselected.entries])];
  const acceptance = { baseline, entries, instructions: preselected.instructions };
  const decider = isAsked
    ? await confirmed(call, plane.config, acceptQuestion(comparison, acceptance))
    : unconfirmed(call);
  const accepted = await acceptDefinitions(plane, comparison, acceptance, decider);
  noteLeft(comparison, accepted.entries, call);
  return {
    names: accepted.entries.map(({ definition }) => printable(definition.name, 200)),
    gone: accepted.gone.map((name) => printable(name, 200)),
  };
}

const SHOWN = 30;

function acceptQuestion({ server, entries }: Comparison, { baseline, entries: chosen }: Acceptance): string {
  const all = [...chosen, ...(baseline ? entries.filter(isWaiting) : [])];
  const lines = all
    .slice(0, SHOWN)
    .map(({ state, definition: { kind, name } }) => `  ${state} ${kind} ${printable(name, 100)}`);
  const more = all.length > SHOWN ? [`  and ${all.length - SHOWN} more`] : [];
  return [`Definitions of ${server}, as they are now:`, ...lines, ...more, 'Accept them?'].join('\n');
}

/** On a terminal one answer accepts what is preselected. */
async function isConfirmed({ entries }: Pick<Acceptance, 'entries'>, call: McpCall): Promise<boolean> {
  if (!call.canConfirm || entries.length === 0) return false;
  const names = entries.slice(0, SHOWN).map(({ definition }) => printable(definition.name, 60));
  const more = entries.length > SHOWN ? ` and ${entries.length - SHOWN} more` : '';
  const said = await call.ask(
    `New, only reading, and nothing was found in them: ${names.join(', ')}${more}\nAccept these ${entries.length}? [y/N] `,
    { signal: call.signal },
  );
  return /^y(?:es)?$/i.test(said?.trim() ?? '');
}

/** The next command, for what waits for a review. */
function noteWaiting(comparison: Comparison, server: UpstreamServer, call: McpCall): void {
  const waiting = comparison.entries.filter(isWaiting).length;
  if (waiting === 0) return;
  const clean = preselectedOf(comparison, server).entries.length;
  const next = `quire mcp discover ${server.name}`;
  call.note(
    `${waiting} wait for a review. Read them: ${next} --full.${clean > 0 ? ` Accept the ${clean} that only read and in which nothing was found: ${next} --accept-clean.` : ''} Accept all: ${next} --accept-baseline`,
  );
  if (comparison.isFirst && server.trust !== 'untrusted')
    call.note(
      `To use the first definitions of ${server.name} unseen, as in earlier versions: first_definitions: accept in its entry.`,
    );
}

function entriesNamed({ entries, server }: Comparison, name: string): CatalogEntry[] {
  const found = entries.filter(({ definition }) => definition.name === name);
  if (found.length > 0) return found;
  throw new AppError('not_found', 'The server offers nothing of this name', {
    subject: printable(name, 100),
    hint: `See what there is: quire mcp discover ${server}`,
  });
}

function noteLeft({ entries, server }: Comparison, accepted: readonly CatalogEntry[], call: McpCall): void {
  const left = entries.filter((entry) => entry.state === 'quarantined' && !accepted.includes(entry));
  const [first] = left;
  if (first)
    call.note(
      `${left.length} quarantined, not accepted. Read quire mcp discover ${server} --full; then, one by one: --accept ${printable(first.definition.name, 100)}`,
    );
}

interface CapabilityRow {
  readonly entry: CatalogEntry;
  readonly class: ClassVerdict;
  readonly decision: Decision;
}

const SHORT = 8;
const DESCRIPTION = 60;

function columns(full: boolean): readonly Column<CapabilityRow>[] {
  const description = ({ entry }: CapabilityRow) => entry.definition.description ?? '';
  return [
    { title: 'Kind', value: ({ entry }) => entry.definition.kind, min: 6, priority: 4 },
    { title: 'Name', value: ({ entry }) => entry.definition.name, min: 16, priority: 8 },
    {
      title: 'Class',
      value: (row) => (full ? `${row.class.class} (${row.class.source})` : row.class.class),
      min: 9,
      priority: 5,
    },
    { title: 'State', value: ({ entry }) => entry.state, min: 8, priority: 7 },
    { title: 'Effect', value: ({ decision }) => decision.outcome, min: 6, priority: 6 },
    {
      title: 'Fingerprint',
      value: ({ entry }) => (full ? entry.fingerprint : entry.fingerprint.slice(0, SHORT)),
      min: SHORT,
      priority: 1,
    },
    {
      title: 'Finding',
      value: ({ entry }) => [...new Set(entry.findings.map(({ code }) => code))].join(', '),
      min: 7,
      priority: 3,
    },
    {
      title: 'Description',
      value: (row) => (full ? description(row) : printable(description(row), DESCRIPTION)),
      min: 12,
      priority: 2,
    },
  ];
}

const KINDS: Readonly<Record<string, CapabilityKind>> = {
  tools: 'tool',
  resources: 'resource',
  templates: 'template',
  prompts: 'prompt',
};

export const discover: McpCommand = {
  name: 'discover',
  summary: 'what a server offers, what changed, and what is not reviewed yet',
  arguments: [SERVER],
  options: [
    {
      flag: '--kind <kinds>',
      description: 'only tools, resources, templates, prompts (with commas between)',
      choices: ['tools', 'resources', 'templates', 'prompts'],
    },
    {
      flag: '--accept-clean',
      description: 'accept what is new, only reads, and in which nothing was found',
    },
    {
      flag: '--accept-baseline',
      description: 'accept what is new, changed or gone; never what is quarantined',
    },
    {
      flag: '--accept <name>',
      description: 'accept this one as it is, whatever was found in it',
      repeatable: true,
    },
    KEY_FILE,
    { flag: '--full', description: 'whole descriptions, fingerprints, findings and differences' },
  ],
  examples: [
    ['discover memory', 'connect, and list what it offers'],
    ['discover memory --full', 'with everything there is to read before accepting'],
    ['discover memory --accept-clean', 'accept what only reads, and look at the rest later'],
    ['discover memory --accept-baseline', 'you have looked, and it may be used as it is'],
  ],
  run: (call) =>
    withServer(call, async (plane, server) => {
      const { signal, options } = call;
      const kinds = kindsOf(options.kind);
      const full = options.full === true;
      const { confinement } = await plane.verdict(server);
      noteConfinement(call, server, confinement);
      call.progress(`asking ${server.name}`);
      const found = await plane.discover(server, { signal });
      const accepted = await acceptFrom(plane, server, { comparison: found, call });
      const comparison = accepted ? await plane.discover(server, { signal }) : found;
      noteWaiting(comparison, server, call);
      const facts = await (await plane.upstream(server)).connect(signal);
      const rows = comparison.entries
        .filter(({ definition }) => kinds.includes(definition.kind))
        .map((entry) => rowOf(plane, server, entry));
      const shown: DiscoverView = {
        comparison,
        rows,
        full,
        protocol: facts.protocolVersion ?? 'unknown',
        serverVersion: facts.server?.version ?? 'unknown',
        accepted,
        confinement,
      };
      return { data: dataOf(shown), lines: (view) => linesOf(shown, view) };
    }),
};

interface DiscoverView {
  readonly comparison: Comparison;
  readonly rows: readonly CapabilityRow[];
  readonly full: boolean;
  readonly protocol: string;
  readonly serverVersion: string;
  readonly accepted?: AcceptedNames;
  readonly confinement: Confinement | undefined;
}

function rowOf(
  { config }: Pick<Plane, 'config'>,
  server: UpstreamServer,
  entry: CatalogEntry,
): CapabilityRow {
  return {
    entry,
    class: classVerdict(entry.definition, server, entry.observed),
    decision: decide({ server, entry, rejections: [] }, config),
  };
}

function kindsOf(given: unknown): readonly CapabilityKind[] {
  if (given === undefined) return Object.values(KINDS);
  return String(given)
    .split(',')
    .map((word) => {
      const kind = Object.hasOwn(KINDS, word.trim()) ? KINDS[word.trim()] : undefined;
      if (kind !== undefined) return kind;
      throw new AppError('invalid_input', 'Unknown kind', {
        subject: printable(word, 40),
        hint: `Use some of: ${Object.keys(KINDS).join(',')}`,
      });
    });
}

function linesOf(shown: DiscoverView, view: View) {
  const { rows, full, accepted, comparison } = shown;
  const { lines, hidden } = tableOf(columns(full), rows, view);
  return {
    lines: [
      ...lines,
      ...(full ? findingLines(rows) : []),
      ...changeLines(comparison, full),
      ...instructionLines(comparison, full),
      ...(accepted ? [`accepted: ${[...accepted.names, ...accepted.gone].join(', ') || 'nothing new'}`] : []),
      footerOf(shown),
    ],
    hidden,
  };
}

function findingLines(rows: readonly CapabilityRow[]): string[] {
  return rows.flatMap(({ entry: { definition, findings, observed } }) => [
    ...findings.map(
      ({ severity, code, where, excerpt }) =>
        `${severity} ${code} in ${printable(definition.name, 100)} ${printable(where, 100)}: ${printable(excerpt, 200)}`,
    ),
    ...(observed
      ? [`seen to change something: ${printable(definition.name, 100)} ${observed.what}: ${observed.detail}`]
      : []),
  ]);
}

const FEW_LINES = 6;

/** Changes are printed without --full too, so that none goes unseen. */
function changeLines({ changes }: Comparison, full: boolean): string[] {
  return changes.flatMap(({ change, kind, name, possibleRenameOf, diff }) => {
    const rename =
      possibleRenameOf === undefined ? '' : ` (possible rename of ${printable(possibleRenameOf, 100)})`;
    const shown = full ? diff : diff.slice(0, FEW_LINES);
    const more = diff.length - shown.length;
    return [
      `${change} ${kind} ${printable(name, 100)}${rename}`,
      ...shown.map((line) => `  ${printable(line, 400)}`),
      ...(more > 0 ? [`  … ${more} more lines (--full)`] : []),
    ];
  });
}

function instructionLines({ instructions }: Comparison, full: boolean): string[] {
  if (!instructions || (instructions.state === 'approved' && !full)) return [];
  return [`instructions (${instructions.state}): ${printable(instructions.text, full ? 4_000 : 200)}`];
}

function countsOf({ changes, entries, isFirst }: Comparison) {
  const count = (what: string) => changes.filter(({ change }) => change === what).length;
  return {
    new: isFirst ? entries.length : count('new'),
    changed: count('changed'),
    removed: count('removed'),
  };
}

function footerOf({ comparison, protocol, serverVersion }: DiscoverView): string {
  const counts = countsOf(comparison);
  const facts = `protocol ${printable(protocol, 40)}, server version ${printable(serverVersion, 80)}`;
  return `${facts}, ${counts.new} new, ${counts.changed} changed, ${counts.removed} removed`;
}

function dataOf({ comparison, rows, protocol, serverVersion, accepted, confinement }: DiscoverView) {
  const { server, changes, instructions } = comparison;
  return {
    server,
    protocol,
    server_version: serverVersion,
    ...countsOf(comparison),
    capabilities: rows.map(({ entry, class: actionClass, decision }) => ({
      kind: entry.definition.kind,
      name: entry.definition.name,
      class: actionClass.class,
      class_source: actionClass.source,
      state: entry.state,
      effect: decision.outcome,
      rule: decision.rule,
      code: decision.code,
      fingerprint: entry.fingerprint,
      findings: entry.findings,
      observed: entry.observed ?? null,
      description: entry.definition.description ?? null,
    })),
    changes: changes.map(({ possibleRenameOf, ...change }) => ({
      ...change,
      possible_rename_of: possibleRenameOf ?? null,
    })),
    instructions: instructions
      ? { state: instructions.state, fingerprint: instructions.fingerprint, findings: instructions.findings }
      : null,
    accepted: accepted ?? null,
    confinement: confinementData(confinement),
  };
}
