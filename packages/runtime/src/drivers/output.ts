import { type Clock, describeError, type Logger, runInBackground } from '@berth/kit';
import type { OutputSink, OutputStream } from '../output-sink.ts';

const ERROR_TEXT_BYTES = 1_000;
/** Maximum wait for a sink to take the rest of a program's output. */
export const OUTPUT_GIVE_UP_MS = 5_000;

/**
 * Returns what delivers a program's output to a sink. A sink's error is logged once for each stream, with the text `lost`; output is still
 * read then, because a full pipe would stall the program.
 */
export function createDelivery(lost: string, logger: Logger) {
  const failed = new Set<OutputStream>();
  let errorText = Buffer.alloc(0);
  return {
    /** Delivers one chunk. Never rejects. */
    async take(sink: OutputSink, stream: OutputStream, chunk: Uint8Array): Promise<void> {
      if (stream === 'stderr' && errorText.length < ERROR_TEXT_BYTES) errorText = Buffer.concat([errorText, chunk]);
      try {
        await sink(stream, chunk);
      } catch (error) {
        if (!failed.has(stream)) logger.error({ stream, error: describeError(error) }, lost);
        failed.add(stream);
      }
    },
    /** Returns the beginning of stderr, which explains why a program wasn't executed. */
    errorText: () => errorText.toString('utf8').slice(0, ERROR_TEXT_BYTES).trim(),
  };
}

/** Writes a line of the platform to a service's output. */
export function writeNote(sink: OutputSink, text: string, logger: Logger): void {
  const line = new TextEncoder().encode(`berth: ${text}\n`);
  runInBackground('write a note to the output', (async () => sink('stderr', line))(), logger);
}

/** Waits until `work` settles, for at most `timeoutMs`. @throws what `work` throws. */
export async function waitAtMost(work: Promise<unknown>, timeoutMs: number, clock: Clock): Promise<void> {
  const over = new AbortController();
  try {
    await Promise.race([work, clock.sleep(timeoutMs, over.signal).catch(() => {})]);
  } finally {
    over.abort();
  }
}
