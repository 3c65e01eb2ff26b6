import { createOutputTail } from '@berth/builder/image';
import type { BuildEvent, BuildStep } from './read-build-output.ts';

/** Lines shown with the error of a failed build. */
const TAIL_LINES = 40;
/** Characters of an instruction that people are shown. */
const TITLE_LENGTH = 200;

export interface BuildProgressOptions {
  /** As of `ImageSource`. */
  readonly titles: Readonly<Record<string, string>> | undefined;
  readonly onLine: (line: string, isOutput: boolean) => void | Promise<void>;
}

/** A step as people know it. */
export interface NamedStep extends Pick<BuildStep, 'number' | 'count'> {
  /** `RUN npm ci`, or `npm ci` of a Dockerfile that Berth wrote. */
  readonly title: string;
  /** e.g. `RUN`. */
  readonly keyword: string;
}

/** Where a build is, from its events; says what people follow. */
export interface BuildProgress {
  take(event: BuildEvent): Promise<void>;
  readonly step: NamedStep | undefined;
  /** Short ids of the containers its steps ran in, the newest last. */
  readonly containers: readonly string[];
  readonly failure: Extract<BuildEvent, { kind: 'error' }> | undefined;
  /** Id of the finished image. */
  readonly image: string | undefined;
  /** Short ids of what the stages that end in no image made, and of how far a failed build came: worth keeping for the next. */
  readonly leftovers: readonly string[];
  /** The last lines of output. */
  readonly logs: readonly string[];
  readonly outputBytes: number;
}

export function createBuildProgress({ titles, onLine }: BuildProgressOptions): BuildProgress {
  const tail = createOutputTail(TAIL_LINES);
  const containers: string[] = [];
  const stages: string[] = [];
  let step: NamedStep | undefined;
  let waiting: string | undefined;
  let last: string | undefined;
  let failure: BuildProgress['failure'];
  let image: string | undefined;
  let outputBytes = 0;

  /** A step is said once it is known whether it has anything to do. */
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
    async take(event) {
      if (event.kind === 'cached') return sayStep(' (unchanged: from the cache)');
      await sayStep();
      switch (event.kind) {
        case 'step':
          return begin(event.step);
        case 'container':
          containers.push(event.id);
          return;
        case 'image':
          // What a stage begins with is not its own.
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
    containers,
    get failure() {
      return failure;
    },
    get image() {
      return image;
    },
    get leftovers() {
      return image === undefined && last !== undefined ? [...stages, last] : stages;
    },
    get logs() {
      return tail.lines;
    },
    get outputBytes() {
      return outputBytes;
    },
  };
}
