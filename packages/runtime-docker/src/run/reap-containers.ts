import type { Logger } from '@berth/kit';
import type { Engine } from '../engine/open-engine.ts';
import { ofServer } from './labels.ts';
import { removeContainer } from './prepare-container.ts';

export interface ReapOptions {
  readonly engine: Engine;
  readonly serverId: string;
  readonly logger: Logger;
  /** Which ones: `all` at the start of a server, `ended` while it runs. */
  readonly which: 'all' | 'ended';
}

/** Removes the containers of a server that were left over: by one that was killed, or by an engine that was. */
export async function reapContainers({ engine, serverId, logger, which }: ReapOptions): Promise<void> {
  const filters = { ...ofServer(serverId), ...(which === 'ended' && { status: ['exited', 'dead'] }) };
  const found = await engine.call((docker) => docker.listContainers({ all: true, filters }));
  if (found.length > 0) logger.info({ containers: found.length }, 'removing containers that were left over');
  await Promise.all(found.map(({ Id }) => removeContainer(engine, engine.docker.getContainer(Id))));
}
