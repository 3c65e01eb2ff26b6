import type { FakeCall } from '@berth/client/testing';
import { mount } from '@berth/ui/testing';
import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  RouterProvider,
} from '@tanstack/react-router';
import { createElement, type ReactNode } from 'react';
import { onTestFinished, vi } from 'vitest';
import { readDeploymentSearch } from '../features/deployments/deployment-tabs.ts';
import { createDeployRun, type DeployRun } from '../features/deploys/state/create-deploy-run.ts';
import { DeployRunContext } from '../features/deploys/state/deploy-run-context.ts';
import type { PasskeyBrowser } from '../features/passkeys/passkey-browser.ts';
import { PasskeyBrowserContext } from '../features/passkeys/passkey-browser-context.ts';
import { createMemoryStorage, setupProviders, type ViewSetup } from '../render-view.test-support.ts';

/** Surroundings of a view in a document. */
export interface OpenSetup extends ViewSetup {
  /** Address of the page, without the origin. */
  readonly address?: string;
  readonly deployRun?: DeployRun;
  /** Methods of the client besides `get`, `post`, `put` and `delete`. */
  readonly methods?: Readonly<Record<string, (...args: never) => unknown>>;
  readonly passkeys?: PasskeyBrowser;
}

/** A call of the API that a view made. */
export interface MadeCall extends FakeCall {
  /** Method and path of the OpenAPI document. */
  readonly route: string;
}

const PATIENCE_MS = 10_000;

/**
 * Mounts a view below the providers of the console, and returns what a person sees of it and does with it. Elements are
 * found by their names for screen readers; what a modal dialog covers is not found. Test files begin with
 * `// @vitest-environment happy-dom`.
 */
export async function openView(view: ReactNode, setup: OpenSetup = {}) {
  const calls: MadeCall[] = [];
  const answers = Object.fromEntries(
    Object.entries(setup.answers ?? {}).map(([route, answer]) => [
      route,
      (call: FakeCall) => {
        calls.push({ route, ...call });
        return answer(call);
      },
    ]),
  );
  const { queries, api, provide } = setupProviders({ ...setup, answers });
  Object.assign(api.client, setup.methods);
  const root = createRootRoute();
  const isDeployment = setup.address?.startsWith('/deployments/') === true;
  const at = { getParentRoute: () => root, component: () => view };
  const router = createRouter({
    routeTree: root.addChildren([
      createRoute({ ...at, path: '/deployments/$name', validateSearch: readDeploymentSearch }),
      createRoute({ ...at, path: '$', ...(isDeployment && { component: () => 'Another page' }) }),
    ]),
    history: createMemoryHistory({ initialEntries: [setup.address ?? '/here'] }),
  });
  await router.load();
  const run = setup.deployRun ?? createDeployRun({ client: api.client, storage: createMemoryStorage() });
  const page = createElement(RouterProvider, { router: router as never });
  const withPasskeys = createElement(PasskeyBrowserContext, { value: setup.passkeys as PasskeyBrowser }, page);
  const { settle, click, fill, press } = await mount(
    provide(createElement(DeployRunContext, { value: run }, withPasskeys)),
  );
  onTestFinished(() => queries.clear());

  /** Waits until `look` no longer throws, and returns what it returns. */
  async function until<Seen>(look: () => Seen): Promise<Seen> {
    for (const endMs = performance.now() + PATIENCE_MS; ; ) {
      try {
        return look();
      } catch (error) {
        if (performance.now() > endMs) throw error;
      }
      await settle();
    }
  }
  return {
    ...{ queries, api, calls, router, run, settle, until },
    /** Returns the bodies, or else the queries, of the calls of a route. */
    sent: (route: string) =>
      calls
        .filter((call) => call.route === route)
        .map(({ body, query }) => (Object.keys(body).length > 0 ? body : query)),
    text: () => textOf(document.body),
    /** Returns the texts of all elements with a role, e.g. `alert`. */
    texts: (role: string) => findAll(`[role="${role}"]`).map(textOf),
    /** Returns the names of all buttons and links. */
    controls: () => findAll(CONTROLS).map(nameOf),
    control: (name: Name) => get(CONTROLS, name) as HTMLButtonElement & HTMLAnchorElement,
    fields: () => findAll(FIELDS).map(nameOf),
    field: (name: Name) => get(FIELDS, name) as HTMLInputElement,
    /** Returns the text of the open dialog; undefined if none is open. */
    dialog: () =>
      findAll(DIALOGS)
        .filter((one) => one.closest('[role="region"]') === null)
        .map(textOf)
        .at(0),
    /** Returns the texts of the cells of a table, without its headings. */
    rows: (label: string) =>
      [...get('[role="table"]', label).querySelectorAll('[role="row"]')]
        .slice(1)
        .map((row) => [...row.querySelectorAll('[role="cell"]')].map(textOf)),
    /** Returns the pictures that have a name, with the titles of their parts. */
    pictures: () =>
      findAll('[role="img"]').map((one) => ({
        name: nameOf(one),
        titles: [...one.querySelectorAll('title')].map(textOf),
      })),
    /** Presses a button or follows a link; of several with that name, the one at `index`. */
    async press(name: Name, index?: number) {
      await click(await until(() => get(CONTROLS, name, index)));
    },
    async type(label: Name, text: string) {
      await fill((await until(() => get(FIELDS, label))) as HTMLInputElement, text);
    },
    async check(label: Name) {
      await click(await until(() => get(FIELDS, label)));
    },
    /** Chooses an option of a select. */
    async choose(label: Name, option: Name) {
      await click(await until(() => get('[role="combobox"]', label)));
      await click(await until(() => get('[role="option"]', option)));
    },
    /** Presses a key where the focus is. */
    key: press,
    /** Returns what the items of a menu of commands copy: the CLI command, if there is one, and the call. */
    async copyCommands(index?: number): Promise<string[]> {
      const copied: string[] = [];
      vi.stubGlobal('navigator', { clipboard: { writeText: async (text: string) => copied.push(text) } });
      for (const item of ['berth', 'curl']) {
        await click(await until(() => get(CONTROLS, 'Copy as command', index)));
        await until(() => get(CONTROLS, 'curl'));
        const [choice] = findAll(CONTROLS, item);
        if (choice) await click(choice);
      }
      vi.unstubAllGlobals();
      return copied;
    },
  };
}

