import { Interrupted } from '../errors/interrupted.ts';

/** A Ctrl-C may arrive twice, from the terminal and through the launcher. */
const SAME_INTERRUPT_MS = 200;
/** 128 and the number of the signal, as shells report it. */
const EXIT_CODES = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

/** The signals that ask the process to end; SIGHUP comes when the terminal is closed. */
export type EndSignal = keyof typeof EXIT_CODES;
export const END_SIGNALS = Object.keys(EXIT_CODES) as readonly EndSignal[];

/** Creates the handling of signals that ask the process to end. */
export function createInterrupts({ exit, monotonicMs }: { exit(code: number): void; monotonicMs(): number }) {
  const controller = new AbortController();
  let takers: (() => void)[] = [];
  let lastMs = Number.NEGATIVE_INFINITY;
  return {
    /** Aborts with an {@link Interrupted} at the first signal that no handler takes. */
    signal: controller.signal,
    /** Makes the next Ctrl-C call `handler` once, until it is disposed. */
    take(handler: () => void): Disposable {
      takers.push(handler);
      return {
        [Symbol.dispose]: () => {
          takers = takers.filter((one) => one !== handler);
        },
      };
    },
    /** Call it when the process gets a signal. */
    onSignal(signal: EndSignal): void {
      const nowMs = monotonicMs();
      const isSame = nowMs - lastMs <= SAME_INTERRUPT_MS;
      lastMs = nowMs;
      if (isSame) return;
      const taker = signal === 'SIGINT' ? takers.pop() : undefined;
      if (taker) taker();
      // A second signal ends a command that hangs.
      else if (controller.signal.aborted) exit(EXIT_CODES[signal]);
      else controller.abort(new Interrupted(EXIT_CODES[signal]));
    },
  };
}
