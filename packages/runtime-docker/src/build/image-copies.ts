import type { Readable } from 'node:stream';
import type { LocalCopies } from '@berth/builder';
import { createError } from '@berth/contract';
import type { Artifact, ImageArtifact, Owner } from '@berth/runtime';
import { type Engine, findImage } from '../engine/open-engine.ts';
import type { ParsedName } from './image-names.ts';

/** Options of {@link createImageCopies}. */
export interface ImageCopiesOptions {
  readonly engine: Engine;
  /** Lists this server's images on the engine. */
  listNames(): Promise<readonly ({ readonly name: string } & ParsedName)[]>;
  removeImage(name: string): Promise<void>;
  /** Removes the cached stages of a deployment without images. */
  dropUnusedCache(owner: Owner): Promise<void>;
}

/** Creates the copies of an image builder: images of the engine, in the format of `docker save`. Their reference is their checksum. */
export function createImageCopies({
  engine,
  listNames,
  removeImage,
  dropUnusedCache,
}: ImageCopiesOptions): LocalCopies {
  return {
    folder: undefined,
    idOf: (artifact) => (artifact.kind === 'image' ? artifact.name : undefined),
    has: async (artifact) => artifact.kind === 'image' && (await findImage(engine, artifact.reference)) !== undefined,
    pack: (artifact) =>
      engine.call(async (docker) => (await docker.getImage(imageOf(artifact).name).get()) as unknown as Readable),
    async unpack(artifact, tar, { signal }) {
      const image = imageOf(artifact);
      const abort = () => tar.destroy(signal.reason);
      signal.addEventListener('abort', abort, { once: true });
      try {
        const answer = await engine.call((docker) => docker.loadImage(tar, { quiet: true }));
        for await (const _chunk of answer) signal.throwIfAborted();
      } finally {
        signal.removeEventListener('abort', abort);
      }
      signal.throwIfAborted();
      if ((await findImage(engine, image.reference)) !== undefined) return;
      await removeImage(image.name);
      throw createError('conflict', 'The container engine loaded another image than the one that was built.');
    },
    // The reference identifies the image already.
    confirm: async () => {},
    list: async () =>
      (await listNames()).flatMap(({ name, kind, owner }) =>
        kind === 'revision' ? [{ id: name.replace(/^localhost\//, ''), owner }] : [],
      ),
    async remove({ id, owner }) {
      await removeImage(id);
      await dropUnusedCache(owner);
    },
  };
}

function imageOf(artifact: Artifact): ImageArtifact {
  if (artifact.kind === 'image') return artifact;
  throw new Error('the artifact is not an image');
}
