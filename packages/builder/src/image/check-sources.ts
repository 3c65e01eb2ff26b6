import { createError } from '@berth/contract';
import type { ImageRule } from './image-rule.ts';
import { type Instruction, readInstructions } from './read-instructions.ts';

/** Matches a full or partial image id, which could refer to any tenant's image. */
const IMAGE_ID = /^(sha256:)?[0-9a-f]+$/i;
/** The reserved name for an empty base. Source: docs.docker.com/reference/dockerfile, FROM. */
const SCRATCH = 'scratch';
/** Matches images built by Berth. */
const OWN_IMAGE = /^([^/]*[.:][^/]*\/|localhost\/)?berth-[0-9a-f]{8}\//i;
const HEREDOC = /<<-?\s*["']?\w/;
/** Prefixes of the sources that ADD downloads. Source: docs.docker.com/reference/dockerfile, ADD. */
const ADDRESSES = ['http://', 'https://', 'git://', 'ssh://', 'git@'];
const LINK_LOCAL = /^(169\.254\.|\[?fe80:)/i;

/** The base image of a stage. */
export interface BaseImage {
  readonly image: string;
  /** Value of `--platform`, such as `linux/amd64`; undefined if the stage sets none. */
  readonly platform: string | undefined;
}

/** Options of {@link checkSources}. */
export interface CheckSourcesOptions {
  /** Values of the build arguments that are passed to the engine. */
  readonly values: Readonly<Record<string, string>>;
  readonly isAllowed: ImageRule;
}

/**
 * Refuses sources that a Dockerfile could reach through the engine itself, which neither the build's network nor its
 * user restricts: images that the operator doesn't allow, other tenants' images in any case, and addresses that the
 * engine downloads for ADD.
 * @returns the base images of the stages. Their ONBUILD instructions are part of the build too.
 * @throws BerthError `build_failed` that names the instruction and what to write instead.
 */
export function checkSources(text: string, options: CheckSourcesOptions): BaseImage[] {
  return readInstructions(text).flatMap((instructions) => checkReading(instructions, options));
}

/**
 * Checks the ONBUILD instructions of a base image as {@link checkSources} checks a Dockerfile.
 * @throws BerthError `build_failed`
 */
export function checkTriggers(triggers: readonly string[], options: CheckSourcesOptions): void {
  // An image's author can't know the number or name of a stage.
  checkSources(['FROM scratch', ...triggers].join('\n'), options);
}

function checkReading(instructions: readonly Instruction[], { values, isAllowed }: CheckSourcesOptions): BaseImage[] {
  const bases: BaseImage[] = [];
  const stages = new Set<string>();
  const variables = new Map<string, string>();
  let stageCount = 0;
  // Some engines read the lines of a heredoc as instructions and others as text, so stages in them don't count.
  let isCertain = true;
  const resolve = (given: string, shown: string, what: string) => {
    const text = expand(given, variables);
    if (text !== undefined) return text;
    throw refuse(shown, `${what} can't be resolved. Write it out, or use ARG NAME=value before the first FROM.`);
  };
  /** Checks an image reference and returns the image; undefined for a stage. */
  const check = (given: string, shown: string, isStage: (image: string) => boolean) => {
    const image = resolve(given, shown, "the image's name");
    if (isStage(image.toLowerCase())) return undefined;
    checkImage(image, shown);
    if (image !== SCRATCH && !isAllowed(image)) {
      throw refuse(
        shown,
        `this server doesn't allow the image ${image}. The operator can allow it with --allowed-images ${image}.`,
      );
    }
    return image;
  };
  for (const { keyword, rest } of instructions) {
    const shown = `${keyword} ${rest.slice(0, 120)}`;
    if (HEREDOC.test(rest)) isCertain = false;
    for (const image of namedSources(keyword, rest)) {
      check(image, shown, (name) => stages.has(name) || (/^\d+$/.test(name) && Number(name) < stageCount));
    }
    if (keyword === 'ARG' && stageCount === 0) readArguments(rest, values, variables);
    if (keyword === 'ADD') checkAddress(rest, shown);
    if (keyword !== 'FROM') continue;
    const words = rest.split(/\s+/);
    const [given = '', , name] = words.filter((word) => !word.startsWith('--'));
    const image = check(given, shown, (base) => stages.has(base));
    const flag = words
      .map((word) => /^--platform=(.*)$/i.exec(withoutQuotes(word))?.[1])
      .find((value) => value !== undefined);
    const platform = flag === undefined ? undefined : resolve(flag, shown, 'the platform');
    if (image !== undefined && image !== SCRATCH) bases.push({ image, platform });
    if (!isCertain) continue;
    stageCount++;
    if (name !== undefined) stages.add(name.toLowerCase());
  }
  return bases;
}

function checkImage(image: string, shown: string): void {
  if (IMAGE_ID.test(image)) {
    throw refuse(shown, `use the image's tag (such as ${image.slice(0, 64)}:latest), not its ID.`);
  }
  if (OWN_IMAGE.test(image)) throw refuse(shown, "images of deployments can't be base images.");
  if (LINK_LOCAL.test(image)) throw refuse(shown, 'this URL is not allowed.');
}

/** Returns the images and stages named in flags. */
function namedSources(keyword: string, rest: string): string[] {
  const bare = withoutQuotes(rest);
  if (keyword === 'COPY' || keyword === 'ADD')
    return [...bare.matchAll(/--from=(\S+)/gi)].map(([, image = '']) => image);
  if (keyword !== 'RUN') return [];
  // Podman supports these mounts itself.
  return [...bare.matchAll(/--mount=\S*?\bfrom=([^,\s]+)/gi)].map(([, image = '']) => image);
}

/** Removes quotes and both escape characters. Engines drop these anywhere in a word. */
const withoutQuotes = (text: string) => text.replaceAll(/["'\\`]/g, '');

const refuse = (shown: string, why: string) => createError('build_failed', `${shown}: ${why}`);

/** Refuses addresses in ADD: the engine itself downloads these, outside the network of builds. */
function checkAddress(rest: string, shown: string): void {
  const words = rest
    .replaceAll(/[[\]",']/g, ' ')
    .trim()
    .split(/\s+/);
  for (const word of words.slice(0, -1).filter((each) => !each.startsWith('--'))) {
    const literal = word.replaceAll('\\', '').split('$', 1)[0]?.toLowerCase() ?? '';
    if (ADDRESSES.some((start) => literal.startsWith(start))) {
      throw refuse(
        shown,
        'ADD with a URL is not supported, because the engine itself would fetch it. Use RUN with curl.',
      );
    }
    if (word.includes('$') && ADDRESSES.some((start) => start.startsWith(literal))) {
      throw refuse(shown, "the source of ADD can't start with a variable, which could make it a URL. Use COPY.");
    }
  }
}

/** Records the arguments before the first FROM, the only ones that image names can use. */
function readArguments(rest: string, values: Readonly<Record<string, string>>, variables: Map<string, string>): void {
  for (const [, name = '', value] of rest.matchAll(/([A-Za-z_]\w*)(?:=("[^"]*"|'[^']*'|\S*))?/g)) {
    const given = Object.hasOwn(values, name) ? values[name] : expand(value ?? '', variables);
    if (given !== undefined) variables.set(name, given);
  }
}

/** Returns the text with variables expanded and quotes removed; undefined if a variable is unknown. */
function expand(text: string, variables: ReadonlyMap<string, string>): string | undefined {
  const bare = withoutQuotes(text);
  const filled = bare.replaceAll(
    /\$\{([A-Za-z_]\w*)(?::-([^${}]*))?\}|\$([A-Za-z_]\w*)/g,
    (whole, braced, fallback, plain) => {
      const value = variables.get(braced ?? plain);
      return value || (fallback ?? value ?? whole);
    },
  );
  return filled.includes('$') ? undefined : filled;
}
