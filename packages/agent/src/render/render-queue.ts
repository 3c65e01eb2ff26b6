import { createError } from '@berth/contract';

export interface RenderQueueOptions {
  /** Jobs at a time. */
  readonly running: number;
  /** Jobs that may wait. */
  readonly waiting: number;
  /** Jobs that one owner may have in all, so that nobody's slow documents keep everybody else away. */
  readonly perOwner: number;
}

/** Runs a few jobs at a time, the others in the order they came. */
export interface RenderQueue {
  /** @throws `unavailable` when the line is full, and what the job throws. */
  run<Value>(owner: string, job: () => Promise<Value>): Promise<Value>;
}

/** What is told to who comes when the line is full: a job takes about so long. */
const RETRY_AFTER_SECONDS = 5;

export function createRenderQueue({ running, waiting, perOwner }: RenderQueueOptions): RenderQueue {
  const line: (() => void)[] = [];
  const owners = new Map<string, number>();
  let free = running;
  const leave = (owner: string) => {
    const left = (owners.get(owner) ?? 1) - 1;
    if (left === 0) owners.delete(owner);
    else owners.set(owner, left);
    const next = line.shift();
    if (next) next();
    else free++;
  };
  return {
    async run(owner, job) {
      const own = owners.get(owner) ?? 0;
      if (own >= perOwner || (free === 0 && line.length >= waiting)) {
        const retryAfterSeconds = RETRY_AFTER_SECONDS;
        throw createError('unavailable', 'Other documents are being rendered; try again in a moment.', {
          details: { retryAfterSeconds },
        });
      }
      owners.set(owner, own + 1);
      if (free > 0) free--;
      else await new Promise<void>((resolve) => line.push(resolve));
      try {
        return await job();
      } finally {
        leave(owner);
      }
    },
  };
}
