import type { Diagram, DiagramAnswer, DiagramOrder } from './diagram-order.ts';

/** Where diagrams are drawn, one at a time. */
export interface Easel {
  draw(order: DiagramOrder): Promise<DiagramAnswer>;
  /** Takes it down, whatever it is busy with. */
  close(): void;
}

export interface DiagramDrawerOptions {
  /** Sets one up: it costs a second, and so it is done with the first diagram. */
  openEasel(): Easel;
  /** Runs work later; returns what calls it off. */
  readonly schedule: (work: () => void, delayMs: number) => () => void;
}

/** Draws diagrams; the same one is drawn once. */
export interface DiagramDrawer {
  /** @throws DiagramError for a source that is none, or one that takes too long */
  draw(order: DiagramOrder): Promise<Diagram>;
}

/** Why there is no picture; the message is the parser's own. */
export class DiagramError extends Error {
  readonly isTooSlow: boolean;

  constructor(message: string, isTooSlow = false) {
    super(message);
    this.isTooSlow = isTooSlow;
  }
}

/** The first one waits for the library as well: 0.8 MB over a slow line. */
const FIRST_MS = 30_000;
const EACH_MS = 5_000;
/** An easel that nobody needs takes 40 MB. */
const IDLE_MS = 20_000;
const KEPT = 100;

/**
 * Invariants:
 * 1. One diagram at a time: one that never ends costs its own time and no other's place.
 * 2. An easel that was late is taken down: what it is busy with goes with it.
 */
export function createDiagramDrawer({ openEasel, schedule }: DiagramDrawerOptions): DiagramDrawer {
  const drawn = new Map<string, Promise<Diagram>>();
  let easel: Easel | undefined;
  let isProven = false;
  let last: Promise<unknown> = Promise.resolve();
  let cancelIdle: (() => void) | undefined;

  const takeDown = () => {
    easel?.close();
    easel = undefined;
    isProven = false;
  };

  const drawNow = async (order: DiagramOrder): Promise<Diagram> => {
    cancelIdle?.();
    easel ??= openEasel();
    const late = Promise.withResolvers<never>();
    const cancel = schedule(
      () => late.reject(new DiagramError('It takes too long to draw.', true)),
      isProven ? EACH_MS : FIRST_MS,
    );
    try {
      const answer = await Promise.race([easel.draw(order), late.promise]);
      isProven = true;
      if ('problem' in answer) throw new DiagramError(answer.problem);
      return answer;
    } catch (error) {
      if (!(error instanceof DiagramError) || error.isTooSlow) takeDown();
      throw error;
    } finally {
      cancel();
      cancelIdle = schedule(takeDown, IDLE_MS);
    }
  };

  return {
    draw(order) {
      const key = `${order.isDark}:${order.source}`;
      const before = drawn.get(key);
      if (before) return before;
      const picture = last.then(() => drawNow(order));
      last = picture.catch(() => undefined);
      drawn.set(key, picture);
      // A source that is wrong stays wrong; whatever else failed may not the next time.
      picture.catch((error: unknown) => error instanceof DiagramError || drawn.delete(key));
      if (drawn.size > KEPT) drawn.delete(drawn.keys().next().value as string);
      return picture;
    },
  };
}
