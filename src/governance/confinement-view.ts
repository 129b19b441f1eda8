/** What a server runs in, for people and scripts: the listing, `call --verbose`, the doctor and the console show the same. */
import { release } from 'node:os';
import type { UpstreamServer } from '../config/control-plane.ts';
import { type Confinement, isConfined } from '../upstream/sandbox/confinement.ts';
import { whyUncounted } from '../upstream/sandbox/process-count.ts';

/** A few words: `restricted (bwrap)`, `NONE, waived until 2026-12-31`. */
export function confinementText(
  { transport, sandboxProfile }: Pick<UpstreamServer, 'transport' | 'sandboxProfile'>,
  confinement: Confinement | undefined,
): string {
  if (transport !== 'stdio') return '-';
  if (!confinement) return sandboxProfile ?? 'none';
  const { backend, profile, waiver, network } = confinement;
  if (isConfined(confinement)) return `${profile} (${backend}${network ? `, ${hostsText(network)}` : ''})`;
  return waiver ? `NONE, waived until ${waiver.until}` : 'NONE (policy: warn)';
}

function hostsText(network: readonly string[]): string {
  return network.length === 1 ? `${network[0]}` : `${network.length} hosts`;
}

/** True: all of it; a list: these hosts and ports alone. */
function networkOf(confinement: Confinement): boolean | readonly string[] {
  if (!isConfined(confinement)) return true;
  return confinement.network ?? confinement.profile === 'network';
}

function networkText(network: boolean | readonly string[]): string {
  if (typeof network === 'boolean') return network ? 'open' : 'none';
  return `only ${network.join(', ')}`;
}

/** Why a server runs without a sandbox; undefined for one that has one, or runs elsewhere. */
export function bareWarning(confinement: Confinement | undefined): string | undefined {
  return confinement && !isConfined(confinement) ? confinement.warnings[0] : undefined;
}

/** Named values, in the order in which they are shown. */
export function confinementFacts(
  confinement: Confinement,
): (readonly [name: string, value: string | undefined])[] {
  const { backend, profile, cwd, read, write, masked, bounds, waiver } = confinement;
  const isOpen = !isConfined(confinement);
  const facts: [string, string | undefined][] = [
    ['sandbox', isOpen ? 'NONE: it can do all that Quire can' : `${backend}, profile ${profile}`],
    ['waiver', waiver && `by ${waiver.by}, until ${waiver.until}: ${waiver.why}`],
    ['folder', cwd ? pathText(cwd) : 'a new one for each start'],
    ['reads', isOpen ? 'everything' : ['the system (/usr)', ...read.map(pathText)].join(', ')],
    ['writes', write.length > 0 && !isOpen ? write.map(pathText).join(', ') : undefined],
    ['hidden', masked.length > 0 ? masked.map(({ path }) => path).join(', ') : undefined],
    ['network', networkText(networkOf(confinement))],
    ['limits', bounds ? boundsText(confinement, bounds) : 'none'],
  ];
  return facts.filter(([, value]) => value !== undefined);
}

export function confinementLines(confinement: Confinement): string[] {
  return confinementFacts(confinement).map(([name, value]) => `${name}: ${value}`);
}

function pathText({ path, realPath }: { readonly path: string; readonly realPath: string }): string {
  return path === realPath ? path : `${path} (${realPath})`;
}

function boundsText({ isSealed }: Confinement, bounds: NonNullable<Confinement['bounds']>): string {
  const { memoryMb, processes, cpuS, tmpMb, openFiles } = bounds;
  return [
    `${memoryMb} MB of memory and ${cpuS} s of processor time per process`,
    processes === undefined
      ? `processes not bounded (${whyUncounted(release(), process.getuid?.())})`
      : `${processes} processes and threads`,
    `${openFiles} open files`,
    isSealed ? `${tmpMb} MB in /tmp` : '/tmp not bounded',
    isSealed ? 'no user namespaces' : 'user namespaces',
  ].join(', ');
}

/** For `--json`. */
export function confinementData(confinement: Confinement | undefined) {
  if (!confinement) return null;
  const { backend, profile, cwd, read, write, masked, bounds, isSealed, waiver, warnings } = confinement;
  const placedData = ({ path, realPath }: { path: string; realPath: string }) => ({
    path,
    resolved: realPath,
  });
  return {
    backend: backend === 'process' ? null : backend,
    profile,
    cwd: cwd ? placedData(cwd) : null,
    read: read.map(placedData),
    write: write.map(placedData),
    hidden: masked.map(({ path }) => path),
    network: networkOf(confinement),
    limits: bounds
      ? {
          memory_mb: bounds.memoryMb,
          processes: bounds.processes ?? null,
          cpu_s: bounds.cpuS,
          tmp_mb: isSealed ? bounds.tmpMb : null,
          open_files: bounds.openFiles,
        }
      : null,
    user_namespaces: !isSealed,
    waiver: waiver ?? null,
    warnings,
  };
}
