import type { FakeCall } from '@berth/client/testing';
import { CommandScope } from '@berth/ui';
import { createStore, useStore } from '@berth/ui/store';
import {
  findNamed,
  formatMessage,
  getNamed,
  type MessageValues,
  type MountedView,
  mount,
  type Name,
  nameOf,
  textOf,
} from '@berth/ui/testing';
import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  RouterProvider,
} from '@tanstack/react-router';
import { act, createElement, type ReactNode } from 'react';
import { onTestFinished, vi } from 'vitest';
import type { SessionState, SessionStore } from '../api/create-session.ts';
import { PageHead } from '../components/page-head.tsx';
import { readDeploymentSearch } from '../features/deployments/deployment-tabs.ts';
import { createDeployRun, type DeployRun } from '../features/deploys/state/create-deploy-run.ts';
import { DeployRunContext } from '../features/deploys/state/deploy-run-context.ts';
import type { PasskeyBrowser } from '../features/passkeys/passkey-browser.ts';
import { PasskeyBrowserContext } from '../features/passkeys/passkey-browser-context.ts';
import type { UploadQueue } from '../features/volumes/uploads/state/upload-queue.ts';
import { UploadQueueContext } from '../features/volumes/uploads/state/upload-queue-context.ts';
import { createMemoryStorage, setupProviders, type ViewSetup } from '../render-view.test-support.ts';
import { type ConsoleMessages, en } from '../text/en/index.ts';

/** Surroundings of a view in a document. What the query cache holds stays fresh until it is invalidated. */
export interface OpenSetup extends ViewSetup {
  /** Address that is shown first, e.g. `/volumes/media?path=a/`; `/` by default. */
  readonly address?: string;
  /** What addresses other than those of a deployment show; by default, the view. */
  readonly elsewhere?: string;
  /** True for a part of a page: a heading with the page's menu is above it. */
  readonly isPart?: boolean;
  /** What is around the view at every address, with an outlet for it. */
  readonly root?: () => ReactNode;
  readonly session?: SessionState;
  readonly linkSecret?: string;
  readonly deployRun?: DeployRun;
  readonly uploads?: Partial<UploadQueue>;
  readonly passkeys?: PasskeyBrowser;
  /** Methods of the client besides `get`, `post`, `put` and `delete`. */
  readonly methods?: Readonly<Record<string, (...args: never) => unknown>>;
}

/** A call of the API that a view made, or of the session, such as `session.signIn`. */
export interface MadeCall extends FakeCall {
  /** Method and path of the OpenAPI document. */
  readonly route: string;
}

/**
 * Mounts a view below the providers of the console and a router, and returns what a person sees of it and does with it. The
 * test file begins with `// @vitest-environment happy-dom`.
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
  const session = createFakeSession(setup.session ?? 'signed-in', calls);
  const { queries, api, provide } = setupProviders({
    ...setup,
    answers,
    api: { session: session.store as SessionStore, linkSecret: setup.linkSecret, ...setup.api },
  });
  for (const [key] of setup.cached ?? []) {
    queries.setQueryDefaults(key, { staleTime: Number.POSITIVE_INFINITY, gcTime: Number.POSITIVE_INFINITY });
  }
  const { client } = api;
  Object.assign(client, {
    moveObject: (move: object) => client.post('/v1/volume/move-object', { body: move as never }),
    ...setup.methods,
  });
  const toPage = (part: ReactNode) =>
    createElement(CommandScope, null, setup.isPart && createElement(PageHead, { title: 'Page' }), part);
  const shown = createStore<ReactNode>(toPage(view));
  const router = createTestRouter(() => useStore(shown), setup);
  await router.load();
  const run = setup.deployRun ?? createDeployRun({ client, storage: createMemoryStorage() });
  const uploads = (setup.uploads ?? { state: undefined, subscribe: () => () => {} }) as UploadQueue;
  const page = createElement(RouterProvider, { router: router as never });
  const withPasskeys = createElement(PasskeyBrowserContext, { value: setup.passkeys as PasskeyBrowser }, page);
  const withRun = createElement(DeployRunContext, { value: run }, withPasskeys);
  const mounted = await mount(provide(createElement(UploadQueueContext, { value: uploads }, withRun)));
  onTestFinished(() => queries.clear());
  await mounted.settle();
  return {
    ...mounted,
    ...actByName(mounted),
    ...{ queries, api, calls, router, run },
    /** Returns the bodies, or else the queries, of the calls of a route. */
    sent: (route: string): object[] =>
      calls
        .filter((call) => call.route === route)
        .map(({ body, query }) => (Object.keys(body).length > 0 ? body : query)),
    /** Returns the path and query that are shown now. */
    address: () => router.state.location.href,
    async render(next: ReactNode) {
      await act(async () => shown.set(toPage(next)));
      await mounted.settle();
    },
    /** Changes the state of the session. */
    async setSession(next: SessionState, personId = 'person_1') {
      await act(async () => session.state.set({ state: next, personId }));
      await mounted.settle();
    },
  };
}

