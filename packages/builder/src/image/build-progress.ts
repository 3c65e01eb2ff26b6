import { createOutputTail } from '../build/output-tail.ts';
import type { ImageSource } from './prepare-image-source.ts';

/** A step of a Dockerfile. */
export interface BuildStep {
  /** Counted from 1. */
  readonly number: number;
  readonly count: number;
  /** The instruction as written in the Dockerfile. */
  readonly instruction: string;
}

/** An event of a build. */
export type BuildEvent =
  | { readonly kind: 'step'; readonly step: BuildStep }
  /** The step's result came from the cache. */
  | { readonly kind: 'cached' }
  /** The step runs in the container with this short id. */
  | { readonly kind: 'container'; readonly id: string }
  /** Short id of the image that the step made, or of its base image. */
  | { readonly kind: 'image'; readonly id: string }
  | { readonly kind: 'output'; readonly line: string }
  | { readonly kind: 'done'; readonly id: string }
  | { readonly kind: 'error'; readonly message: string; readonly exitCode: number | undefined };

/** Lines of output in the error of a failed build. */
const TAIL_LINES = 40;
/** Maximum length of a step's title, in characters. */
const TITLE_LENGTH = 200;

/** A step with the title that people see. */
export interface NamedStep extends Pick<BuildStep, 'number' | 'count'> {
  /** `RUN npm ci`, or `npm ci` of a Dockerfile that Berth wrote. */
  readonly title: string;
  /** e.g. `RUN`. */
  readonly keyword: string;
}

/** The state of a build, derived from its events. Writes the build's log. */
export type BuildProgress = ReturnType<typeof createBuildProgress>;

/** Creates the state of a build that is about to start. @param titles The `titles` of `ImageSource`. */
export function createBuildProgress(
  titles: ImageSource['titles'],
  onLine: (line: string, isOutput: boolean) => void | Promise<void>,
) {
  const tail = createOutputTail(TAIL_LINES);
  const containers: string[] = [];
  const stages: string[] = [];
  let step: NamedStep | undefined;
  let waiting: string | undefined;
  let last: string | undefined;
  let failure: Extract<BuildEvent, { kind: 'error' }> | undefined;
  let image: string | undefined;
  let outputBytes = 0;

  /** Logs the pending step. This is delayed until the engine reports whether the step comes from the cache. */
  const sayStep = async (note = '') => {
    const line = waiting;
    waiting = undefined;
    if (line !== undefined) await onLine(line + note, false);
  };
  const begin = ({ number, count, instruction }: BuildStep) => {
    const keyword = instruction.split(/\s/, 1)[0]?.toUpperCase() ?? '';
    if (keyword === 'FROM' && last !== undefined) stages.push(last);
    if (keyword === 'FROM') last = undefined;
    const shown = titles?.[instruction];
    const title = shown ?? instruction.replaceAll(/\s+/g, ' ').slice(0, TITLE_LENGTH);
    step = { number, count, title, keyword };
    if (titles === undefined) waiting = `Step ${number}/${count}: ${title}`;
    else if (shown !== undefined) waiting = `$ ${title}`;
  };

  return {
    /** Applies the next event. */
    async take(event: BuildEvent): Promise<void> {
      if (event.kind === 'cached') return sayStep(' (unchanged: from the cache)');
      await sayStep();
      switch (event.kind) {
        case 'step':
          return begin(event.step);
        case 'container':
          containers.push(event.id);
          return;
        case 'image':
          // The image after FROM is the stage's base, not its result.
          if (step?.keyword !== 'FROM') last = event.id;
          return;
        case 'output':
          outputBytes += Buffer.byteLength(event.line) + 1;
          tail.add(event.line);
          return onLine(event.line, true);
        case 'done':
          image = event.id;
          return;
        case 'error':
          failure = event;
      }
    },
    get step() {
      return step;
    },
    /** Short ids of the containers that its steps ran in, newest last. */
    containers,
    get failure() {
      return failure;
    },
    /** Id of the finished image. */
    get image() {
      return image;
    },
    /** Short ids of the last images of intermediate stages, and of a failed build's last step. The next build can start from them. */
    get leftovers() {
      return image === undefined && last !== undefined ? [...stages, last] : stages;
    },
    /** The last lines of output. */
    get logs() {
      return tail.lines;
    },
    get outputBytes() {
      return outputBytes;
    },
  };
}
