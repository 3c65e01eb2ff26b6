import { type Client, type ControlPaths, createClient } from '@berth/client';
import { createFakeCalls, type FakeCall } from '@berth/client/testing';
import { type Language, TextProvider, ToastProvider } from '@berth/ui';
import { QueryClient, QueryClientProvider, type QueryKey } from '@tanstack/react-query';
import { createMemoryHistory, createRootRoute, createRouter, RouterContextProvider } from '@tanstack/react-router';
import { createElement, type ReactNode } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { createAccountChoice } from './api/account-choice.ts';
import { type Console, ConsoleContext } from './api/console-context.ts';
import { ar } from './text/ar/index.ts';
import { en } from './text/en/index.ts';

/** Surroundings of a view or a hook. */
export interface ViewSetup {
  /** Answers of the API by method and path, e.g. `GET /v1/user`; see `createFakeCalls`. */
  readonly answers?: Readonly<Record<string, (call: FakeCall) => unknown>>;
  /** What the query cache holds. */
  readonly cached?: readonly (readonly [key: QueryKey, data: unknown])[];
  readonly language?: Language;
  readonly api?: Partial<Console>;
}

/** Returns a storage in memory. */
export function createMemoryStorage(kept = new Map<string, string>()) {
  return {
    kept,
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  };
}

/** Component that calls a hook. */
function Probe({ run }: { run(): void }) {
  run();
  return null;
}

/** Returns the providers of the console with what they provide, for `setupView` and for views in a document. */
export function setupProviders({ answers = {}, cached = [], language = 'en', api }: ViewSetup = {}) {
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  for (const [key, data] of cached) queries.setQueryData(key, data);
  const calls = createFakeCalls<ControlPaths>(answers);
  const client: Client = {
    ...createClient({ baseUrl: 'http://berth.test' }),
    ...calls,
    findDeployment: (name) => calls.get('/v1/deployment/{name}', { params: { path: { name } } }).catch(() => undefined),
  };
  const accountChoice = createAccountChoice(createMemoryStorage());
  const whole = { client, accountChoice, linkSecret: undefined, ...api } as Console;
  return {
    queries,
    api: whole,
    /** Returns a view below the providers. */
    provide(view: ReactNode) {
      // A timer of a toast would outlive the test, and needs a document.
      const toasts = createElement(() => ToastProvider({ shownMs: 0, children: view }));
      const texts = createElement(() => TextProvider({ language, messages: { en, ar }[language], children: toasts }));
      const cache = createElement(QueryClientProvider, { client: queries }, texts);
      return createElement(ConsoleContext, { value: whole }, cache);
    },
  };
}

/** Returns functions that render below the providers of the console, without a browser. Effects don't run. */
export function setupView(setup: ViewSetup = {}) {
  const { queries, api, provide } = setupProviders(setup);
  const router = createRouter({ routeTree: createRootRoute(), history: createMemoryHistory() });
  const render = (view: ReactNode) =>
    renderToStaticMarkup(provide(createElement(() => RouterContextProvider({ router, children: view }))));
  return {
    queries,
    api,
    /** Returns the HTML of a view. */
    render,
    /** Returns what a hook returns in its first render. */
    call<Value>(hook: () => Value): Value {
      const seen: Value[] = [];
      render(createElement(Probe, { run: () => seen.push(hook()) }));
      return seen[0] as Value;
    },
    /** Runs the query that a hook has registered under `key`, unless the hook has disabled it. */
    async read(key: QueryKey): Promise<unknown> {
      const query = queries.getQueryCache().find({ queryKey: key });
      if (query && !('enabled' in query.options && query.options.enabled === false)) await query.fetch();
      return queries.getQueryData(key);
    },
  };
}
