/** Now, in microseconds of the clock that all processes of a machine share. */
export function nowMicros(): number {
  return Number(process.hrtime.bigint() / 1_000n);
}

/** What a paced turn is to say: the text of its message, as JSON. */
export interface PacedTurn {
  readonly frames: number;
  readonly gapMs: number;
  /** When the first frame is due, of {@link nowMicros}. */
  readonly startMicros: number;
  /** Frames are rows of a table instead of text. */
  readonly isRows?: boolean;
}

/**
 * The moments at which the frames of a turn are due, each when it has come: what a model's server would send then. A frame
 * that is late does not make the next one late. All turns share one timer a millisecond, so that the time it takes to make
 * them is not what is measured.
 */
export async function* pacedMoments({ frames, gapMs, startMicros }: PacedTurn): AsyncGenerator<number> {
  for (let frame = 0; frame < frames; frame++) {
    const dueMicros = startMicros + frame * gapMs * 1_000;
    if (dueMicros > nowMicros()) await until(dueMicros);
    yield dueMicros;
  }
}

const waiting = new Map<number, (() => void)[]>();
let firstMs = 0;
let timer: NodeJS.Timeout | undefined;

function until(micros: number): Promise<void> {
  const ms = Math.ceil(micros / 1_000);
  return new Promise((resolve) => {
    const others = waiting.get(ms);
    if (others) others.push(resolve);
    else waiting.set(ms, [resolve]);
    if (!timer) {
      firstMs = Math.floor(nowMicros() / 1_000);
      timer = setInterval(fire, 1);
    }
  });
}

function fire(): void {
  const nowMs = Math.floor(nowMicros() / 1_000);
  for (; firstMs <= nowMs; firstMs++) {
    for (const resolve of waiting.get(firstMs) ?? []) resolve();
    waiting.delete(firstMs);
  }
  if (waiting.size === 0) {
    clearInterval(timer);
    timer = undefined;
  }
}
