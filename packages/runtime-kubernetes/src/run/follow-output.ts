import { Writable } from 'node:stream';
import type { Logger } from '@berth/kit';
import type { OutputSink } from '@berth/runtime';
import { createDelivery } from '@berth/runtime/drivers';
import { Log } from '@kubernetes/client-node';
import type { Kube } from '../api/kube.ts';
import { CONTAINER } from '../pod/names.ts';

/**
 * Follows the output of a Pod until its container ends. The API server gives both streams as one, which is delivered as stdout.
 * @returns a promise that resolves when all output was delivered. Never rejects.
 */
export async function followOutput(
  { config }: Pick<Kube, 'config'>,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  sink: OutputSink,
  logger: Logger,
): Promise<void> {
  const delivery = createDelivery('output of an instance was lost', logger);
  const { promise, resolve } = Promise.withResolvers<void>();
  const stream = new Writable({
    write(chunk: Uint8Array, _encoding, done) {
      void delivery.take(sink, 'stdout', chunk).then(() => done());
    },
    final(done) {
      done();
      resolve();
    },
    destroy(error, done) {
      done(error);
      resolve();
    },
  });
  stream.on('error', resolve);
  try {
    await new Log(config).log(namespace, name, CONTAINER, stream, { follow: true });
    await promise;
  } catch (error) {
    logger.warn({ pod: name, error: String(error) }, 'the output of an instance could not be read');
  }
}
