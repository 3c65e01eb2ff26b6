import { buffer } from 'node:stream/consumers';
import { createError } from '@berth/contract';
import { createSingleFlight } from '@berth/kit';
import { ignoreStatus } from '../engine/engine-errors.ts';
import { type Engine, findImage } from '../engine/open-engine.ts';
import { type ContainerUser, chooseUser } from './container-user.ts';

/** The facts about an image that a start needs. */
export interface ImageFacts {
  /** Content-addressed id. */
  readonly id: string;
  readonly user: ContainerUser;
  /** Names of the variables that the image sets. */
  readonly variables: readonly string[];
}

/** Looks up images and caches the results. */
export type Images = ReturnType<typeof createImages>;

/** Maximum number of cached images. */
const MAX_KEPT = 1_000;

/** Creates the image lookup of an engine. */
export function createImages(engine: Engine, isRootAllowed: boolean) {
  const flights = createSingleFlight<ImageFacts>();
  const known = new Map<string, ImageFacts>();

  const look = async (reference: string): Promise<ImageFacts> => {
    const image = await findImage(engine, reference);
    if (!image) throw missingImage();
    const { User = '', Env, Cmd, Entrypoint } = image.Config ?? {};
    if ((Cmd?.length ?? 0) + (Entrypoint?.length ?? 0) === 0) {
      throw createError('start_failed', 'The image has no start command: add a CMD to its Dockerfile.');
    }
    // Root needs no look into the image, and neither does a base image's `scratch`.
    const files = User === '' || User === '0' ? { passwd: '', group: '' } : await readUserFiles(engine, image.Id);
    const user = chooseUser(User, files, isRootAllowed);
    if (!user) {
      throw createError(
        'start_failed',
        `The image runs as USER ${User}, but its /etc/passwd has no such user. Correct USER in the Dockerfile.`,
      );
    }
    return { id: image.Id, user, variables: (Env ?? []).map((one) => one.split('=')[0] ?? '') };
  };

  return {
    /** Returns the facts about an image. @throws BerthError `start_failed` when the engine doesn't have it, or it can't be started. */
    describe(reference: string): Promise<ImageFacts> {
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
export function missingImage(cause?: unknown) {
  return createError('start_failed', "The revision's image is no longer in the engine. Deploy again.", { cause });
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
        const archive = await container.getArchive({ path }).catch(ignoreStatus(404));
        return archive === undefined ? '' : readFirstFile(await buffer(archive));
      };
      return { passwd: await read('/etc/passwd'), group: await read('/etc/group') };
    } finally {
      await container.remove({ force: true, v: true });
    }
  });
}

const BLOCK = 512;

/**
 * Returns the content of the first entry of a tar archive; empty when that is no file but a link. An engine answers one file so.
 * Source: pax(1), ustar: the size is an octal number at 124, the type a character at 156.
 */
function readFirstFile(archive: Buffer): string {
  const size = Number.parseInt(archive.toString('latin1', 124, 136), 8);
  const isFile = archive[156] === 0 || archive[156] === '0'.charCodeAt(0);
  return isFile && size > 0 ? archive.toString('utf8', BLOCK, BLOCK + size) : '';
}
