import { Interrupted } from '../errors/interrupted.ts';

/** Ctrl-C, and what else asks the process to end. */
export interface Interrupts {
  /** Aborts at the first one that nobody takes, with an {@link Interrupted}. */
  readonly signal: AbortSignal;
  /** Has the next Ctrl-C do something else, once; the one after it is an ordinary one again. */
  take(handler: () => void): Disposable;
  /** To be called when the process gets a signal. */
  onSignal(signal: 'SIGINT' | 'SIGTERM'): void;
}

/** One Ctrl-C may come twice, from the terminal and through the launcher. */
const SAME_INTERRUPT_MS = 200;
const EXIT_CODES = { SIGINT: 130, SIGTERM: 143 } as const;

/** Creates {@link Interrupts}. */
export function createInterrupts(options: { exit(code: number): void; monotonicMs(): number }): Interrupts {
  const { exit, monotonicMs } = options;
  const controller = new AbortController();
  let takers: (() => void)[] = [];
  let lastMs = Number.NEGATIVE_INFINITY;
  return {
    signal: controller.signal,
    take(handler) {
      takers.push(handler);
      return {
        [Symbol.dispose]: () => {
          takers = takers.filter((one) => one !== handler);
        },
      };
    },
    onSignal(signal) {
      const nowMs = monotonicMs();
      const isSame = nowMs - lastMs <= SAME_INTERRUPT_MS;
      lastMs = nowMs;
      if (isSame) return;
      const taker = signal === 'SIGINT' ? takers.pop() : undefined;
      if (taker) taker();
      // The second one is for a command that does not end.
      else if (controller.signal.aborted) exit(EXIT_CODES[signal]);
      else controller.abort(new Interrupted(EXIT_CODES[signal]));
    },
  };
}
