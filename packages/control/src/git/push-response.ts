import type { DeployEvent } from '@berth/contract';
import { createPushReporter, type PushResult } from '@berth/git';
import { BerthError, describeError, type Logger, runInBackground } from '@berth/kit';
import type { FollowDeploy } from '../deployments/deploys/events/follow-deploy.ts';
import type { GitPushes, ReceivedPush } from './create-git-pushes.ts';

export interface PushResponseOptions {
  readonly pushes: Pick<GitPushes, 'accept'>;
  readonly follow: FollowDeploy;
  readonly logger: Logger;
  readonly hasSideband: boolean;
  /** The push, without its `say`; undefined when nothing is deployed. */
  readonly push: Omit<ReceivedPush, 'say'> | undefined;
  /** The results of other references. */
  readonly results: readonly PushResult[];
  /** Called when the push was accepted or refused. */
  release(): Promise<void>;
}

/**
 * Returns the body of the response to a push: progress while the deploy runs, then the results. The work goes on when the client
 * disconnects.
 */
export function pushResponse(options: PushResponseOptions): ReadableStream<Uint8Array> {
  const { pushes, follow, logger, push, results } = options;
  const reporter = createPushReporter(options.hasSideband);
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>({}, { highWaterMark: 64 });
  const writer = writable.getWriter();
  const gone = new AbortController();
  writer.closed.catch(() => gone.abort());
  /** Resolves when the client has read it, or is gone. */
  const send = async (bytes: Uint8Array): Promise<void> => {
    if (bytes.length > 0 && !gone.signal.aborted) await writer.write(bytes).catch(() => gone.abort());
  };

  const accept = async (
    accepted: Omit<ReceivedPush, 'say'>,
  ): Promise<{ readonly id: string } | { readonly problem: string }> => {
    try {
      // Not awaited: a client that reads slowly must not hold up the push.
      return { id: await pushes.accept({ ...accepted, say: (line) => void send(reporter.progress(line)) }) };
    } catch (error) {
      if (BerthError.is(error) && error.code !== 'internal') return { problem: error.message };
      logger.error({ error: describeError(error) }, 'a push failed');
      return { problem: 'an internal error; try again' };
    } finally {
      await options.release();
    }
  };

  /** Shows the deploy's events. @returns why it failed */
  const show = async (
    { account }: ReceivedPush | Omit<ReceivedPush, 'say'>,
    deployId: string,
  ): Promise<string | undefined> => {
    for await (const event of follow({ account, deployId, after: 0, signal: gone.signal })) {
      if (event.message === '' && event.seq === undefined) await send(reporter.keepAlive());
      for (const line of linesOf(event)) await send(reporter.progress(line));
      if (event.status === 'ERROR') return event.message || 'the deploy failed';
      if (event.status === 'DONE') return undefined;
    }
    await send(reporter.progress(`The deploy goes on. Follow it with: berth follow ${deployId}`));
    return undefined;
  };

  const work = async (): Promise<void> => {
    if (!push) return send(reporter.report(results));
    const { ref } = push.command;
    const accepted = await accept(push);
    if ('problem' in accepted) return send(reporter.report([...results, { ref, problem: accepted.problem }]));
    const failure = await show(push, accepted.id);
    const problem = failure === undefined ? undefined : `deploy failed: ${failure}`;
    return send(reporter.report([...results, { ref, problem }]));
  };
  const respond = async () => {
    try {
      await work();
    } finally {
      await writer.close().catch(() => {});
    }
  };
  runInBackground('git push', respond(), logger);
  return readable;
}

function linesOf(event: DeployEvent): string[] {
  const lines = event.message === '' ? [] : event.message.split('\n');
  if (event.status === 'ERROR') return [...(event.logs ?? []), '', ...lines.map((line) => `Deploy failed: ${line}`)];
  if (event.status === 'DONE')
    return [...lines, ...(event.url === undefined ? [] : ['', `Deployed to ${event.url}`, ''])];
  return event.log ? lines.map((line) => `  ${line}`) : lines;
}
