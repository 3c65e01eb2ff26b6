import { createError } from '@berth/contract';
import type { Clock, Logger } from '@berth/kit';
import type { ImageArtifact, InstanceSpec, Owner, Standby, StandbyPlan } from '@berth/runtime';
import type { Container } from 'dockerode';
import { engineStatus } from '../engine/engine-errors.ts';
import type { Engine } from '../engine/open-engine.ts';
import type { Networks } from '../network/networks.ts';
import { containerOptions } from './container-options.ts';
import type { ContainerPolicy } from './container-policy.ts';
import type { ImageFacts, Images } from './image-facts.ts';
import { type MountSource, openMountSources } from './mount-sources.ts';
import { planKey } from './plan-key.ts';
import { translateStartError } from './translate-start-error.ts';

/** What all instances of a runtime are made with. */
export interface ContainerParts {
  readonly engine: Engine;
  readonly networks: Networks;
  readonly images: Images;
  readonly policy: ContainerPolicy;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface PreparedPlan extends StandbyPlan {
  readonly owner: Owner;
}

/** A container that only has to be started. */
export interface PreparedContainer extends PreparedPlan, Standby {
  readonly container: Container;
  readonly image: ImageFacts;
  readonly network: string;
  readonly sources: readonly MountSource[];
}

/** A spec whose artifact is an image. */
export type ImageSpec = InstanceSpec & { readonly artifact: ImageArtifact };

/**
 * Makes the container of a spec.
 * @throws BerthError `start_failed`, `out_of_capacity` or `unavailable`; nothing is left then.
 */
export async function prepareContainer(spec: ImageSpec, parts: ContainerParts): Promise<PreparedContainer> {
  const { engine, networks, images, policy } = parts;
  const { reference } = spec.artifact;
  try {
    const [image, network, sources] = await Promise.all([
      images.describe(reference),
      networks.ensure(spec.owner.account),
      openMountSources(spec.mounts),
    ]);
    const mountSources = sources.map(({ mount }) => mount.source);
    const options = containerOptions({ spec, reference, image, network, mountSources }, policy);
    const container = await engine.call((docker) => docker.createContainer(options));
    return {
      ...{ artifact: reference, key: planKey(spec), owner: spec.owner },
      ...{ container, image, network, sources },
      isFresh: () => isCreated(engine, container),
      discard: () => removeContainer(engine, container),
    };
  } catch (error) {
    throw translateStartError(error);
  }
}

/** @throws BerthError `start_failed` for a revision that another runtime made. */
export function checkArtifact(spec: InstanceSpec): ImageSpec {
  const { artifact } = spec;
  if (artifact.kind === 'image') return { ...spec, artifact };
  throw createError(
    'start_failed',
    'This revision was built for the process runtime and this server runs containers: deploy anew to make an image of it.',
  );
}

/** It is there and was never started. */
async function isCreated(engine: Engine, container: Container): Promise<boolean> {
  try {
    return (await engine.call(() => container.inspect())).State.Status === 'created';
  } catch {
    return false;
  }
}

/** Ends it if it runs, and removes all of it. Idempotent. */
export async function removeContainer(engine: Engine, container: Container): Promise<void> {
  try {
    await engine.call(() => container.remove({ force: true, v: true }));
  } catch (error) {
    // 409: its removal is under way.
    if (engineStatus(error) !== 404 && engineStatus(error) !== 409) throw error;
  }
}
