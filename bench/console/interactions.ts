import type { Page } from 'playwright-core';

/** What a page did since the last reading. Durations are milliseconds. */
export interface Responsiveness {
  /** Tasks of the main thread longer than 50 ms. */
  readonly longTasks: number;
  readonly longestTaskMs: number;
  readonly interactions: number;
  /** 95th percentile of the time from an interaction to the next paint; those below 16 ms count as 16. */
  readonly p95Ms: number;
}

interface Observed {
  readonly tasks: number[];
  /** Longest event of each interaction, by its id. */
  readonly interactions: Map<number, number>;
  interactionsBefore: number;
}

/** Observes long tasks and interactions (Event Timing API) of every document that `page` opens. */
export async function observeResponsiveness(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const observed: Observed = { tasks: [], interactions: new Map(), interactionsBefore: 0 };
    Object.assign(globalThis, { observed });
    const observe = (type: string, take: (entry: PerformanceEntry & { readonly interactionId?: number }) => void) =>
      new PerformanceObserver((list) => list.getEntries().forEach(take)).observe({
        ...{ type, buffered: true, durationThreshold: 16 },
      });
    observe('longtask', ({ duration }) => observed.tasks.push(duration));
    observe('event', ({ interactionId = 0, duration }) => {
      if (interactionId === 0) return;
      observed.interactions.set(interactionId, Math.max(duration, observed.interactions.get(interactionId) ?? 0));
    });
  });
}

/** Returns what the current document did since it was opened or last read. */
export async function readResponsiveness(page: Page): Promise<Responsiveness> {
  const { tasks, slow, count } = await page.evaluate(async () => {
    // Entries are delivered after the frame that they measure.
    await new Promise((done) => requestAnimationFrame(() => requestIdleCallback(done)));
    const { observed } = globalThis as unknown as { readonly observed: Observed };
    const total = (performance as unknown as { readonly interactionCount: number }).interactionCount;
    const read = {
      tasks: observed.tasks.splice(0),
      slow: [...observed.interactions.values()],
      count: total - observed.interactionsBefore,
    };
    observed.interactions.clear();
    observed.interactionsBefore = total;
    return read;
  });
  const durations = [...slow, ...Array<number>(Math.max(0, count - slow.length)).fill(16)].toSorted((a, b) => a - b);
  return {
    longTasks: tasks.length,
    longestTaskMs: Math.round(Math.max(0, ...tasks)),
    interactions: durations.length,
    p95Ms: Math.round(durations[Math.ceil(durations.length * 0.95) - 1] ?? 0),
  };
}
