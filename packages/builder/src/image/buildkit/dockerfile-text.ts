import { createError } from '@berth/contract';

/** Lines of a Dockerfile. Values are quoted by each instruction's own rules. Source: docs.docker.com/reference/dockerfile. */
export const from = (image: string, stage?: string) => `FROM ${image}${stage === undefined ? '' : ` AS ${stage}`}`;

/** What the parser would read something of its own into, or end the instruction at, goes to sh as JSON. */
const NEEDS_JSON = /^\s*[[\-#]|[\n\r]|\\\s*$|<</;

export function run(line: string): string {
  return `RUN ${NEEDS_JSON.test(line) ? JSON.stringify(['/bin/sh', '-c', line]) : line}`;
}

export const command = (argv: readonly string[]) => `CMD ${JSON.stringify(argv)}`;

/** @param sources without wildcards, quotes and `$`. */
export function copy(sources: readonly string[], target: string, ...flags: readonly string[]): string {
  return ['COPY', ...flags, JSON.stringify([...sources, target])].join(' ');
}

/**
 * One instruction for all of them, since each is a step of its own; none for none.
 * @throws BerthError `build_failed` for a value of several lines: a Dockerfile has no way to write one.
 */
export function env(variables: Readonly<Record<string, string>>): string[] {
  const pairs = Object.entries(variables).map(([name, value]) => {
    if (/[\n\r]/.test(value)) {
      throw createError(
        'build_failed',
        `The build's variable ${name} has several lines, which an image can't be built with; set it for the service with "berth env set", or make it one line.`,
      );
    }
    return `${name}="${value.replaceAll(/[\\"$]/g, '\\$&')}"`;
  });
  return pairs.length === 0 ? [] : [`ENV ${pairs.join(' ')}`];
}
