/** Programs that run what they are told. None of them may be a server's command, under whatever version or ending. */

const SHELLS = new Set(
  (
    'sh bash dash ash zsh ksh mksh lksh pdksh csh tcsh fish nu xonsh elvish rbash rksh busybox toybox ' +
    'cmd powershell pwsh osascript wscript cscript'
  ).split(' '),
);

/** They start another program, which nobody has reviewed. */
const LAUNCHERS = new Set(
  (
    'env sudo doas su xargs nohup setsid script expect ssh timeout watch nice chroot ' +
    'ionice stdbuf taskset unshare nsenter strace flock parallel pkexec runuser systemd-run start-stop-daemon'
  ).split(' '),
);

/** `/usr/bin/Python3.11.exe` is `python3.11`. */
export function baseName(path: string): string {
  const last = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
  return last.toLowerCase().replace(/\.(?:exe|cmd|bat|com|ps1)$/, '');
}

/** Without a version: `python3.11` is `python`, `bash-5.2` is `bash`. */
export function programOf(path: string): string {
  return baseName(path).replace(/[-._]?\d[\d._-]*$/, '');
}

export function isShellOrLauncher(path: string): boolean {
  return [baseName(path), programOf(path)].some((name) => SHELLS.has(name) || LAUNCHERS.has(name));
}
