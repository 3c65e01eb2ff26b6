import type { UploadProgress } from '@berth/client';
import type { Clock } from '@berth/kit';
import { formatBytes } from '../output/format-bytes.ts';
import { formatDuration } from '../output/format-duration.ts';
import type { Output } from '../output/output.ts';

/** The bar, and the words around it; a line that wraps can't be replaced. */
const BAR_COLUMNS = 24;
const WORD_COLUMNS = 34;
/** Without a terminal, a line is printed at each of these shares of a large upload. */
const LINE_STEP_RATIO = 0.25;
/** Smaller uploads end before a line could be read. */
const LINES_FROM_BYTES = 10 * 1024 * 1024;

/** Shows an upload: a bar on a terminal, a few lines elsewhere. */
export function createUploadView(output: Output, clock: Clock) {
  const { progressStyle: style } = output;
  const { signs } = style;
  const startedAtMs = clock.monotonicMs();
  let nextLineRatio = LINE_STEP_RATIO;
  let isEnded = false;
  let totalBytes = 0;
  return {
    update(progress: UploadProgress): void {
      totalBytes = progress.totalBytes;
      const ratio = totalBytes === 0 ? 1 : progress.sentBytes / totalBytes;
      if (output.isTerminal.progress) {
        const barColumns = Math.max(0, Math.min(BAR_COLUMNS, output.columns - WORD_COLUMNS));
        const filled = Math.round(ratio * barColumns);
        const bar = style.cyan(signs.filled.repeat(filled)) + style.dim(signs.empty.repeat(barColumns - filled));
        const percent = `${Math.floor(ratio * 100)}%`.padStart(4);
        output.showStatus(`  Uploading ${bar} ${percent} of ${formatBytes(totalBytes)}`);
      } else if (totalBytes >= LINES_FROM_BYTES && ratio >= nextLineRatio && ratio < 1) {
        output.say(`  Uploaded ${Math.floor(ratio * 100)}% of ${formatBytes(totalBytes)}`);
        nextLineRatio = ratio + LINE_STEP_RATIO;
      }
    },
    /** Call it when everything is sent. */
    end(): void {
      if (isEnded) return;
      isEnded = true;
      output.clearStatus();
      if (totalBytes === 0) return;
      const took = formatDuration(clock.monotonicMs() - startedAtMs);
      output.say(`${style.green(signs.done)} Uploaded ${formatBytes(totalBytes)} in ${took}`);
    },
  };
}
