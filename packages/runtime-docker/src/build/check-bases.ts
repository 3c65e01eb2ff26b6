import type { Readable } from 'node:stream';
import { checkTriggers, explainAbsentImage, type ImageRule, type ImageSource } from '@berth/builder/image';
import { createError } from '@berth/contract';
import type { ImageInspectInfo } from 'dockerode';
import { engineMessage, engineStatus } from '../engine/engine-errors.ts';
import { type Engine, findImage } from '../engine/open-engine.ts';
import { readJsonLines } from '../engine/read-json-lines.ts';

/** Options of {@link checkBases}. */
export interface CheckBasesOptions {
  readonly engine: Engine;
  readonly isAllowed: ImageRule;
  readonly say: (line: string) => Promise<void> | void;
  readonly signal: AbortSignal;
}

/**
 * Fetches the base images of a Dockerfile's stages and checks their ONBUILD instructions before the engine executes them:
 * `ONBUILD COPY --from=ID` in an image from a registry could copy from any image of this engine.
 * @throws BerthError `build_failed` for an image that can't be fetched, is for another platform, or has triggers that aren't allowed.
 */
export async function checkBases(bases: ImageSource['bases'], options: CheckBasesOptions): Promise<void> {
  const { engine, isAllowed } = options;
  for (const { image, platform } of bases) {
    // For another platform the engine would fetch a different image, with different triggers.
    if (platform !== undefined && !isOwnPlatform(platform, engine.facts.platform)) {
      throw createError(
        'build_failed',
        `FROM --platform=${platform} ${image}: images here are of ${engine.facts.platform}; leave --platform out.`,
      );
    }
    const found = (await findImage(engine, image)) ?? (await fetchImage(image, options));
    try {
      checkTriggers(found.Config?.OnBuild ?? [], { values: {}, isAllowed });
    } catch (cause) {
      const why = (cause as Error).message;
      const text = `FROM ${image}: the image has an instruction for builds on it, ONBUILD ${why}`;
      throw createError('build_failed', text, { cause });
    }
  }
}

async function fetchImage(image: string, { engine, say, signal }: CheckBasesOptions): Promise<ImageInspectInfo> {
  await say(`Fetching the base image ${image}`);
  let problem: string | undefined;
  try {
    // Without a tag the engine would fetch all tags.
    const fromImage = /[:@][^/]*$/.test(image) ? image : `${image}:latest`;
    const stream = (await engine.call((docker) => docker.createImage({ fromImage, abortSignal: signal }))) as Readable;
    for await (const { error } of readJsonLines<{ readonly error?: string }>(stream)) problem ??= error;
  } catch (error) {
    signal.throwIfAborted();
    if (engineStatus(error) === undefined) throw error;
    problem = engineMessage(error);
  }
  const found = problem === undefined ? await findImage(engine, image) : undefined;
  if (found !== undefined) return found;
  throw createError('build_failed', explainAbsentImage({ message: problem ?? 'not found', image, isGenerated: false }));
}

/**
 * Returns whether a platform is the engine's own.
 * @param platform `os/arch`, `os/arch/variant`, `os` or `arch`.
 */
function isOwnPlatform(platform: string, own: string): boolean {
  const [os = '', architecture = ''] = own.split('/');
  const known = new Set([os, architecture, ...(ALIASES[architecture] ?? [])]);
  return platform
    .toLowerCase()
    .split('/')
    .every((part) => known.has(part) || /^v\d+$/.test(part));
}

/** Architecture → its other names. Source: containerd/platforms, normalizeArch. */
const ALIASES: Readonly<Record<string, readonly string[]>> = { amd64: ['x86_64', 'x86-64'], arm64: ['aarch64'] };
