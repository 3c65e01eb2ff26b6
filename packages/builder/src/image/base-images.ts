import type { Programs } from '../plan/programs.ts';

/** What a stage of a generated Dockerfile is made from. `plain` is for programs that bring all they need. */
export type BaseLanguage = 'node' | 'python' | 'go' | 'deno' | 'bun' | 'plain';

/** A base image for each language; a language without one can't be built. */
export type BaseImages = Readonly<Partial<Record<BaseLanguage, string>>>;

/** The official images with the least in them that still has a shell. Deno and Bun are not built unless they are set. */
export const DEFAULT_BASE_IMAGES: BaseImages = {
  node: 'node:24-slim',
  python: 'python:3.13-slim',
  go: 'golang:1.26',
  plain: 'debian:13-slim',
};

export const BASE_LANGUAGES: readonly BaseLanguage[] = ['node', 'python', 'go', 'deno', 'bun', 'plain'];

/** What the images have that plans ask for. pnpm, Yarn and uv are fetched by the build: not every image has them. */
const PROGRAMS_OF: Readonly<Record<BaseLanguage, readonly string[]>> = {
  node: ['node', 'npm'],
  python: ['python3', 'python'],
  go: ['go'],
  deno: ['deno'],
  bun: ['bun'],
  plain: [],
};

/** The programs that builds find in these images; their versions are those of the tags. */
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
      // npm is another program than the tag is of.
      return language === undefined || name === 'npm' ? undefined : VERSION_TAG.exec(images[language] ?? '')?.[1];
    },
    platform: `linux-${process.arch}`,
  };
}

/** `node:24-slim`, `python:3.13.1`; a registry's port is no tag. */
const VERSION_TAG = /:(\d+(?:\.\d+)*)[^/]*$/;
