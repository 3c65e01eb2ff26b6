import { createError } from '@berth/contract';
import type { BerthError } from '@berth/kit';

/** The facts about a failed build. */
export interface FailedBuild {
  /** The engine's message. */
  readonly message: string;
  /** The exit code of a RUN command. */
  readonly exitCode: number | undefined;
  /** The step that failed; undefined before the first step. */
  readonly step:
    | { readonly title: string; readonly number: number; readonly count: number; readonly keyword: string }
    | undefined;
  /** A container of the build ran out of memory. */
  readonly isOutOfMemory: boolean;
  /** Formatted for people. */
  readonly memoryLimit: string;
  /** Berth generated the Dockerfile. */
  readonly isGenerated: boolean;
  /** The last lines of output. */
  readonly logs: readonly string[];
}

/** Returns an error that says what failed and what to do. Sources: messages of moby's classic builder, 20.10 to 28. */
export function explainBuildFailure(failed: FailedBuild): BerthError {
  const { message, exitCode, step, logs, isOutOfMemory, memoryLimit } = failed;
  const details = { details: { ...(step ? { step: step.title } : {}), logs } };
  const fail = (text: string) => createError('build_failed', text, details);
  const place = step === undefined ? 'The build' : `${step.title} (step ${step.number}/${step.count})`;
  if (/no space left on device/i.test(message)) {
    return createError(
      'out_of_capacity',
      'The disk of the container engine is full. The operator must free some space.',
      details,
    );
  }
  if (isOutOfMemory) return fail(`${place} exceeded the ${memoryLimit} memory limit of builds`);
  if (exitCode !== undefined) {
    if (exitCode > 128 && exitCode < 160) return fail(`${place} was killed by signal ${exitCode - 128}`);
    return fail(`${place} exited with ${exitCode}`);
  }
  const syntax = /dockerfile parse error(?: on)? line (\d+): ([^\n]*)/i.exec(message);
  if (syntax) return fail(`The Dockerfile has an error in line ${syntax[1]}: ${syntax[2]}`);
  if (/requires BuildKit/i.test(message)) {
    return fail(
      `${place} uses an unsupported BuildKit feature (BuildKit can't enforce limits; see docs/guides/dockerfiles.md): ${message}`,
    );
  }
  if (step?.keyword === 'FROM' || ABSENT_IMAGE.test(message))
    return fail(explainAbsentImage({ ...failed, image: imageOf(step) }));
  if (/^(COPY|ADD) failed/.test(message)) {
    return fail(
      `${place} failed: ${message.replace(/^(COPY|ADD) failed: */, '')}. The files must be in the archive and not in .dockerignore`,
    );
  }
  return fail(`${place} failed: ${message}`);
}

const ABSENT_IMAGE = /pull access denied|manifest (for .* not found|unknown)|invalid from flag value|no such image/i;

function imageOf(step: FailedBuild['step']): string | undefined {
  if (step?.keyword !== 'FROM') return undefined;
  return step.title.split(/\s+/).find((word, at) => at > 0 && !word.startsWith('--'));
}

/** Returns the message for an image that the engine neither has nor can fetch. `image` is undefined when its name is unknown. */
export function explainAbsentImage({
  message,
  image,
  isGenerated,
}: Pick<FailedBuild, 'message' | 'isGenerated'> & { readonly image: string | undefined }): string {
  const named = image === undefined ? 'A base image' : `The base image ${image}`;
  const remedy = isGenerated
    ? 'The operator of this server can load it into the engine (docker pull, docker load), or set another one with --base-images LANGUAGE=IMAGE'
    : 'Use an image that the engine can reach, such as one from a mirror (FROM mirror.example/…), or ask the operator of this server to load it into the engine';
  return `${named} is neither in the container engine nor could it be fetched: ${message}. ${remedy}`;
}
