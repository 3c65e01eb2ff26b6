import { mkdirSync } from 'node:fs';
import path from 'node:path';
import axe from 'axe-core';
import { type Browser, chromium, type Page } from 'playwright-core';
import { inject } from 'vitest';
import { CHROMIUM_OPTIONS, WHOLE_BROWSER } from '../../../packages/agent/src/page/testing/open-browser.ts';
import { REPO } from '../../harness/berth.ts';

/** Where screenshots are kept, for people to look at. */
const SCREENS = path.join(REPO, 'test-results/screens');

/** How a page is met: size of the window, language. */
export interface Setting {
  readonly name: string;
  readonly width: number;
  readonly height: number;
  readonly language: 'en' | 'ar';
}

/** Every journey is gone at both sizes and in both directions of script; each with each would take twice the time. */
export const SETTINGS: readonly Setting[] = [
  { name: 'desktop en', width: 1_280, height: 800, language: 'en' },
  { name: 'phone ar', width: 390, height: 844, language: 'ar' },
];

export interface VisitOptions extends Partial<Omit<Setting, 'name'>> {
  /** The platform's address; that of the shared one when absent. */
  readonly url?: string;
  /** False for someone who is not signed in. */
  readonly isSignedIn?: boolean;
  readonly theme?: 'light' | 'dark';
  /** In a browser of its own that has a microphone, which beeps. */
  readonly hasMicrophone?: boolean;
}

/** A person at a browser of their own. */
export interface Visit extends AsyncDisposable {
  readonly page: Page;
  /** Errors of scripts, what the policy refused, and requests that went anywhere but to this machine. */
  readonly problems: readonly string[];
  /**
   * Looks at what is shown: no violation of accessibility (axe, all rules of WCAG 2.2 A and AA), nothing wider than the
   * window, no problem so far. Keeps a screenshot; in CI, only of a page with a fault.
   */
  check(name: string): Promise<void>;
}

let browser: Promise<Browser> | undefined;

const WITH_MICROPHONE = {
  ...CHROMIUM_OPTIONS,
  executablePath: WHOLE_BROWSER,
  args: [...CHROMIUM_OPTIONS.args, '--use-fake-device-for-media-stream'],
};

export async function openVisit(options: VisitOptions = {}): Promise<Visit> {
  const platform = inject('platform');
  const {
    url = platform.url,
    width = 1_280,
    height = 800,
    language = 'en',
    isSignedIn = true,
    theme = 'light',
    hasMicrophone = false,
  } = options;
  browser ??= chromium.connect(platform.browser);
  const own = hasMicrophone ? await chromium.launch(WITH_MICROPHONE) : undefined;
  const context = await (own ?? (await browser)).newContext({
    baseURL: url,
    viewport: { width, height },
    locale: language,
    colorScheme: theme,
    hasTouch: width < 500,
    permissions: ['clipboard-read', 'clipboard-write'],
    reducedMotion: 'reduce',
  });
  context.setDefaultTimeout(20_000);
  const problems: string[] = [];
  await context.route(
    ({ hostname }) => hostname !== 'localhost' && !hostname.endsWith('.localhost') && hostname !== '127.0.0.1',
    (route) => {
      problems.push(`asked ${route.request().url()}`);
      return route.abort();
    },
  );
  if (isSignedIn) await context.addCookies([{ ...platform.cookie, url, httpOnly: true, sameSite: 'Strict' }]);
  const page = await context.newPage();
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('console', (message) => {
    if (message.type() !== 'error' || message.text().startsWith('Failed to load resource')) return;
    problems.push(message.text());
  });
  return {
    page,
    problems,
    async check(name) {
      const faults = await findFaults(page);
      const isSound = faults.length + problems.length === 0;
      if (isSound && process.env['CI'] === 'true') return;
      mkdirSync(SCREENS, { recursive: true });
      const shape = width < 500 ? 'phone' : 'desktop';
      await page.screenshot({ path: path.join(SCREENS, `${name}-${shape}-${language}-${theme}.png`) });
      if (!isSound) throw new Error([`${name}:`, ...faults, ...problems].join('\n'));
    },
    async [Symbol.asyncDispose]() {
      await context.close();
      await own?.close();
    },
  };
}

async function findFaults(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(() =>
    (globalThis as unknown as { axe: typeof axe }).axe.run({
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
    }),
  );
  const faults = violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ html, failureSummary }) => `${html} (${failureSummary})`).join('\n  ')}`,
  );
  const overPx = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  if (overPx > 0) faults.push(`it is ${overPx} px wider than the window`);
  return faults;
}
