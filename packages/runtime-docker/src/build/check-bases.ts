import type { Readable } from 'node:stream';
import { checkTriggers, type ImageRule, type ImageSource } from '@berth/builder/image';
import { createError } from '@berth/contract';
import { engineMessage, engineStatus } from '../engine/engine-errors.ts';
import type { Engine } from '../engine/open-engine.ts';
import { readJsonLines } from '../engine/read-json-lines.ts';
import { explainAbsentImage } from './explain-build-failure.ts';

export interface CheckBasesOptions {
  readonly engine: Engine;
  readonly isAllowed: ImageRule;
  readonly say: (line: string) => Promise<void> | void;
  readonly signal: AbortSignal;
}

/**
 * Fetches the images that a Dockerfile's stages begin with, so that what they have stored for the build (ONBUILD) can be read before
 * the engine obeys it: `ONBUILD COPY --from=ID` in an image from a registry would copy out of any image of this engine.
 * @throws BerthError `build_failed` for an image that is nowhere, is of another platform, or whose triggers are not allowed.
 */
export async function checkBases(bases: ImageSource['bases'], options: CheckBasesOptions): Promise<void> {
  const { engine, isAllowed } = options;
  for (const { image, platform } of bases) {
    // Else the engine would fetch another variant, with triggers of its own.
    if (platform !== undefined && !isOwnPlatform(platform, engine.facts.platform)) {
      throw createError(
        'build_failed',
        `FROM --platform=${platform} ${image}: images here are of ${engine.facts.platform}; leave --platform out.`,
      );
    }
    const found = (await inspect(engine, image)) ?? (await fetchImage(image, options));
    try {
      checkTriggers(found.Config?.OnBuild ?? [], { values: {}, isAllowed });
    } catch (cause) {
      const why = (cause as Error).message;
      throw createError(
        'build_failed',
        `FROM ${image}: the image has an instruction for builds on it, ONBUILD ${why}`,
        {
          cause,
        },
      );
    }
  }
}

/** The part of an image's description that is read. Source: Docker Engine API 1.41, ImageInspect. */
interface InspectedImage {
  readonly Config?: { readonly OnBuild?: readonly string[] | null } | null;
}

async function inspect(engine: Engine, image: string): Promise<InspectedImage | undefined> {
  try {
    return await engine.call((docker) => docker.getImage(image).inspect());
  } catch (error) {
    if (engineStatus(error) !== 404) throw error;
    return undefined;
  }
}

async function fetchImage(image: string, { engine, say, signal }: CheckBasesOptions): Promise<InspectedImage> {
  await say(`Fetching the base image ${image}`);
  let problem: string | undefined;
  try {
    // Without a tag the engine would fetch every tag there is.
    const fromImage = /[:@][^/]*$/.test(image) ? image : `${image}:latest`;
    const stream = (await engine.call((docker) => docker.createImage({ fromImage, abortSignal: signal }))) as Readable;
    for await (const { error } of readJsonLines<{ readonly error?: string }>(stream)) problem ??= error;
  } catch (error) {
    signal.throwIfAborted();
    if (engineStatus(error) === undefined) throw error;
    problem = engineMessage(error);
  }
  const found = problem === undefined ? await inspect(engine, image) : undefined;
  if (found !== undefined) return found;
  throw createError('build_failed', explainAbsentImage({ message: problem ?? 'not found', image, isGenerated: false }));
}

/** @param platform `os/arch`, `os/arch/variant`, or one of the first two alone. */
function isOwnPlatform(platform: string, own: string): boolean {
  const [os = '', architecture = ''] = own.split('/');
  const known = new Set([os, architecture, ...(ALIASES[architecture] ?? [])]);
  return platform
    .toLowerCase()
    .split('/')
    .every((part) => known.has(part) || /^v\d+$/.test(part));
}

/** Source: containerd/platforms, normalizeArch. */
const ALIASES: Readonly<Record<string, readonly string[]>> = { amd64: ['x86_64', 'x86-64'], arm64: ['aarch64'] };
