import { createError } from '@berth/contract';
import { type Instruction, readInstructions } from './read-instructions.ts';

/** What an engine would take for an id, in full or in part: it could be of anybody's image. */
const IMAGE_ID = /^(sha256:)?[0-9a-f]+$/i;
/** Images that Berth made. */
const OWN_IMAGE = /^([^/]*[.:][^/]*\/|localhost\/)?berth-[0-9a-f]{8}\//i;
/** What ADD fetches begins so. Source: docs.docker.com/reference/dockerfile, ADD. */
const ADDRESSES = ['http://', 'https://', 'git://', 'ssh://', 'git@'];
const LINK_LOCAL = /^(169\.254\.|\[?fe80:)/i;

/**
 * Refuses what a Dockerfile could reach through the engine itself, which neither the build's network nor its user bounds: other
 * tenants' images, by their ids, and addresses that ADD has the engine fetch.
 * @param values of the build arguments that are given.
 * @throws BerthError `build_failed` naming the instruction, and what to write in its place.
 */
export function checkSources(text: string, values: Readonly<Record<string, string>>): void {
  // What stands in a heredoc is an instruction to some engines and text to others.
  const isCertain = !/<<-?\s*["']?\w/.test(text);
  for (const instructions of readInstructions(text)) checkReading(instructions, values, isCertain);
}

/** @param isCertain Every instruction is one to all engines. */
function checkReading(
  instructions: readonly Instruction[],
  values: Readonly<Record<string, string>>,
  isCertain: boolean,
): void {
  const stages = new Set<string>();
  const variables = new Map<string, string>();
  let stageCount = 0;
  const check = (given: string, shown: string, isStage: (image: string) => boolean) => {
    const image = expand(given, variables);
    if (image === undefined) {
      throw refuse(
        shown,
        "the image's name can't be told from this; write it out, or use ARG NAME=value before the first FROM.",
      );
    }
    if (isStage(image.toLowerCase()) && (isCertain || !IMAGE_ID.test(image))) return;
    checkImage(image, shown);
  };
  for (const { keyword, rest } of instructions) {
    const shown = `${keyword} ${rest.slice(0, 120)}`;
    for (const image of namedSources(keyword, rest)) {
      check(image, shown, (name) => stages.has(name) || (/^\d+$/.test(name) && Number(name) < stageCount));
    }
    if (keyword === 'ARG' && stageCount === 0) readArguments(rest, values, variables);
    if (keyword === 'ADD') checkAddress(rest, shown);
    if (keyword !== 'FROM') continue;
    const [image = '', , name] = rest.split(/\s+/).filter((word) => !word.startsWith('--'));
    check(image, shown, (base) => stages.has(base));
    stageCount++;
    if (name !== undefined) stages.add(name.toLowerCase());
  }
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
