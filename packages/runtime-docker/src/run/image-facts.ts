import { buffer } from 'node:stream/consumers';
import { createError } from '@berth/contract';
import { createSingleFlight } from '@berth/kit';
import { engineStatus } from '../engine/engine-errors.ts';
import type { Engine } from '../engine/open-engine.ts';
import { type ContainerUser, chooseUser } from './container-user.ts';
import { readFirstFile } from './read-first-file.ts';

/** The facts about an image that a start needs. */
export interface ImageFacts {
  /** Content-addressed id. */
  readonly id: string;
  readonly user: ContainerUser;
  /** Names of the variables that the image sets. */
  readonly variables: readonly string[];
}

/** Options of {@link createImages}. */
export interface ImagesOptions {
  readonly engine: Engine;
  readonly isRootAllowed: boolean;
}

/** Looks up images and caches the results. */
export interface Images {
  /** Returns the facts about an image. @throws BerthError `start_failed` when the engine doesn't have it, or it can't be started. */
  describe(reference: string): Promise<ImageFacts>;
}

/** Maximum number of cached images. */
const MAX_KEPT = 1_000;

/** Creates the image lookup of an engine. */
export function createImages({ engine, isRootAllowed }: ImagesOptions): Images {
  const flights = createSingleFlight<ImageFacts>();
  const known = new Map<string, ImageFacts>();

  const look = async (reference: string): Promise<ImageFacts> => {
    const image = await engine
      .call((docker) => docker.getImage(reference).inspect())
      .catch((error: unknown) => {
        throw engineStatus(error) === 404 ? missingImage(error) : error;
      });
    const { User = '', Env, Cmd, Entrypoint } = image.Config ?? {};
    if ((Cmd?.length ?? 0) + (Entrypoint?.length ?? 0) === 0) {
      throw createError('start_failed', 'The image names no command to start: give its Dockerfile a CMD.');
    }
    // Root needs no look into the image, and neither does a base image's `scratch`.
    const files = User === '' || User === '0' ? { passwd: '', group: '' } : await readUserFiles(engine, image.Id);
    const user = chooseUser(User, files, isRootAllowed);
    if (!user) {
      throw createError('start_failed', `The image is to run as USER ${User}, and its /etc/passwd has no such user.`);
    }
    return { id: image.Id, user, variables: (Env ?? []).map((one) => one.split('=')[0] ?? '') };
  };

  return {
    describe(reference) {
      const found = known.get(reference);
      if (found) return Promise.resolve(found);
      return flights.run(reference, async () => {
        const facts = await look(reference);
        if (known.size >= MAX_KEPT) known.clear();
        known.set(reference, facts);
        return facts;
      });
    },
  };
}

/** Returns the error of a start whose image is gone. */
export function missingImage(cause: unknown) {
  return createError('start_failed', "The revision's image is not in the engine any more: deploy anew.", { cause });
}

/** Reads /etc/passwd and /etc/group of an image; empty when missing. */
async function readUserFiles(
  engine: Engine,
  image: string,
): Promise<{ readonly passwd: string; readonly group: string }> {
  return engine.call(async (docker) => {
    const container = await docker.createContainer({ Image: image, NetworkDisabled: true });
    try {
      const read = async (path: string): Promise<string> => {
        try {
          return readFirstFile(await buffer(await container.getArchive({ path })));
        } catch (error) {
          if (engineStatus(error) === 404) return '';
          throw error;
        }
      };
      return { passwd: await read('/etc/passwd'), group: await read('/etc/group') };
    } finally {
      await container.remove({ force: true, v: true });
    }
  });
}
