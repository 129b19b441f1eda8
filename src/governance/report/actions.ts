/** What is best done next, the most severe first. Each names a command. */
import type { Posture } from '../posture.ts';
import type { ApprovalCounts, DefinitionChange } from './report.ts';

export interface RecommendedAction {
  readonly severity: 'high' | 'medium' | 'low';
  readonly action: string;
  readonly command: string;
}

interface ActionFacts {
  readonly postures: readonly Posture[];
  readonly changes: readonly DefinitionChange[];
  readonly approvals: ApprovalCounts;
  readonly unusedRules: number;
}

const MAX_ACTIONS = 10;
const ORDER: readonly RecommendedAction['severity'][] = ['high', 'medium', 'low'];

export function actionsFor({ postures, changes, approvals, unusedRules }: ActionFacts): RecommendedAction[] {
  const actions = [
    ...postures.flatMap(forServer),
    ...[...new Set(changes.map(({ server }) => server))].map((server) => forChanges(server, changes)),
    ...(approvals.pending > 0
      ? [
          action(
            'medium',
            `${approvals.pending} approvals wait for an answer`,
            'quire mcp approvals list --state pending',
          ),
        ]
      : []),
    ...(unusedRules > 0
      ? [action('low', `${unusedRules} rules decided nothing`, 'quire mcp exposure --all')]
      : []),
  ];
  return actions.sort((a, b) => ORDER.indexOf(a.severity) - ORDER.indexOf(b.severity)).slice(0, MAX_ACTIONS);
}

function forServer({ server, status, entries, manifest, seenAt, score }: Posture): RecommendedAction[] {
  const { name } = server;
  if (status === 'disabled') return [];
  if (status === 'blocked') return [action('medium', `${name} is blocked`, `quire mcp doctor ${name}`)];
  if (status === 'consent')
    return [action('low', `Nobody has agreed to use ${name}`, `quire mcp doctor ${name}`)];
  const isQuarantined = entries.some(({ state }) => state === 'quarantined');
  return [
    ...(isQuarantined
      ? [
          action(
            'high',
            `${name} offers definitions that hold something dangerous`,
            `quire mcp discover ${name} --full`,
          ),
        ]
      : []),
    ...(seenAt === undefined
      ? [action('low', `${name} was never asked what it offers`, `quire mcp discover ${name}`)]
      : []),
    ...(manifest === 'unverified'
      ? [action('low', `Nobody has signed how ${name} is started`, `quire mcp manifest ${name}`)]
      : []),
    ...(score.score < 50
      ? [action('medium', `${name} scores ${score.score}`, `quire mcp score ${name} --explain`)]
      : []),
  ];
}

function forChanges(server: string, changes: readonly DefinitionChange[]): RecommendedAction {
  const own = changes.filter((one) => one.server === server);
  const isChanged = own.some(({ change }) => change === 'changed');
  return action(
    isChanged ? 'high' : 'medium',
    `${own.length} definitions of ${server} are not those that were accepted`,
    `quire mcp discover ${server} --full`,
  );
}

function action(severity: RecommendedAction['severity'], text: string, command: string): RecommendedAction {
  return { severity, action: text, command };
}
