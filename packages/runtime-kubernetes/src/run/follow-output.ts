import type { IncomingMessage } from 'node:http';
import { Agent, type AgentOptions, type RequestOptions, request } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { describeError, type Logger } from '@berth/kit';
import type { OutputSink } from '@berth/runtime';
import { createDelivery } from '@berth/runtime/drivers';
import type { Kube } from '../api/kube.ts';
import { CONTAINER } from '../pod/names.ts';

/** Options of {@link followOutput}. */
export interface FollowOutputOptions {
  readonly sink: OutputSink;
  /** The Pod ran before: only its output from now on, and of a few seconds before, which another process may have delivered, too. */
  readonly isAdopted: boolean;
  readonly logger: Logger;
  /** Ends it. */
  readonly signal: AbortSignal;
}

/** Longer than it takes another gateway to adopt the instances of one that was killed. */
const OVERLAP_SECONDS = 5;
const RETRY_MS = 1_000;

/**
 * Follows the output of a Pod until its container ends. The API server gives both streams as one, which is delivered as stdout. After a broken
 * connection a few seconds of output may be delivered twice.
 * @returns a promise that resolves when all output was delivered. Never rejects.
 */
export async function followOutput(
  kube: Pick<Kube, 'config'>,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  { sink, isAdopted, logger, signal }: FollowOutputOptions,
): Promise<void> {
  const delivery = createDelivery('output of an instance was lost', logger);
  // The class `Log` of the library has no handler of the response's errors, which would end this process.
  for (let isFirst = !isAdopted; !signal.aborted; isFirst = false) {
    const since = isFirst ? '' : `&sinceSeconds=${OVERLAP_SECONDS}`;
    const path = `/api/v1/namespaces/${namespace}/pods/${name}/log?container=${CONTAINER}&follow=true${since}`;
    try {
      const response = await get(kube, path, signal);
      // 400 and 404: the Pod or its container is gone.
      if (response.statusCode === 400 || response.statusCode === 404) {
        response.destroy();
        return;
      }
      if (response.statusCode !== 200) throw new Error(`the API server answered ${response.statusCode}`);
      for await (const chunk of response) await delivery.take(sink, 'stdout', chunk as Buffer);
      return;
    } catch (error) {
      if (signal.aborted) return;
      logger.warn({ pod: name, error: describeError(error) }, 'the output of an instance was interrupted; will retry');
      await sleep(RETRY_MS, undefined, { signal }).catch(() => {});
    }
  }
}

async function get({ config }: Pick<Kube, 'config'>, path: string, signal: AbortSignal): Promise<IncomingMessage> {
  const options: RequestOptions = {};
  await config.applyToHTTPSOptions(options as Parameters<typeof config.applyToHTTPSOptions>[0]);
  const agent = new Agent(options as AgentOptions);
  return new Promise((resolve, reject) => {
    const sent = request(`${config.getCurrentCluster()?.server}${path}`, { ...options, agent, signal }, resolve);
    sent.on('error', reject);
    sent.end();
  });
}
