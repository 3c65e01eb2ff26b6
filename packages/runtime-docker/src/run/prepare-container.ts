import type { Owner, Standby, StandbyPlan } from '@berth/runtime';
import type { Container } from 'dockerode';
import { ignoreStatus } from '../engine/engine-errors.ts';
import type { Engine, EngineContext } from '../engine/open-engine.ts';
import type { Networks } from '../network/networks.ts';
import { containerOptions } from './container-options.ts';
import type { ImageFacts, Images } from './image-facts.ts';
import type { MountPins } from './mount-pins.ts';
import { type MountSource, openMountSources, releaseMountSources } from './mount-sources.ts';
import { type ContainerPolicy, type ImageSpec, planKey } from './plan-key.ts';
import { translateStartError } from './translate-start-error.ts';

/** The parts that all instances of a runtime share. */
export interface ContainerParts extends EngineContext {
  readonly networks: Networks;
  readonly images: Images;
  readonly policy: ContainerPolicy;
  readonly pins: MountPins;
}

/** The plan of a standby. */
export interface PreparedPlan extends StandbyPlan {
  readonly owner: Owner;
}

/** A container that is ready to start. */
export interface PreparedContainer extends PreparedPlan, Standby {
  readonly container: Container;
  readonly image: ImageFacts;
  readonly network: string;
  readonly sources: readonly MountSource[];
}

/**
 * Creates the container of a spec.
 * @throws BerthError `start_failed`, `out_of_capacity` or `unavailable`, after removing everything.
 */
export async function prepareContainer(spec: ImageSpec, parts: ContainerParts): Promise<PreparedContainer> {
  const { engine, networks, images, policy, pins } = parts;
  const { reference } = spec.artifact;
  let sources: readonly MountSource[] = [];
  try {
    const [image, network] = await Promise.all([images.describe(reference), networks.ensure(spec.owner.account)]);
    // A server that is root gives volumes to the account's group; another has no group but its own.
    const group = process.getuid?.() === 0 ? spec.volumeGroup : undefined;
    sources = await openMountSources(spec.mounts, pins, group);
    const options = containerOptions({ spec, image, network, sources }, policy);
    const container = await engine.call((docker) => docker.createContainer(options));
    return {
      ...{ artifact: reference, key: planKey(spec), owner: spec.owner },
      ...{ container, image, network, sources },
      isFresh: () => isCreated(engine, container),
      async discard() {
        await removeContainer(engine, container);
        await releaseMountSources(sources, pins);
      },
    };
  } catch (error) {
    await releaseMountSources(sources, pins);
    throw translateStartError(error);
  }
}

/** Returns whether a container exists and was never started. */
async function isCreated(engine: Engine, container: Container): Promise<boolean> {
  try {
    return (await engine.call(() => container.inspect())).State.Status === 'created';
  } catch {
    return false;
  }
}

/** Kills and removes a container. Idempotent. */
export async function removeContainer(engine: Engine, container: Container): Promise<void> {
  // 409: its removal is under way.
  await engine.call(() => container.remove({ force: true, v: true })).catch(ignoreStatus(404, 409));
}
