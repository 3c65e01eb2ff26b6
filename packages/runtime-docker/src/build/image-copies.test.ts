import { createReadStream } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { ImageArtifact } from '@berth/runtime';
import { pack } from 'tar-stream';
import { expect, onTestFinished, test } from 'vitest';
import { findImage } from '../engine/open-engine.ts';
import { findTestEngine, skipWithoutEngine } from '../testing/test-engine.ts';
import { createImageCopies } from './image-copies.ts';
import { createImageNames } from './image-names.ts';

const engine = await findTestEngine();
const OWNER = { account: 'acc_1', deployment: 'shop' };

if (engine === undefined) {
  skipWithoutEngine('copies of images');
} else {
  const names = createImageNames(`copies ${crypto.randomUUID()}`);
  const removeImage = (name: string) => engine.docker.getImage(name).remove({ force: true });
  const copies = createImageCopies({
    engine,
    listNames: async () =>
      (await engine.docker.listImages())
        .flatMap(({ RepoTags }) => RepoTags ?? [])
        .flatMap((name) => {
          const parsed = names.parse(name);
          return parsed ? [{ name, ...parsed }] : [];
        }),
    removeImage,
    dropUnusedCache: async () => {},
  });
  const { signal } = new AbortController();

  /** Makes an image with one file, as a build would. */
  const makeImage = async (revision: string): Promise<ImageArtifact> => {
    const tar = pack();
    tar.entry({ name: 'app.txt' }, revision);
    tar.finalize();
    const folder = await mkdtemp(path.join(tmpdir(), 'berth-image-'));
    const file = path.join(folder, 'root.tar');
    await writeFile(file, await buffer(tar));
    const name = names.nameOf(OWNER, revision);
    const [repo = '', tag = ''] = name.split(':');
    await buffer((await engine.docker.importImage(createReadStream(file) as never, { repo, tag } as never)) as never);
    await rm(folder, { recursive: true });
    onTestFinished(() => removeImage(name).catch(() => undefined));
    const { Id: reference } = await engine.docker.getImage(name).inspect();
    return { kind: 'image', reference, name };
  };

  // Fails when the image comes back without its name: the next clean-up of the engine would remove it under its service.
  test('an image that was saved and removed is loaded with its name and its reference', async () => {
    const artifact = await makeImage('r1');
    expect(await copies.has(artifact)).toBe(true);
    const saved = await buffer(await copies.pack(artifact));
    await removeImage(artifact.name);
    expect(await copies.has(artifact)).toBe(false);
    await copies.unpack(artifact, Readable.from([saved]), { signal });
    expect(await copies.has(artifact)).toBe(true);
    expect((await findImage(engine, artifact.name))?.Id).toBe(artifact.reference);
    expect(await copies.list()).toEqual([{ id: artifact.name, owner: OWNER }]);
  });

  test('another image than the one that was built is refused and removed', async () => {
    const [artifact, other] = [await makeImage('r2'), await makeImage('r3')];
    const saved = await buffer(await copies.pack(artifact));
    await removeImage(artifact.name);
    const wanted = { ...artifact, reference: other.reference.replace(/.$/, 'x') };
    await expect(copies.unpack(wanted, Readable.from([saved]), { signal })).rejects.toMatchObject({ code: 'conflict' });
    expect(await findImage(engine, artifact.name)).toBeUndefined();
  });

  test('a stream that ends early is no image', async () => {
    const artifact = await makeImage('r4');
    const saved = await buffer(await copies.pack(artifact));
    await removeImage(artifact.name);
    const half = Readable.from([saved.subarray(0, saved.length >> 1)]);
    await expect(copies.unpack(artifact, half, { signal })).rejects.toThrow();
    expect(await copies.has(artifact)).toBe(false);
  });
}
