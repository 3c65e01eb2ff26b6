import type { OutputSink } from './output-sink.ts';

/** The size of a terminal, in characters. */
export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

/** A terminal that a command runs on. */
export interface TerminalSpec extends TerminalSize {
  /** The value of `TERM`, e.g. `xterm-256color`. */
  readonly type: string;
}

/** A command to run inside a running instance. */
export interface ExecSpec {
  /** The program and its arguments; no shell reads them. Empty: a shell, as {@link SHELL_COMMAND} finds it. */
  readonly command: readonly string[];
  /** The command runs on a terminal, and `output` gets everything as `stdout`. Absent: it has pipes. */
  readonly terminal?: TerminalSpec;
  /** As {@link InstanceSpec.output}: a pending promise slows the command down. */
  readonly output: OutputSink;
}

/** How a command ended. Exactly one of the two is set. */
export interface ExecExit {
  readonly exitCode: number | null;
  /** e.g. `SIGINT`. */
  readonly signal: string | null;
}

/** A signal that a client may send to its command. */
export type ExecSignal = 'SIGHUP' | 'SIGINT' | 'SIGQUIT' | 'SIGTERM';

/** A command that runs inside an instance. It ends with the instance at the latest. */
export interface ExecProcess {
  /** Resolves when all of its processes have ended and all output was delivered. Never rejects. */
  readonly exited: Promise<ExecExit>;
  /** Writes to its standard input or terminal. Resolves when there is room for more; input after its end is dropped. Never rejects. */
  write(chunk: Uint8Array): Promise<void>;
  /** Closes its standard input; on a terminal, types the end-of-file character. */
  endInput(): void;
  /** Changes the size of its terminal. Does nothing without one. */
  resize(size: TerminalSize): void;
  /** Sends a signal to its processes. */
  signal(name: ExecSignal): void;
  /** Ends all of its processes, also those that left its session. Resolves with {@link exited}. */
  kill(): Promise<ExecExit>;
}

/** The default command: `bash` where there is one, else `sh`. */
export const SHELL_COMMAND = ['sh', '-c', 'if command -v bash >/dev/null; then exec bash; else exec sh; fi'] as const;
