import type { Schedule } from '../../store/schedule.ts';

/** A renderer of diagrams, one at a time. */
export interface DiagramRenderer {
  draw(order: DiagramOrder): Promise<DiagramAnswer>;
  /** Closes the renderer, even while it is drawing. */
  close(): void;
}

/** Options of {@link createDiagramDrawer}. */
export interface DiagramDrawerOptions {
  /** Opens a renderer. This takes about a second, so it is called only when a diagram needs one. */
  openRenderer(): DiagramRenderer;
  readonly schedule: Schedule;
}

/** A queue of diagrams to draw, with a cache: an equal diagram is drawn once. */
export interface DiagramDrawer {
  /** Draws a diagram. @throws DiagramError for an invalid source or one that takes too long */
  draw(order: DiagramOrder): Promise<Diagram>;
}

/** The error of a diagram that cannot be drawn: the parser's message, or a timeout when `isTooSlow` is true. */
export class DiagramError extends Error {
  readonly isTooSlow: boolean;

  constructor(message: string, isTooSlow = false) {
    super(message);
    this.isTooSlow = isTooSlow;
  }
}

/** Timeout of the first diagram, which includes loading the library: 0.8 MB over a slow connection. */
const FIRST_MS = 30_000;
const EACH_MS = 5_000;
/** Time until an idle renderer is closed; it uses 40 MB of memory. */
const IDLE_MS = 20_000;
const KEPT = 100;

/**
 * Creates a drawer that opens its renderer with the first diagram. Invariants:
 * 1. One diagram is drawn at a time: one that never finishes only uses up its own timeout.
 * 2. A renderer that exceeds a timeout is closed, which ends its work.
 */
export function createDiagramDrawer({ openRenderer, schedule }: DiagramDrawerOptions): DiagramDrawer {
  const drawn = new Map<string, Promise<Diagram>>();
  let renderer: DiagramRenderer | undefined;
  let isProven = false;
  let last: Promise<unknown> = Promise.resolve();
  let cancelIdle: (() => void) | undefined;

  const takeDown = () => {
    renderer?.close();
    renderer = undefined;
    isProven = false;
  };

  const drawNow = async (order: DiagramOrder): Promise<Diagram> => {
    cancelIdle?.();
    renderer ??= openRenderer();
    const late = Promise.withResolvers<never>();
    const cancel = schedule(
      () => late.reject(new DiagramError('It takes too long to draw.', true)),
      isProven ? EACH_MS : FIRST_MS,
    );
    try {
      const answer = await Promise.race([renderer.draw(order), late.promise]);
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
      // An invalid source stays invalid; any other failure may succeed on the next try.
      picture.catch((error: unknown) => error instanceof DiagramError || drawn.delete(key));
      if (drawn.size > KEPT) drawn.delete(drawn.keys().next().value as string);
      return picture;
    },
  };
}

/** A request to the frame that draws diagrams; the frame answers on the message port sent with it. */
export interface DiagramOrder {
  readonly source: string;
  readonly isDark: boolean;
}

/** A drawn diagram: an SVG document, which must be shown as an image and never inserted into the page. */
export interface Diagram {
  readonly svg: string;
  /** In CSS pixels. */
  readonly width: number;
  readonly height: number;
}

/** The frame's answer: the diagram, or the error message for its source. */
export type DiagramAnswer = Diagram | { readonly problem: string };
