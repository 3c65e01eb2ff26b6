import type { Logger } from '@berth/kit';
import { ofServer } from '../engine/labels.ts';
import type { Engine } from '../engine/open-engine.ts';
import { removeContainer } from './prepare-container.ts';

/** Options of {@link reapEndedContainers}. */
export interface ReapOptions {
  readonly engine: Engine;
  readonly serverId: string;
  readonly logger: Logger;
}

/** Removes the containers of a server that ended without it: with an engine that was restarted. */
export async function reapEndedContainers({ engine, serverId, logger }: ReapOptions): Promise<void> {
  const filters = { ...ofServer(serverId), status: ['exited', 'dead'] };
  const found = await engine.call((docker) => docker.listContainers({ all: true, filters }));
  if (found.length > 0) logger.info({ containers: found.length }, 'removing containers that were left over');
  await Promise.all(found.map(({ Id }) => removeContainer(engine, engine.docker.getContainer(Id))));
}
