import { createError } from '@berth/contract';
import type { ImageRule } from './image-rule.ts';
import { type Instruction, readInstructions } from './read-instructions.ts';

/** What an engine would take for an id, in full or in part: it could be of anybody's image. */
const IMAGE_ID = /^(sha256:)?[0-9a-f]+$/i;
/** No image, but the name of none. Source: docs.docker.com/reference/dockerfile, FROM. */
const SCRATCH = 'scratch';
/** Images that Berth made. */
const OWN_IMAGE = /^([^/]*[.:][^/]*\/|localhost\/)?berth-[0-9a-f]{8}\//i;
const HEREDOC = /<<-?\s*["']?\w/;
/** What ADD fetches begins so. Source: docs.docker.com/reference/dockerfile, ADD. */
const ADDRESSES = ['http://', 'https://', 'git://', 'ssh://', 'git@'];
const LINK_LOCAL = /^(169\.254\.|\[?fe80:)/i;

/** An image that a stage begins with. */
export interface BaseImage {
  readonly image: string;
  /** Value of `--platform`, such as `linux/amd64`; undefined when none is named. */
  readonly platform: string | undefined;
}

export interface CheckSourcesOptions {
  /** Of the build arguments that are given. */
  readonly values: Readonly<Record<string, string>>;
  readonly isAllowed: ImageRule;
}

/**
 * Refuses what a Dockerfile could reach through the engine itself, which neither the build's network nor its user bounds: images
 * that the operator doesn't list, other tenants' images whatever is listed, and addresses that ADD has the engine fetch.
 * @returns the images that stages begin with. What those have stored for later (ONBUILD) is part of the build, too.
 * @throws BerthError `build_failed` naming the instruction, and what to write in its place.
 */
export function checkSources(text: string, options: CheckSourcesOptions): BaseImage[] {
  return readInstructions(text).flatMap((instructions) => checkReading(instructions, options));
}

/**
 * Refuses instructions that an image has stored for the builds that begin with it, as {@link checkSources} does a Dockerfile's own.
 * @throws BerthError `build_failed`
 */
export function checkTriggers(triggers: readonly string[], options: CheckSourcesOptions): void {
  // A stage has no number or name that an image's author could know.
  checkSources(['FROM scratch', ...triggers].join('\n'), options);
}

function checkReading(instructions: readonly Instruction[], { values, isAllowed }: CheckSourcesOptions): BaseImage[] {
  const bases: BaseImage[] = [];
  const stages = new Set<string>();
  const variables = new Map<string, string>();
  let stageCount = 0;
  // What stands in a heredoc is an instruction to some engines and text to others: it makes no stage that counts.
  let isCertain = true;
  const resolve = (given: string, shown: string, what: string) => {
    const text = expand(given, variables);
    if (text !== undefined) return text;
    throw refuse(shown, `${what} can't be told from this; write it out, or use ARG NAME=value before the first FROM.`);
  };
  /** The image that is named; undefined for a stage. */
  const check = (given: string, shown: string, isStage: (image: string) => boolean) => {
    const image = resolve(given, shown, "the image's name");
    if (isStage(image.toLowerCase())) return undefined;
    checkImage(image, shown);
    if (image !== SCRATCH && !isAllowed(image)) {
      throw refuse(
        shown,
        `this server doesn't allow the image ${image}. Its operator can, with --allowed-images ${image}.`,
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
    throw refuse(shown, `an image has to be named with its tag (such as ${image.slice(0, 64)}:latest), not by its id.`);
  }
  if (OWN_IMAGE.test(image)) throw refuse(shown, "images of deployments can't be built on.");
  if (LINK_LOCAL.test(image)) throw refuse(shown, 'this address is out of bounds.');
}

/** Images and stages that flags name. */
function namedSources(keyword: string, rest: string): string[] {
  const bare = withoutQuotes(rest);
  if (keyword === 'COPY' || keyword === 'ADD')
    return [...bare.matchAll(/--from=(\S+)/gi)].map(([, image = '']) => image);
  if (keyword !== 'RUN') return [];
  // Podman knows these of itself.
  return [...bare.matchAll(/--mount=\S*?\bfrom=([^,\s]+)/gi)].map(([, image = '']) => image);
}

/** Engines drop quotes and either escape character, wherever in a word they stand. */
const withoutQuotes = (text: string) => text.replaceAll(/["'\\`]/g, '');

const refuse = (shown: string, why: string) => createError('build_failed', `${shown}: ${why}`);

/** The engine itself fetches what ADD names, past the network of builds. */
function checkAddress(rest: string, shown: string): void {
  const words = rest
    .replaceAll(/[[\]",']/g, ' ')
    .trim()
    .split(/\s+/);
  for (const word of words.slice(0, -1).filter((each) => !each.startsWith('--'))) {
    const literal = word.replaceAll('\\', '').split('$', 1)[0]?.toLowerCase() ?? '';
    if (ADDRESSES.some((start) => literal.startsWith(start))) {
      throw refuse(shown, 'ADD may not fetch addresses here, because the engine itself would; use RUN with curl.');
    }
    if (word.includes('$') && ADDRESSES.some((start) => start.startsWith(literal))) {
      throw refuse(
        shown,
        'what ADD copies may not begin with a variable, which could make an address of it; use COPY.',
      );
    }
  }
}

/** Arguments before the first FROM are the only ones that images' names can have. */
function readArguments(rest: string, values: Readonly<Record<string, string>>, variables: Map<string, string>): void {
  for (const [, name = '', value] of rest.matchAll(/([A-Za-z_]\w*)(?:=("[^"]*"|'[^']*'|\S*))?/g)) {
    const given = Object.hasOwn(values, name) ? values[name] : expand(value ?? '', variables);
    if (given !== undefined) variables.set(name, given);
  }
}

/** With variables filled in and quotes gone; undefined when it can't be told. */
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
