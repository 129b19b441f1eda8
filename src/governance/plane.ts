/** Composition of the governed plane. Functions take the parts they use (`Pick<Plane, …>`), never the whole. */
import { randomUUID } from 'node:crypto';
import type { Implementation } from '@modelcontextprotocol/client';
import type { ControlPlane, UpstreamServer } from '../config/control-plane.ts';
import type { Environment } from '../config/plane-file.ts';
import type { Log } from '../shared/log.ts';
import { onceDone } from '../shared/memoize.ts';
import { openAnchor } from '../state/chain-anchor.ts';
import { openSeal } from '../state/chain-seal.ts';
import type { Operator, SampleProvider } from '../upstream/nested/operator.ts';
import type { Backends } from '../upstream/sandbox/detect.ts';
import { type Approvals, openApprovals } from './approvals/approvals.ts';
import { type Audit, type AuditOptions, openAudit } from './audit/audit.ts';
import { auditKeyFile } from './audit/key-place.ts';
import { openNotices } from './audit/noticed.ts';
import { type Catalog, openCatalog } from './catalog/catalog.ts';
import { countsByServer, type ServerCounts } from './counts.ts';
import { openEgressRecorder } from './egress.ts';
import { openLoadRecorder } from './load.ts';
import { type LoginTarget, loginTargetsFor } from './login/provider.ts';
import { tokensOf } from './login/tokens.ts';
import { approverFor, openNestedRecorder, sampleFrom } from './nested.ts';
import { type Observations, openObservations } from './observed.ts';
import { openUpstream } from './open-upstream.ts';
import { createPacedScan, type PacedScan } from './paced-scan.ts';
import type { PlaneState } from './plane-state.ts';
import { type ArgumentCheck, createArgumentCheck } from './policy/argument-check.ts';
import { policyVersion } from './policy/decide.ts';
import { type HeldResults, openHeldResults } from './results/held.ts';
import { openServers, type Servers } from './servers.ts';
import { openSignedManifests, type SignedManifests } from './signed-manifests.ts';
import { openServerSnapshots, type ServerSnapshots } from './snapshots.ts';
import { openSwitches, type Switches } from './switches.ts';
import { createRates, type Rates } from './usage.ts';

export interface PlaneOptions {
  readonly config: ControlPlane;
  readonly environment: Environment;
  readonly operator: Operator;
  /** Instead of the configured model. */
  readonly sample?: SampleProvider;
  readonly client: Implementation;
  readonly log: Log;
  readonly now?: () => number;
  /** Instead of the sandboxes that are found on this machine. */
  readonly backends?: () => Promise<Backends>;
  /** The parts of the configuration that a decision of this process changes, which is recorded as such. */
  readonly decided?: readonly string[];
  /** The page on which a person answers an approval; undefined where there is none. */
  readonly approvalUrl?: (id: string) => string | undefined;
  /** What replicas share; closed with the plane. */
  readonly shared?: PlaneState;
}

export interface Plane extends Servers {
  readonly config: ControlPlane;
  readonly approvals: Approvals;
  readonly audit: Audit;
  readonly rates: Rates;
  readonly catalog: Catalog;
  readonly snapshots: ServerSnapshots;
  readonly switches: Switches;
  readonly held: HeldResults;
  readonly scan: PacedScan;
  readonly observations: Observations;
  readonly manifests: SignedManifests;
  readonly policyVersion: string;
  readonly argumentProblem: ArgumentCheck;
  /** The id of this process: an approval with the scope `session` holds for it. */
  readonly session: string;
  readonly log: Log;
  readonly now: () => number;
  readonly approvalUrl: NonNullable<PlaneOptions['approvalUrl']>;
  /** Opens the audit log once more, for somebody who follows it. */
  openAudit(options: Pick<AuditOptions, 'follow'>): Audit;
  /** Of the servers that were used, since the process began. */
  counts(): readonly ServerCounts[];
  /** Throws when no call may run: the audit log was changed, or anybody may change the configuration. */
  ready(): Promise<void>;
  /** Throws for a server that is not reached over HTTP. */
  loginTarget(server: UpstreamServer): LoginTarget;
  close(): Promise<void>;
}

