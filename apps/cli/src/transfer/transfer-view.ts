import type { Clock } from '@berth/kit';
import { formatBytes } from '../output/format-bytes.ts';
import { formatDuration } from '../output/format-duration.ts';
import type { Output } from '../output/output.ts';

/** The total of a transfer. */
export interface TransferTotal {
  readonly files: number;
  readonly bytes: number;
}

/** The rate is measured over the last seconds. */
const RATE_WINDOW_MS = 5_000;
const REDRAW_MS = 100;

/**
 * Shows the progress of a transfer: amount, rate, remaining time.
 * @param verb what was done with the files, such as `Uploaded`
 */
export function createTransferView(output: Output, clock: Clock, verb: string, total: TransferTotal) {
  const startedAtMs = clock.monotonicMs();
  let [files, bytes, skipped, skippedBytes] = [0, 0, 0, 0];
  let drawnAtMs = Number.NEGATIVE_INFINITY;
  let window = { sinceMs: startedAtMs, bytes: 0, rate: 0 };

  const rateNow = (nowMs: number): number => {
    const spanMs = nowMs - window.sinceMs;
    const rate = spanMs > 0 ? ((bytes - window.bytes) * 1_000) / spanMs : 0;
    if (spanMs > RATE_WINDOW_MS) window = { sinceMs: nowMs, bytes, rate };
    return spanMs > RATE_WINDOW_MS / 5 || window.rate === 0 ? rate : window.rate;
  };
  const draw = () => {
    const nowMs = clock.monotonicMs();
    if (!output.isTerminal.progress || nowMs - drawnAtMs < REDRAW_MS) return;
    drawnAtMs = nowMs;
    const leftBytes = Math.max(0, total.bytes - skippedBytes - bytes);
    const rate = rateNow(nowMs);
    const left = rate > 0 ? `, ${formatDuration((leftBytes * 1_000) / rate)} left` : '';
    const count = total.files === 1 ? '' : `${files + skipped} of ${total.files} files, `;
    output.showStatus(
      `  ${count}${formatBytes(bytes + skippedBytes)} of ${formatBytes(total.bytes)}, ${formatBytes(Math.max(0, rate))}/s${left}`,
    );
  };
  return {
    onBytes(more: number): void {
      bytes += more;
      draw();
    },
    onFile(): void {
      files++;
      draw();
    },
    /** Call it for a file that needs no transfer. */
    onSkip(sizeBytes: number): void {
      skipped++;
      skippedBytes += sizeBytes;
      draw();
    },
    /** Prints the result. */
    end(): { readonly files: number; readonly bytes: number; readonly skipped: number } {
      output.clearStatus();
      const tookMs = clock.monotonicMs() - startedAtMs;
      const { progressStyle: style } = output;
      const rate = bytes > 0 && tookMs > 0 ? `, ${formatBytes((bytes * 1_000) / tookMs)}/s` : '';
      const same = skipped > 0 ? ` (${skipped} unchanged)` : '';
      output.say(
        `${style.green(style.signs.done)} ${verb} ${files} ${files === 1 ? 'file' : 'files'}, ${formatBytes(bytes)} in ${formatDuration(tookMs)}${rate}${same}`,
      );
      return { files, bytes, skipped };
    },
  };
}