/** A name of an element: the whole text, or a pattern. */
type Name = string | RegExp;

const CONTROLS = 'button, a[href], summary, [role="tab"], [role="menuitem"]';
const FIELDS = 'input, [role="combobox"]';
/** Toasts are dialogs, too, in a region of their own. */
const DIALOGS = '[role="dialog"], [role="alertdialog"]';
const HIDDEN = '[aria-hidden="true"], [hidden], [inert]';

/** Returns the name of an element. Source: Accessible Name and Description Computation 1.2, as far as the pages use it. */
function nameOf(element: Element): string {
  const ids = element.getAttribute('aria-labelledby')?.split(' ');
  if (ids) return ids.map((id) => textOf(document.getElementById(id))).join(' ');
  const own = element.getAttribute('aria-label');
  if (own !== null) return own;
  const around = element.localName === 'input' ? element.closest('label') : null;
  return textOf(document.querySelector(`label[for="${element.id}"]`) ?? around ?? element);
}

/** Returns the text of an element for screen readers. */
function textOf(element: Node | null): string {
  if (element === null) return '';
  if (element.nodeType === Node.TEXT_NODE) return element.nodeValue ?? '';
  if (element instanceof Element && element.getAttribute('aria-hidden') === 'true') return '';
  return [...element.childNodes].map(textOf).join('').trim();
}

function findAll(selector: string, name?: Name): HTMLElement[] {
  const all = [...document.querySelectorAll<HTMLElement>(selector)].filter((one) => one.closest(HIDDEN) === null);
  if (name === undefined) return all;
  return all.filter((one) => (typeof name === 'string' ? nameOf(one) === name : name.test(nameOf(one))));
}

function get(selector: string, name: Name, index?: number): HTMLElement {
  const found = findAll(selector, name);
  const one = found[index ?? 0];
  if (one && (index !== undefined || found.length === 1)) return one;
  throw new Error(`${found.length} elements are named “${name}” of: ${findAll(selector).map(nameOf).join(', ')}`);
}

/** Returns the files that the page downloads from now on, until the test ends. */
export function watchDownloads(): { readonly name: string; readonly text: Promise<string> }[] {
  const files: { name: string; text: Promise<string> }[] = [];
  let content: Blob | MediaSource | undefined;
  const hear = ({ target }: Event) => {
    if (content instanceof Blob) files.push({ name: (target as HTMLAnchorElement).download, text: content.text() });
    content = undefined;
  };
  const make = document.createElement.bind(document);
  const spies = [
    vi.spyOn(URL, 'createObjectURL').mockImplementation((next) => {
      content = next;
      return 'blob:berth';
    }),
    vi.spyOn(document, 'createElement').mockImplementation((name: string) => {
      const element = make(name);
      if (name === 'a') element.addEventListener('click', hear);
      return element;
    }),
  ];
  onTestFinished(() => {
    for (const spy of spies) spy.mockRestore();
  });
  return files;
}
