import { existsSync } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright-core';

/** Path of full Chromium, which has devices such as a microphone. */
export const WHOLE_BROWSER = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
/** Path of the headless shell: the same engine without a window, which takes two thirds of the time. */
const SHELL = '/usr/bin/chromium-headless-shell';
const EXECUTABLE = process.env['CHROMIUM'] === undefined && existsSync(SHELL) ? SHELL : WHOLE_BROWSER;

/** The reason why browser tests can't run on this machine; undefined when they can. */
export const NO_BROWSER = existsSync(EXECUTABLE) ? undefined : `there is no Chromium at ${EXECUTABLE}`;

/** Launch options: headless, and without background requests to the network. */
export const CHROMIUM_OPTIONS = {
  executablePath: EXECUTABLE,
  args: [
    // Chromium has no sandbox as root. The tests open only their own pages.
    '--no-sandbox',
    '--disable-gpu',
    '--disable-dev-shm-usage',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ],
};

/** Starts a browser. */
export function openBrowser(): Promise<Browser> {
  return chromium.launch(CHROMIUM_OPTIONS);
}

/** A page in a browser context of its own, and the problems found in it. */
export interface TestPage extends AsyncDisposable {
  readonly page: Page;
  /** Script errors and violations of the Content-Security-Policy. */
  readonly problems: readonly string[];
}

/** Opens a page that enters `token` when it is prompted. */
export async function openPage(
  browser: Browser,
  token?: string,
  size = { width: 1_000, height: 800 },
): Promise<TestPage> {
  const context = await browser.newContext({ viewport: size });
  context.setDefaultTimeout(20_000);
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      problems.push(message.text());
  });
  page.on('dialog', (dialog) => void dialog.accept(token));
  return { page, problems, [Symbol.asyncDispose]: () => context.close() };
}
