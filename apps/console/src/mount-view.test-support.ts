import { type Client, type ControlPaths, createClient } from '@berth/client';
import { createFakeCalls, type FakeCall } from '@berth/client/testing';
import { TextProvider, ToastProvider } from '@berth/ui';
import { createStore, useStore } from '@berth/ui/store';
import { formatMessage, type MessageValues, type MountedView, mount } from '@berth/ui/testing';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  RouterProvider,
} from '@tanstack/react-router';
import { act, createElement, type ReactNode } from 'react';
import { jsx } from 'react/jsx-runtime';
import { createAccountChoice } from './api/account-choice.ts';
import { type Console, ConsoleContext } from './api/console-context.ts';
import type { SessionState } from './api/create-session.ts';
import { createDeployRun } from './features/deploys/state/create-deploy-run.ts';
import { DeployRunContext } from './features/deploys/state/deploy-run-context.ts';
import type { UploadQueue } from './features/volumes/uploads/state/upload-queue.ts';
import { UploadQueueContext } from './features/volumes/uploads/state/upload-queue-context.ts';
import { createMemoryStorage, type ViewSetup } from './render-view.test-support.ts';
import { ar } from './text/ar/index.ts';
import { type ConsoleMessages, en } from './text/en/index.ts';

/** Surroundings of a view that is pressed and typed into. */
export interface MountSetup extends ViewSetup {
  /** Address that is shown first, e.g. `/volumes/media?path=a/`. */
  readonly at?: string;
  readonly uploads?: Partial<UploadQueue>;
  readonly linkSecret?: string;
  readonly session?: SessionState;
  /** What is around the view at every address, with an outlet for it. */
  readonly root?: () => ReactNode;
}

/** A view of the console in a page without a browser. */
export interface MountedConsole extends MountedView {
  /** Calls of the API in order, by method and path, with what each one sent. */
  readonly calls: readonly (readonly [route: string, sent: object])[];
  /** What was sent to a route, in order. */
  sent(route: string): object[];
  readonly queries: QueryClient;
  readonly api: Console;
  /** Path and query that are shown now. */
  address(): string;
  /** Changes the state of the session. */
  setSession(state: SessionState, personId?: string): Promise<void>;
}

/**
 * Renders a view below the providers of the console and a router, whose every address shows it. The test file
 * begins with `// @vitest-environment happy-dom`.
 */
export async function mountView(view: ReactNode, setup: MountSetup = {}): Promise<MountedConsole> {
  const { answers = {}, cached = [], language = 'en', uploads, linkSecret, session = 'signed-in' } = setup;
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false, gcTime: 0 } } });
  for (const [key, data] of cached) {
    queries.setQueryDefaults(key, { staleTime: Number.POSITIVE_INFINITY, gcTime: Number.POSITIVE_INFINITY });
    queries.setQueryData(key, data);
  }
  const calls: (readonly [string, object])[] = [];
  const noted = Object.entries(answers).map(([route, answer]) => {
    const noteAndAnswer = (call: FakeCall) => {
      calls.push([route, route.startsWith('POST') ? call.body : call.query]);
      return answer(call);
    };
    return [route, noteAndAnswer] as const;
  });
  const fakes = createFakeCalls<ControlPaths>(Object.fromEntries(noted));
  const whole = createClient({ baseUrl: 'http://berth.test' });
  const client: Client = {
    ...whole,
    ...fakes,
    moveObject: (move) => fakes.post('/v1/volume/move-object', { body: move as never }) as never,
  };
  const state = createStore({ state: session, personId: 'person_1' as string | undefined });
  const noteCall = (name: string) => async (sent: object) => void calls.push([`session.${name}`, { ...sent }]);
  const sessionStore = {
    ...{ check: noteCall('check'), signOut: noteCall('signOut'), tellTabs: noteCall('tellTabs') },
    signIn: async (email: string, password: string) => noteCall('signIn')({ email, password }),
    beginFirstRun: noteCall('beginFirstRun'),
    subscribe: state.subscribe,
    get state() {
      return state.get().state;
    },
    get personId() {
      return state.get().personId;
    },
  };
  const accountChoice = createAccountChoice(createMemoryStorage());
  const api = { client, accountChoice, linkSecret, session: sessionStore, ...setup.api } as Console;
  const queue = (uploads ?? { state: undefined, subscribe: () => () => {} }) as UploadQueue;
  const deployRun = createDeployRun({ client, storage: createMemoryStorage() });
  const shown = createStore(view);
  const router = createTestRouter(() => useStore(shown), setup);
  const messages = { en, ar }[language];
  const toasts = jsx(ToastProvider, {
    shownMs: 0,
    children: createElement(RouterProvider, { router: router as never }),
  });
  const texts = jsx(TextProvider, { language, messages, children: toasts });
  const cache = createElement(QueryClientProvider, { client: queries }, texts);
  const withUploads = createElement(UploadQueueContext, { value: queue }, cache);
  const withDeploys = createElement(DeployRunContext, { value: deployRun }, withUploads);
  await router.load();
  const mounted = await mount(createElement(ConsoleContext, { value: api }, withDeploys));
  await mounted.settle();
  return {
    ...mounted,
    calls,
    sent: (route) => calls.filter(([one]) => one === route).map(([, sent]) => sent),
    queries,
    api,
    address: () => router.state.location.href,
    async render(next) {
      await act(async () => shown.set(next));
      await mounted.settle();
    },
    async setSession(next, personId = 'person_1') {
      await act(async () => state.set({ state: next, personId }));
      await mounted.settle();
    },
  };
}

/** Returns a router whose addresses all show `component`; the pages that read parameters have their routes. */
function createTestRouter(component: () => ReactNode, { at = '/', root: around }: MountSetup) {
  const root = createRootRoute(around && { component: around });
  const paths = ['/', '/$', '/volumes/$volume', '/deployments/$name'];
  const routes = paths.map((path) => createRoute({ getParentRoute: () => root, path, component }));
  const history = createMemoryHistory({ initialEntries: [at] });
  return createRouter({ routeTree: root.addChildren(routes), history });
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
