import { createError } from '@berth/contract';

/**
 * Returns a FROM instruction. The functions of this file quote values by each instruction's own rules. Source:
 * docs.docker.com/reference/dockerfile.
 */
export const from = (image: string, stage?: string) => `FROM ${image}${stage === undefined ? '' : ` AS ${stage}`}`;

/** Matches lines that the Dockerfile parser would interpret or cut off. These are passed to sh as JSON. */
const NEEDS_JSON = /^\s*[[\-#]|[\n\r]|\\\s*$|<</;

/** Returns a RUN instruction for one line of sh. */
export function run(line: string): string {
  return `RUN ${NEEDS_JSON.test(line) ? JSON.stringify(['/bin/sh', '-c', line]) : line}`;
}

/** Returns a CMD instruction in JSON form. */
export const command = (argv: readonly string[]) => `CMD ${JSON.stringify(argv)}`;

/** Returns a COPY instruction. @param sources without wildcards, quotes and `$`. */
export function copy(sources: readonly string[], target: string, ...flags: readonly string[]): string {
  return ['COPY', ...flags, JSON.stringify([...sources, target])].join(' ');
}

/**
 * Returns one ENV instruction for all variables, since each instruction is a step of its own; empty for no variables.
 * @throws BerthError `build_failed` for a multi-line value, which a Dockerfile can't express.
 */
export function env(variables: Readonly<Record<string, string>>): string[] {
  const pairs = Object.entries(variables).map(([name, value]) => {
    if (/[\n\r]/.test(value)) {
      throw createError(
        'build_failed',
        `The build's variable ${name} has several lines, which image builds don't support. Set it for the service with "berth env set", or make it one line.`,
      );
    }
    return `${name}="${value.replaceAll(/[\\"$]/g, '\\$&')}"`;
  });
  return pairs.length === 0 ? [] : [`ENV ${pairs.join(' ')}`];
}
