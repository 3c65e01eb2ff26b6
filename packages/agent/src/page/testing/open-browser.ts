import { existsSync } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright-core';

/** The whole browser, which also has devices such as a microphone. */
export const WHOLE_BROWSER = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
/** The same engine without anything of a window: it does the same in two thirds of the time. */
const SHELL = '/usr/bin/chromium-headless-shell';
const EXECUTABLE = process.env['CHROMIUM'] === undefined && existsSync(SHELL) ? SHELL : WHOLE_BROWSER;

/** Why the page can't be tested here; undefined when it can. */
export const NO_BROWSER = existsSync(EXECUTABLE) ? undefined : `there is no Chromium at ${EXECUTABLE}`;

/** Chromium without a window, and without asking anybody outside. */
export const CHROMIUM_OPTIONS = {
  executablePath: EXECUTABLE,
  args: [
    // The tests' own pages only; as root there is no other way.
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

export function openBrowser(): Promise<Browser> {
  return chromium.launch(CHROMIUM_OPTIONS);
}

/** A page of a person of their own, who signs in with `token` if there is one, and what went wrong in it. */
export interface TestPage extends AsyncDisposable {
  readonly page: Page;
  /** Errors of scripts, and what the Content-Security-Policy refused. */
  readonly problems: readonly string[];
}

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
