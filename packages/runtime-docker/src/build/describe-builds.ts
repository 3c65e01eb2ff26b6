import { statfs } from 'node:fs/promises';
import { BASE_LANGUAGES, type BaseImages, type BaseLanguage, formatBytes } from '@berth/builder/image';
import type { Capability } from '@berth/runtime';
import { enforced, missing, partial } from '@berth/runtime/drivers';
import { type Engine, findImage } from '../engine/open-engine.ts';

const TITLES: Readonly<Record<BaseLanguage, string>> = {
  node: 'Node.js and static sites',
  python: 'Python',
  go: 'Go',
  deno: 'Deno',
  bun: 'Bun',
  plain: 'other programs',
};

/** Returns the engine's build capabilities, for `berth doctor`. @param folder A folder on the engine's disk. */
export async function describeBuilds(
  engine: Engine,
  images: BaseImages,
  folder: string,
  freeDiskBytes: number,
): Promise<readonly Capability[]> {
  const { bavail, bsize } = await statfs(folder);
  const freeBytes = bavail * bsize;
  const room = `${formatBytes(freeBytes)} are free; builds are refused below ${formatBytes(freeDiskBytes)}.`;
  return [
    {
      id: 'build-dockerfile',
      title: 'Builds of Dockerfiles',
      status: 'enforced',
      detail: `${engine.facts.product} ${engine.facts.version} builds them with its classic builder; RUN --mount and heredocs are translated.`,
    },
    ...(await Promise.all(BASE_LANGUAGES.map((language) => describeLanguage(engine, language, images[language])))),
    {
      id: 'build-disk',
      title: 'Disk for builds',
      ...(freeBytes < freeDiskBytes
        ? missing(room, 'Free some space on the disk of the container engine.')
        : enforced(room)),
    },
  ];
}

async function describeLanguage(
  engine: Engine,
  language: BaseLanguage,
  image: string | undefined,
): Promise<Capability> {
  const base = { id: `build-${language}`, title: `Builds of ${TITLES[language]} without a Dockerfile` };
  const remedy = `Set one with --base-images ${language}=IMAGE.`;
  if (image === undefined) return { ...base, ...missing('No base image is set.', remedy) };
  const isHere = await findImage(engine, image).catch(() => undefined);
  if (isHere) return { ...base, ...enforced(`Base image: ${image}.`) };
  return {
    ...base,
    ...partial(
      `Base image: ${image}, which the engine fetches for the first build.`,
      `Where no registry is in reach, load ${image} into the engine, or set another with --base-images ${language}=IMAGE.`,
    ),
  };
}
