import type { Readable } from 'node:stream';
import { type Clock, describeError, type Logger } from '@berth/kit';
import type { OutputSink } from '@berth/runtime';
import type { Container } from 'dockerode';
import { demuxOutput } from './demux-output.ts';

/** What a container prints, on its way to a sink. */
export interface AttachedOutput {
  /** Resolves when all was handed over, or `timeoutMs` after the call: a sink may never settle. */
  finish(timeoutMs: number): Promise<void>;
  /** The beginning of stderr, for the case that nothing was executed. */
  errorText(): string;
}

const ERROR_TEXT_BYTES = 1_000;

/**
 * Attaches to a container that does not run yet, so that nothing it prints is missed. While the sink is busy the
 * connection is not read; then the engine doesn't read the container's pipes, and its program waits.
 */
export async function attachOutput(
  container: Container,
  sink: OutputSink,
  { clock, logger }: { readonly clock: Clock; readonly logger: Logger },
): Promise<AttachedOutput> {
  const source = (await container.attach({ stream: true, stdout: true, stderr: true })) as unknown as Readable;
  let errorText = Buffer.alloc(0);

  const pump = async (): Promise<void> => {
    let hasFailed = false;
    try {
      for await (const { stream, chunk } of demuxOutput(source)) {
        if (stream === 'stderr' && errorText.length < ERROR_TEXT_BYTES) errorText = Buffer.concat([errorText, chunk]);
        try {
          await sink(stream, chunk);
        } catch (error) {
          // Reading goes on: unread, the pipe would fill and stall the program.
          if (!hasFailed) logger.error({ stream, error: describeError(error) }, 'output of a container was lost');
          hasFailed = true;
        }
      }
    } catch {
      // The engine went away, or finish() gave up: there is no more.
    }
  };
  const pumped = pump();

  return {
    async finish(timeoutMs) {
      const timeout = new AbortController();
      await Promise.race([pumped, clock.sleep(timeoutMs, timeout.signal).catch(() => {})]);
      timeout.abort();
      source.destroy();
    },
    errorText: () => errorText.toString('utf8').slice(0, ERROR_TEXT_BYTES).trim(),
  };
}
