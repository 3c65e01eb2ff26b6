import type { Programs } from '../plan/programs.ts';

/** The kinds of base images for stages of generated Dockerfiles. `plain` is for self-contained programs. */
export type BaseLanguage = 'node' | 'python' | 'go' | 'deno' | 'bun' | 'plain';

/** The base image for each language. Projects in languages without one can't be built. */
export type BaseImages = Readonly<Partial<Record<BaseLanguage, string>>>;

/** The smallest official images that have a shell. Deno and Bun have no default. */
export const DEFAULT_BASE_IMAGES: BaseImages = {
  node: 'node:24-slim',
  python: 'python:3.13-slim',
  go: 'golang:1.26',
  plain: 'debian:13-slim',
};

/** All base languages. */
export const BASE_LANGUAGES: readonly BaseLanguage[] = ['node', 'python', 'go', 'deno', 'bun', 'plain'];

/** Programs of each image that plans use. Builds fetch pnpm, Yarn and uv, because not every image has them. */
const PROGRAMS_OF: Readonly<Record<BaseLanguage, readonly string[]>> = {
  node: ['node', 'npm'],
  python: ['python3', 'python'],
  go: ['go'],
  deno: ['deno'],
  bun: ['bun'],
  plain: [],
};

/** Returns the programs in these images. Versions come from the images' tags. */
export function programsOfImages(images: BaseImages): Programs {
  const programs = new Map(
    BASE_LANGUAGES.flatMap((language) =>
      (images[language] ? PROGRAMS_OF[language] : []).map((name) => [name, language]),
    ),
  );
  return {
    has: async (name) => programs.has(name),
    versionOf: async (name) => {
      const language = programs.get(name);
      // The tag's version is the language's, not npm's.
      return language === undefined || name === 'npm' ? undefined : VERSION_TAG.exec(images[language] ?? '')?.[1];
    },
    platform: `linux-${process.arch}`,
  };
}

/** Matches the version in `node:24-slim` and `python:3.13.1`, but not the port of a registry. */
const VERSION_TAG = /:(\d+(?:\.\d+)*)[^/]*$/;
