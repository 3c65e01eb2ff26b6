import type { Clock, Timer } from '@berth/kit';
import { formatDuration } from '../output/format-duration.ts';
import type { Output } from '../output/output.ts';

/** Quick enough to look alive, slow enough to cost nothing. */
const FRAME_MS = 100;

/** Creates the status line of a terminal: what runs, and for how long. It shows nothing without a terminal. */
export function createSpinner(output: Output, clock: Clock) {
  const { progressStyle: style } = output;
  const { spinner: frames } = style.signs;
  let timer: Timer | undefined;
  const stop = () => {
    timer?.cancel();
    timer = undefined;
    output.clearStatus();
  };
  return {
    /** Shows `what`, from zero seconds. */
    start(what: string): void {
      stop();
      if (!output.isTerminal.progress) return;
      const startedAtMs = clock.monotonicMs();
      const draw = () => {
        const elapsedMs = clock.monotonicMs() - startedAtMs;
        const frame = frames[Math.floor(elapsedMs / FRAME_MS) % frames.length] ?? '';
        output.showStatus(`${style.cyan(frame)} ${what} ${style.dim(formatDuration(elapsedMs))}`);
        timer = clock.setTimer(FRAME_MS, draw);
      };
      draw();
    },
    stop,
    [Symbol.dispose]: stop,
  };
}
