import path from 'node:path';
import { createCollector } from '@berth/collector';
import { createError } from '@berth/contract';
import { openKube, watchNodePods } from '@berth/runtime-kubernetes';
import { openCollectedLogs } from '../compose/open-logs.ts';
import type { PartOptions } from '../context/part-options.ts';
import { openWithShutdown } from '../context/shutdown.ts';
import { preparePlatformFolders } from '../data-folder/platform-folders.ts';

/** A running collector. */
export interface RunningCollector {
  /** Saves the positions and stops. */
  close(): Promise<void>;
}

/** Starts the collector of a node. @throws BerthError `invalid` without the node's name */
export function startCollector(options: Omit<PartOptions, 'shutdown'>): Promise<RunningCollector> {
  const { config, clock, logger } = options;
  const { nodeName: node } = config;
  if (node === undefined) throw createError('invalid', 'BERTH_ROLE=collector needs BERTH_NODE_NAME.');
  return openWithShutdown(logger, async (shutdown) => {
    const { data } = preparePlatformFolders(config.dataFolder, true);
    const logs = await openCollectedLogs({ ...options, shutdown }, path.join(data, 'logs'));
    const pods = await watchNodePods({ kube: openKube(), platformId: config.kubePrefix, node, clock, logger });
    shutdown.push('Pods', pods.close);
    const collector = createCollector({
      ...{ folder: config.podLogs, positionsFile: path.join(data, 'positions.json') },
      ...{ listPods: pods.list, logs, clock, logger },
    });
    shutdown.push('collector', () => collector.close());
    await collector.start();
    return { close: () => shutdown.run() };
  });
}
