// How the pages do with much: the console with 10,000 deployments, 1 M log entries, 1 M objects and 100,000 audit lines, and
// the chat page with 100,000 chats. Prints a table with limits and results; exits with 1 when a limit is missed or a journey
// fails. Ends within 15 minutes. Run: npm run bench:console -- [--tenth] [--only console|chat]
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { type BrowserContextOptions, chromium } from 'playwright-core';
import { CHROMIUM_OPTIONS, NO_BROWSER } from '../../packages/agent/src/page/testing/open-browser.ts';
import { REPO } from '../../tests/harness/berth.ts';
import { buildPage } from '../../tools/web/build-page.ts';
import { openSeededAgent, walkChat } from './chat-journeys.ts';
import { type Measure, walkConsole } from './console-journeys.ts';
import { openSeededConsole } from './open-seeded-console.ts';
import { findMisses, type Journey, renderTable } from './report.ts';
import { measureResponsiveness, observeResponsiveness } from './responsiveness.ts';

const LIMIT_MS = 15 * 60_000;
/** Longest wait for anything that a journey waits for. */
const WAIT_MS = 30_000;

const { values } = parseArgs({ options: { tenth: { type: 'boolean' }, only: { type: 'string' } } });
if (NO_BROWSER) throw new Error(`Nothing was measured: ${NO_BROWSER}`);
const scale = values.tenth ? 0.1 : 1;
const journeys: Journey[] = [];

const deadline = setTimeout(() => {
  journeys.push({ ...nothing('the rest'), failure: `${LIMIT_MS / 60_000} minutes are over` });
  report();
  process.exit(1);
}, LIMIT_MS);
if (values.only !== 'chat') await measureConsole();
if (values.only !== 'console') await measureChat();
clearTimeout(deadline);
report();

async function measureConsole(): Promise<void> {
  await buildPage(REPO, 'apps/console', () => console.log('building the console …'));
  const counts = { entries: 1e6 * scale, lines: 1e5 * scale, deployments: 1e4, objects: 1e6 * scale };
  await using platform = await openSeededConsole(counts, console.log);
  await openPage({ baseURL: platform.url, storageState: platform.storageState }, (page, measure) =>
    walkConsole(page, measure, platform.seeded),
  );
}

async function measureChat(): Promise<void> {
  await buildPage(REPO, 'apps/chat', () => console.log('building the chat page …'));
  await using agent = await openSeededAgent(path.join(REPO, 'apps/chat/dist'), 1e5 * scale, 1e4 * scale);
  await openPage({ baseURL: agent.url }, walkChat);
}

async function openPage(
  options: BrowserContextOptions,
  walk: (page: Parameters<typeof observeResponsiveness>[0], measure: Measure) => Promise<void>,
): Promise<void> {
  const browser = await chromium.launch(CHROMIUM_OPTIONS);
  await using _ = { [Symbol.asyncDispose]: () => browser.close() };
  const context = await browser.newContext({ viewport: { width: 1_280, height: 800 }, ...options });
  context.setDefaultTimeout(WAIT_MS);
  const page = await context.newPage();
  await observeResponsiveness(page);
  const measure: Measure = async (name, work, { isFirstRow = false } = {}) => {
    let tookMs = 0;
    const seen = await measureResponsiveness(page, async () => {
      const startedMs = performance.now();
      await work().finally(() => {
        tookMs = Math.round(performance.now() - startedMs);
      });
    });
    journeys.push({ name, tookMs, isFirstRow, ...seen });
    console.log(`${name}: ${seen.failure ?? `${tookMs} ms`} (load ${os.loadavg()[0]?.toFixed(1)})`);
  };
  try {
    await walk(page, measure);
  } catch (error) {
    journeys.push({ ...nothing('between two journeys'), failure: String(error).split('\n')[0] });
  }
}

function nothing(name: string): Journey {
  return { name, tookMs: 0, isFirstRow: false, taskCpuMs: 0, taskMs: 0, interactionsMs: [] };
}

function report(): void {
  const misses = findMisses(journeys);
  console.log(`\n${renderTable(journeys)}\n\nMilliseconds. Load of the machine: ${os.loadavg()[0]?.toFixed(1)}.`);
  console.log(misses.length === 0 ? 'All limits are met.' : `${misses.length} missed:\n  ${misses.join('\n  ')}`);
  process.exitCode = misses.length === 0 ? 0 : 1;
}