export function openPlane(options: PlaneOptions): Plane {
  const { config, environment, log, shared, now = Date.now } = options;
  const folder = config.stateDir;
  const place = { folder, files: shared?.files };
  const approvals = openApprovals({
    folder,
    shared: shared?.approvals,
    ttlSeconds: config.approvalTtlS,
    now,
  });
  const rates = createRates(config.limits.callsPerMinute, now);
  const keyFile = auditKeyFile(config, environment);
  const seal = onceDone(async () => (keyFile === undefined ? undefined : openSeal(keyFile, folder)));
  const audit = openAudit({
    folder,
    // The database has one clock for all replicas.
    now: shared ? options.now : now,
    quick: true,
    follow: { since: rates.since, onLine: rates.note },
    seal,
    anchor: anchorOf(config, { now, log }),
    notices: openNotices({ config, files: shared?.files, seal, decided: options.decided }),
    open: shared?.openChain,
  });
  const catalog = openCatalog({ ...place, now });
  const snapshots = openServerSnapshots(place);
  const switches = openSwitches({ ...place, now });
  const observations = openObservations({
    ...place,
    now,
    onObserved: ({ server, tool }, { what, detail, class: actionClass }) => {
      log('warn', 'a tool that is said to read has changed something', { server, tool, what, detail });
      audit
        .record({ event: 'observed', server, capability: tool, what, detail, class: actionClass })
        .catch((error) =>
          log('error', 'a change made by a tool could not be recorded', { error: String(error) }),
        );
    },
  });
  const manifests = openSignedManifests(folder);
  const version = policyVersion(config);
  const session = randomUUID();
  const sample = options.sample ?? sampleFrom(config.llm, environment, log);
  const approveSample = approverFor({ approvals, policyVersion: version, session, llm: config.llm });
  const loginTargets = loginTargetsFor({ config, environment, now });
  const recorders: Pick<ReturnType<typeof openNestedRecorder>, 'flush'>[] = [];
  const counted: Parameters<typeof countsByServer>[0][number][] = [];
  const { close: closeServers, ...servers } = openServers({
    config,
    environment,
    catalog,
    snapshots,
    switches,
    observations,
    manifests,
    now,
    backends: options.backends,
    open(server, verdict, backends) {
      const recorder = openNestedRecorder(audit, server.name, log);
      const upstream = openUpstream(server, verdict, {
        ...options,
        backends,
        note: recorder.note,
        approveSample,
        tokens: (one) => tokensOf({ ...loginTargets(one), folder }),
        sample,
      });
      counted.push({ server: server.name, load: upstream.load, nested: recorder.total });
      recorders.push(recorder, openLoadRecorder(audit, server.name, upstream.load, log));
      const list = verdict.confinement?.network;
      if (list)
        recorders.push(openEgressRecorder(audit, { server: server.name, list }, upstream.egress, log));
      return upstream;
    },
  });

  return {
    ...servers,
    config,
    approvals,
    audit,
    rates,
    catalog,
    snapshots,
    switches,
    observations,
    held: shared?.held ?? openHeldResults({ folder, now }),
    scan: createPacedScan(),
    manifests,
    policyVersion: version,
    argumentProblem: createArgumentCheck(),
    session,
    log,
    now,
    approvalUrl: options.approvalUrl ?? (() => undefined),
    openAudit: (options) => openAudit({ folder, open: shared?.openChain, ...options }),
    counts: () => countsByServer(counted),
    ready: () => audit.ready(),
    loginTarget: (server) => {
      const target = loginTargets(server);
      return { ...target, settings: target.settings() };
    },
    close: async () => {
      await closeServers();
      for (const recorder of recorders) await recorder.flush();
      await audit.flush();
      shared?.close();
    },
  };
}

function anchorOf({ audit: { anchor } }: ControlPlane, { now, log }: Pick<Plane, 'now' | 'log'>) {
  if (anchor === undefined) return undefined;
  const onFailure = (error: unknown) =>
    log('error', 'the end of the audit log could not be handed to its anchor', { error: String(error) });
  return openAnchor({ to: anchor, now, onFailure });
}
