import type { ExecSignal } from '../exec.ts';

/** The variable that marks the processes of a command in a container, where no parent or session tells them from the program's own. */
export const SESSION_MARK = 'BERTH_SESSION';

/** Source of the script for `sh -c`; `$1` is the signal, `$2` the mark. It can signal the processes of its own user. */
const SIGNAL_SCRIPT = `for p in /proc/[0-9]*; do if tr '\\0' '\\n' <"$p/environ" | grep -qx "${SESSION_MARK}=$2"; then kill -s "$1" "\${p#/proc/}"; fi; done 2>/dev/null`;

/** Returns the command that sends a signal to all processes of a container with a mark. It needs `sh`, `tr` and `grep` in the image. */
export function signalMarked(mark: string, signal: ExecSignal | 'SIGKILL'): string[] {
  return ['sh', '-c', SIGNAL_SCRIPT, 'sh', signal.slice('SIG'.length), mark];
}
