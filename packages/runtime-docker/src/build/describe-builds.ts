import { statfs } from 'node:fs/promises';
import { BASE_LANGUAGES, type BaseImages, type BaseLanguage, formatBytes } from '@berth/builder/image';
import type { Capability } from '@berth/runtime';
import type { Engine } from '../engine/open-engine.ts';

/** Options of {@link describeBuilds}. */
export interface DescribeBuildsOptions {
  readonly engine: Engine;
  readonly images: BaseImages;
  readonly freeDiskBytes: number;
  /** Returns a folder on the engine's disk. */
  folder(): Promise<string>;
}

const TITLES: Readonly<Record<BaseLanguage, string>> = {
  node: 'Node.js and static sites',
  python: 'Python',
  go: 'Go',
  deno: 'Deno',
  bun: 'Bun',
  plain: 'other programs',
};

/** Returns the engine's build capabilities, for `berth doctor`. */
export async function describeBuilds(options: DescribeBuildsOptions): Promise<readonly Capability[]> {
  const { engine, images, freeDiskBytes } = options;
  const { bavail, bsize } = await statfs(await options.folder());
  const freeBytes = bavail * bsize;
  const floor = formatBytes(freeDiskBytes);
  return [
    {
      id: 'build-dockerfile',
      title: 'Builds of Dockerfiles',
      status: 'enforced',
      detail: `${engine.facts.product} ${engine.facts.version} builds them with its classic builder; RUN --mount and heredocs are written in its words.`,
    },
    ...(await Promise.all(BASE_LANGUAGES.map((language) => describeLanguage(engine, language, images[language])))),
    {
      id: 'build-disk',
      title: 'Disk for builds',
      status: freeBytes < freeDiskBytes ? 'missing' : 'enforced',
      detail: `${formatBytes(freeBytes)} are free; builds are refused below ${floor}.`,
      ...(freeBytes < freeDiskBytes ? { remedy: 'Free some space on the disk of the container engine.' } : {}),
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
  if (image === undefined) return { ...base, status: 'missing', detail: 'No base image is set for it.', remedy };
  const isHere = await engine
    .call((docker) => docker.getImage(image).inspect())
    .then(
      () => true,
      () => false,
    );
  if (isHere) return { ...base, status: 'enforced', detail: `They begin with ${image}.` };
  return {
    ...base,
    status: 'partial',
    detail: `They begin with ${image}, which the engine fetches for the first build.`,
    remedy: `Where no registry is in reach, load ${image} into the engine, or name another with --base-images ${language}=IMAGE.`,
  };
}
