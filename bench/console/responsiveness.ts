import type { Page } from 'playwright-core';
import { mainTasks } from '../main-tasks.ts';

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

/** What a page's main thread did during some work, in milliseconds. */
export interface Responsiveness {
  readonly taskCpuMs: number;
  readonly taskMs: number;
  readonly interactionsMs: readonly number[];
  readonly failure?: string | undefined;
}

/** Does `work` and returns what the main thread of the page had to do meanwhile. A failure of `work` is returned too. */
export async function measureResponsiveness(page: Page, work: () => Promise<unknown>): Promise<Responsiveness> {
  const browser = page.context().browser();
  await browser?.startTracing(page, { categories: ['toplevel'] });
  let failure: string | undefined;
  try {
    await work();
  } catch (error) {
    failure = String(error).split('\n')[0];
  }
  const { tasks, interactionsMs } = await readObserved(page);
  const trace = await browser?.stopTracing();
  const taskCpuMs = Math.round(Math.max(0, ...(trace ? mainTasks(trace) : [])));
  return { taskCpuMs, taskMs: Math.round(Math.max(0, ...tasks)), interactionsMs, failure };
}

/** Returns what the current document did since it was opened or last read. */
async function readObserved(page: Page) {
  const { tasks, slow, count } = await page.evaluate(async () => {
    // Entries are delivered after the frame that they measure.
    await new Promise((done) => requestAnimationFrame(() => requestIdleCallback(done, { timeout: 2_000 })));
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
  // Only interactions of at least 16 ms are reported; the others count as 16.
  const quick = Array<number>(Math.max(0, count - slow.length)).fill(16);
  return { tasks, interactionsMs: [...slow, ...quick].map(Math.round) };
}