/** Returns a session that changes as the test says, and whose calls are noted. */
function createFakeSession(first: SessionState, calls: MadeCall[]) {
  const state = createStore({ state: first, personId: 'person_1' as string | undefined });
  const noteCall = (name: string) => async (body: object) =>
    void calls.push({ route: `session.${name}`, path: {}, query: {}, body: { ...body }, signal: undefined });
  const store = {
    ...{ check: noteCall('check'), signOut: noteCall('signOut'), tellTabs: noteCall('tellTabs') },
    signIn: async (email: string, password: string) => noteCall('signIn')({ email, password }),
    beginFirstRun: noteCall('beginFirstRun'),
    noteSignedIn: noteCall('noteSignedIn'),
    subscribe: state.subscribe,
    get state() {
      return state.get().state;
    },
    get personId() {
      return state.get().personId;
    },
  };
  return { state, store: store as unknown };
}

/** Returns a router whose addresses show `component`; the pages that read parameters have their routes. */
function createTestRouter(component: () => ReactNode, { address = '/', root: around, elsewhere }: OpenSetup) {
  const root = createRootRoute(around && { component: around });
  const at = { getParentRoute: () => root, component };
  const other = elsewhere === undefined ? component : () => elsewhere;
  const routes = [
    createRoute({ ...at, path: '/deployments/$name', validateSearch: readDeploymentSearch }),
    ...['/', '/$', '/volumes/$volume'].map((path) => createRoute({ ...at, path, component: other })),
  ];
  const history = createMemoryHistory({ initialEntries: [address] });
  return createRouter({ routeTree: root.addChildren(routes), history });
}

const CONTROLS = 'button, a[href], summary, [role="tab"], [role="menuitem"]';
const FIELDS = 'input, textarea, [role="combobox"]';
const DIALOGS = '[role="dialog"], [role="alertdialog"]';

/** Returns what a person sees and does, by the names for screen readers. What a modal dialog covers is not found. */
function actByName({ click, fill, until }: MountedView) {
  return {
    /** Returns the texts of all elements with a role, e.g. `alert`. */
    texts: (role: string) => findNamed(`[role="${role}"]`).map(textOf),
    /** Returns the names of all buttons and links. */
    controls: () => findNamed(CONTROLS).map(nameOf),
    control: (name: Name) => getNamed<HTMLButtonElement & HTMLAnchorElement>(CONTROLS, name),
    fields: () => findNamed(FIELDS).map(nameOf),
    field: (name: Name) => getNamed<HTMLInputElement>(FIELDS, name),
    /** Returns the text of the open dialog; undefined if none is open. Toasts are dialogs, too, in a region of their own. */
    dialog: () =>
      findNamed(DIALOGS)
        .filter((one) => one.closest('[role="region"]') === null)
        .map(textOf)[0],
    /** Returns the texts of the cells of a table, without its headings. */
    rows: (label: string) =>
      [...getNamed('[role="table"]', label).querySelectorAll('[role="row"]')]
        .slice(1)
        .map((row) => [...row.querySelectorAll('[role="cell"]')].map(textOf)),
    /** Returns the pictures that have a name, with the titles of their parts. */
    pictures: () =>
      findNamed('[role="img"]').map((one) => ({
        name: nameOf(one),
        titles: [...one.querySelectorAll('title')].map(textOf),
      })),
    /** Presses a button or follows a link; of several with that name, the one at `index`. */
    async clickOn(name: Name, index?: number) {
      await click(await until(() => getNamed(CONTROLS, name, index)));
    },
    async type(label: Name, text: string, index?: number) {
      await fill(await until(() => getNamed<HTMLInputElement>(FIELDS, label, index)), text);
    },
    async check(label: Name) {
      await click(await until(() => getNamed(FIELDS, label)));
    },
    /** Chooses an option of a select. */
    async choose(label: Name, option: Name) {
      await click(await until(() => getNamed('[role="combobox"]', label)));
      await click(await until(() => getNamed('[role="option"]', option)));
    },
    /** Returns what the page's or dialog's menu copies: the CLI command, if there is one, and the call; `index` of several. */
    async copyCommands(index = 0): Promise<string[]> {
      const copied: string[] = [];
      vi.stubGlobal('navigator', { clipboard: { writeText: async (text: string) => copied.push(text) } });
      for (const item of ['Copy CLI command', 'Copy as curl']) {
        await click(await until(() => getNamed(CONTROLS, 'More actions')));
        await until(() => getNamed(CONTROLS, 'Copy as curl', index));
        const choice = findNamed(CONTROLS, item)[index];
        if (choice) await click(choice);
      }
      vi.unstubAllGlobals();
      return copied;
    },
  };
}

/** A person's answer to `GET /v1/user` with the rights of an owner. */
export const OWNER = {
  role: 'owner',
  scopes: ['admin', 'read', 'deploy', 'volumes'],
  account: { id: 'acc_1', name: 'Acme' },
  user: { id: 'person_1', name: 'Ada', email: 'ada@example.com' },
};

/** Returns a text of the console in English. */
export function say(key: keyof ConsoleMessages, values?: MessageValues): string {
  return formatMessage(en[key], 'en', values);
}
