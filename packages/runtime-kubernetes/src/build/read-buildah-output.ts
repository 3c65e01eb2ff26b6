import type { BuildEvent } from '@berth/builder/image';

const STEP = /^(?:\[\d+\/\d+\] )?STEP (\d+)\/(\d+): (.*)$/;
/** Messages that aren't useful to people. Source: buildah 1.28 to 1.39, imagebuildah/executor.go. */
const NOISE = [
  /^COMMIT( |$)/,
  /^\[Warning\] one or more build args were not consumed/,
  /^--> (Using cache )?[0-9a-f]{8,}$/,
  /^Successfully tagged /,
  /^[0-9a-f]{64}$/,
  /^Getting image source signatures$/,
  /^Writing manifest to image destination$/,
  /^Storing signatures$/,
  /^Copying (blob|config) /,
  /^subprocess exited with status \d+$/,
];
const FAILED = /^Error: (.*)$/;
/** Around the message of a parser: where it is, which the step says, and a dump of the step. */
const DUMP = /^building at STEP ".*?": Build error: | &imagebuilder\.Step\{.*$/gs;
const EXIT = /exit status (\d+)$/;

/**
 * Translates a line of buildah's output. Programs of the build print to the same stream and can forge any line: no event may cause anything that
 * their tenant isn't allowed to do.
 */
export function readBuildahLine(line: string): BuildEvent[] {
  const [, number, count, instruction] = STEP.exec(line) ?? [];
  if (instruction !== undefined) {
    return [{ kind: 'step', step: { number: Number(number), count: Number(count), instruction } }];
  }
  const failure = FAILED.exec(line)?.[1];
  if (failure !== undefined) {
    const code = EXIT.exec(failure)?.[1];
    return [
      { kind: 'error', message: failure.replaceAll(DUMP, ''), exitCode: code === undefined ? undefined : Number(code) },
    ];
  }
  if (line.trim() === '' || NOISE.some((pattern) => pattern.test(line))) return [];
  return [{ kind: 'output', line }];
}
