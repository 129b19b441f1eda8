/**
 * How the processes of a sandbox are bounded. A plain user has RLIMIT_NPROC, which Linux counts for each user namespace
 * since 5.14. Root, and whoever is root outside of a namespace, is never bound by it; there the process ids of a namespace
 * around the sandbox are bounded, which each namespace has for itself since Linux 6.14.
 */
export type ProcessCount = 'rlimit' | 'namespace';

/** Undefined where the system bounds neither. */
export function processCountOf(release: string, uid: number | undefined): ProcessCount | undefined {
  if (uid === 0) return isSince(release, 6, 14) ? 'namespace' : undefined;
  return isSince(release, 5, 14) ? 'rlimit' : undefined;
}

/** For a listing: what would have to be different. */
export function whyUncounted(release: string, uid: number | undefined): string {
  if (processCountOf(release, uid) === 'namespace') return 'root may not make namespaces here';
  return uid === 0 ? 'for root Linux can since 6.14' : 'Linux can since 5.14';
}

function isSince(release: string, wantedMajor: number, wantedMinor: number): boolean {
  const [major = 0, minor = 0] = release.split('.').map(Number);
  return major > wantedMajor || (major === wantedMajor && minor >= wantedMinor);
}

/** Linux gives out the ids below to the first processes of a namespace only. */
const RESERVED_IDS = 300;
/** The first process of the namespace and the two of bubblewrap are not the server's. */
const OURS = 3;

/**
 * The first line makes sure that this is a new namespace: before 6.14 the file would be that of the whole machine. The
 * shell stays, because the first process of a namespace does not hear SIGTERM, and bubblewrap must.
 */
const SCRIPT = `[ "$(/usr/bin/cat /proc/sys/kernel/pid_max)" = 4194304 ] &&
echo "$1" > /proc/sys/kernel/pid_max && echo ${RESERVED_IDS} > /proc/sys/kernel/ns_last_pid || exit 1
shift
"$@"
exit $?`;

interface Program {
  readonly file: string;
  readonly args: readonly string[];
}

/** The program in a namespace with this many process ids. Needs root, and ends with its parent like bubblewrap itself. */
export function inCountedNamespace<T extends Program>(program: T, processes: number): T {
  const most = String(RESERVED_IDS + OURS + processes);
  const args = [
    ...['--pdeathsig', 'KILL', '--'],
    ...['/usr/bin/unshare', '--pid', '--mount-proc', '--fork', '--kill-child', '--'],
    ...['/bin/sh', '-c', SCRIPT, 'sh', most, program.file, ...program.args],
  ];
  return { ...program, file: '/usr/bin/setpriv', args };
}
