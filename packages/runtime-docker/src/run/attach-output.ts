import type { Readable } from 'node:stream';
import type { OutputSink, OutputStream } from '@berth/runtime';
import { createDelivery, OUTPUT_GIVE_UP_MS, waitAtMost } from '@berth/runtime/drivers';
import type { Container } from 'dockerode';
import type { EngineContext } from '../engine/open-engine.ts';

/** The output of a container, which goes to a sink. */
export type AttachedOutput = Awaited<ReturnType<typeof attachOutput>>;

/**
 * Attaches to a container. Attach before the start, so that no output is lost. While the sink is busy the connection isn't read, so the
 * engine doesn't read the container's pipes, and the program waits.
 */
export async function attachOutput(
  container: Container,
  sink: OutputSink,
  { clock, logger }: Pick<EngineContext, 'clock' | 'logger'>,
) {
  const source = (await container.attach({ stream: true, stdout: true, stderr: true })) as unknown as Readable;
  const delivery = createDelivery('output of a container was lost', logger);
  const pumped = (async () => {
    try {
      for await (const { stream, chunk } of demuxOutput(source)) await delivery.take(sink, stream, chunk);
    } catch {
      // The connection to the engine was lost, or finish() gave up.
    }
  })();
  return {
    /** Waits until all output was delivered, for at most `timeoutMs`, because a sink may never settle. */
    async finish(timeoutMs: number = OUTPUT_GIVE_UP_MS): Promise<void> {
      await waitAtMost(pumped, timeoutMs, clock);
      source.destroy();
    },
    errorText: delivery.errorText,
  };
}

/** Stream type, three zero bytes, length in big endian. Source: Docker Engine API, ContainerAttach, "Stream format". */
const HEADER_BYTES = 8;
const STDERR = 2;

/**
 * Splits the stream of an engine into the chunks of the container's stdout and stderr. Payload is yielded as it arrives, without waiting for
 * the end of a frame, which may have any length.
 */
export async function* demuxOutput(
  source: AsyncIterable<Buffer>,
): AsyncGenerator<{ readonly stream: OutputStream; readonly chunk: Uint8Array }> {
  let header = Buffer.alloc(0);
  let stream: OutputStream = 'stdout';
  let left = 0;
  for await (const received of source) {
    for (let rest = received; rest.length > 0; ) {
      if (left > 0) {
        const chunk = rest.subarray(0, left);
        left -= chunk.length;
        rest = rest.subarray(chunk.length);
        yield { stream, chunk };
        continue;
      }
      const missing = HEADER_BYTES - header.length;
      header = Buffer.concat([header, rest.subarray(0, missing)]);
      rest = rest.subarray(missing);
      if (header.length < HEADER_BYTES) break;
      stream = header[0] === STDERR ? 'stderr' : 'stdout';
      left = header.readUInt32BE(4);
      header = Buffer.alloc(0);
    }
  }
}
