import { runInBackground, type Timer } from '@berth/kit';
import type { Container } from 'dockerode';
import { ofServer, PLAN_LABEL } from '../engine/labels.ts';
import type { EngineContext } from '../engine/open-engine.ts';
import { removeContainer } from './prepare-container.ts';

/** A container that no request needs in this time is removed like any idle instance. */
const KEEP_MS = 60_000;

/**
 * Finds the running containers of a killed server with the same id. Stopped containers are removed at once; running ones, also frozen, wait for
 * the start that would make the same, and is removed when none comes.
 */
export async function findSurvivors({ engine, serverId, clock, logger }: EngineContext) {
  const found = await engine.call((docker) => docker.listContainers({ all: true, filters: ofServer(serverId) }));
  const byDigest = new Map<string, Container[]>();
  const remove = (containers: readonly Container[]) =>
    Promise.all(containers.map((container) => removeContainer(engine, container)));
  const dead: Container[] = [];
  for (const { Id, State, Labels } of found) {
    const container = engine.docker.getContainer(Id);
    const digest = Labels[PLAN_LABEL];
    if (digest === undefined || (State !== 'running' && State !== 'paused')) dead.push(container);
    else byDigest.set(digest, [...(byDigest.get(digest) ?? []), container]);
  }
  await remove(dead);
  if (found.length > 0) {
    logger.info({ running: found.length - dead.length, removed: dead.length }, 'containers of an earlier server');
  }

  let timer: Timer | undefined;
  const removeAll = async (): Promise<void> => {
    timer?.cancel();
    const left = [...byDigest.values()].flat();
    byDigest.clear();
    await remove(left);
  };
  if (byDigest.size > 0) {
    timer = clock.setTimer(KEEP_MS, () => runInBackground('remove unused containers', removeAll(), logger));
  }
  return {
    /** Removes and returns a container with this plan digest, or undefined. */
    take(planDigest: string): Container | undefined {
      const containers = byDigest.get(planDigest) ?? [];
      const container = containers.shift();
      if (containers.length === 0) byDigest.delete(planDigest);
      return container;
    },
    /** Removes the containers that were not taken over. Idempotent. */
    close: removeAll,
  };
}

/** Removes the containers of a server that ended without it: with an engine that was restarted. */
export async function reapEndedContainers({ engine, serverId, logger }: EngineContext): Promise<void> {
  const filters = { ...ofServer(serverId), status: ['exited', 'dead'] };
  const found = await engine.call((docker) => docker.listContainers({ all: true, filters }));
  if (found.length > 0) logger.info({ containers: found.length }, 'removing leftover containers');
  await Promise.all(found.map(({ Id }) => removeContainer(engine, engine.docker.getContainer(Id))));
}
