import type { Readable } from 'node:stream';
import { type Clock, describeError, type Logger } from '@berth/kit';
import type { OutputSink } from '@berth/runtime';
import type { Container } from 'dockerode';
import { demuxOutput } from './demux-output.ts';

/** The output of a container, which goes to a sink. */
export interface AttachedOutput {
  /** Waits until all output was delivered, for at most `timeoutMs`, because a sink may never settle. */
  finish(timeoutMs: number): Promise<void>;
  /** Returns the beginning of stderr, which explains why a program wasn't executed. */
  errorText(): string;
}

const ERROR_TEXT_BYTES = 1_000;

/**
 * Attaches to a container. Attach before the start, so that no output is lost. While the sink is busy the connection isn't read, so the
 * engine doesn't read the container's pipes, and the program waits.
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
          // Keep reading, because a full pipe would stall the program.
          if (!hasFailed) logger.error({ stream, error: describeError(error) }, 'output of a container was lost');
          hasFailed = true;
        }
      }
    } catch {
      // The connection to the engine was lost, or finish() gave up.
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
