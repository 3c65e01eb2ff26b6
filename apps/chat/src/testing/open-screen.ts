import { TextProvider } from '@berth/ui';
import { act, createElement, type ReactNode } from 'react';
import { jsx } from 'react/jsx-runtime';
import { onTestFinished, vi } from 'vitest';
import { type ChatMessages, en } from '../text/en.ts';
import { CHAT_TEXTS } from '../text/use-chat-texts.ts';
import { createStorage } from './create-storage.ts';
import { type EventFields, FakeDocument, FakeElement, FakeEvent, FakeNode, FakeTarget } from './fake-document.ts';

/** An observer of sizes or places that never sees a change. */
class FakeObserver {
  observe() {}
  unobserve() {}
  disconnect() {}
}

/** Sets up the browser's globals until the test is finished. Returns the document and the window. */
export function openBrowser(globals: Readonly<Record<string, unknown>> = {}) {
  const window = new FakeTarget();
  const document = new FakeDocument(window);
  const clipboard = { writeText: vi.fn(async (_text: string) => {}) };
  const navigator = { clipboard, onLine: true, platform: 'Linux', userAgent: 'test', languages: ['en'] };
  const all = {
    ...{ window, document, navigator, IS_REACT_ACT_ENVIRONMENT: true },
    ...{ Element: FakeElement, HTMLElement: FakeElement, HTMLInputElement: FakeElement, ShadowRoot: class {} },
    ...{ Node: FakeNode, HTMLIFrameElement: class {} },
    ...{ localStorage: createStorage(), sessionStorage: createStorage() },
    ...{ ResizeObserver: FakeObserver, IntersectionObserver: FakeObserver, MutationObserver: FakeObserver },
    location: { origin: 'https://agent.example.com', pathname: '/', search: '', assign: vi.fn() },
    matchMedia: () => ({ matches: false, addEventListener() {}, removeEventListener() {} }),
    addEventListener: window.addEventListener.bind(window),
    removeEventListener: window.removeEventListener.bind(window),
    CSS: { supports: () => true },
    innerWidth: 1024,
    getSelection: () => ({ isCollapsed: true }),
    ...globals,
  };
  Object.assign(window, all, { setTimeout, clearTimeout });
  for (const [name, value] of Object.entries(all)) vi.stubGlobal(name, value);
  onTestFinished(() => void vi.unstubAllGlobals());
  return { document, navigator, window };
}

/** Roles of elements without a `role`. Source: HTML-AAM. */
const ROLES: Readonly<Record<string, string>> = {
  ...{ BUTTON: 'button', TEXTAREA: 'textbox', ARTICLE: 'article', UL: 'list', OL: 'list', LI: 'listitem', IMG: 'img' },
  ...{ FORM: 'form', NAV: 'navigation', SECTION: 'region', H1: 'heading', H2: 'heading', H3: 'heading', A: 'link' },
  ...{ SUMMARY: 'button', TABLE: 'table', TH: 'columnheader', TD: 'cell', TR: 'row' },
};

function roleOf(element: FakeElement): string | undefined {
  const role = element.getAttribute('role') ?? undefined;
  if (role !== undefined || element.tagName !== 'INPUT') return role ?? ROLES[element.tagName];
  const type = element.getAttribute('type') ?? 'text';
  return { search: 'searchbox', checkbox: 'checkbox', file: 'file' }[type] ?? 'textbox';
}

const isHidden = (element: FakeElement) => element.getAttribute('aria-hidden') === 'true';

/** Returns the text of an element as a screen reader has it: without what is hidden from it. */
export function spokenText(element: FakeElement): string {
  if (isHidden(element)) return '';
  return element.childNodes
    .map((node) => (node instanceof FakeElement ? spokenText(node) : (node.nodeValue ?? '')))
    .join('');
}

/** Returns the accessible name of an element. */
function nameOf(element: FakeElement): string {
  const label = element.closest('label');
  return element.getAttribute('aria-label') ?? (label && label !== element ? spokenText(label) : spokenText(element));
}

/** Returns a text of the page in English. */
export function t(key: keyof ChatMessages & string, values: Readonly<Record<string, string>> = {}): string {
  return String(en[key]).replaceAll(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);
}

/** What a test sees of a component and does with it. */
export interface Screen {
  /** The elements with a role, and of those the ones whose accessible name is `name`. */
  all(role: string, name?: string): readonly FakeElement[];
  /** The only element with this role and name. @throws Error when there is none, or more than one */
  get(role: string, name?: string): FakeElement;
  /** True when there is such an element. */
  has(role: string, name?: string): boolean;
  /** The text of the page without what is hidden from screen readers. */
  text(): string;
  /** Presses a button or a link by its name. */
  press(name: string, role?: string): Promise<void>;
  /** Replaces the text of a field, as a person does who types it. */
  type(field: FakeElement, text: string): Promise<void>;
  /** Sends an event to an element. Returns the event, which says whether its default was prevented. */
  fire(target: FakeTarget, type: string, fields?: EventFields): Promise<FakeEvent>;
  /** Presses a key in an element. */
  key(target: FakeTarget, key: string, fields?: EventFields): Promise<FakeEvent>;
  /** Runs work outside of the page and renders what came of it. */
  run(work: () => unknown): Promise<void>;
  /** Renders other content in the same place. */
  show(content: ReactNode): Promise<void>;
  /** Takes the component off the page. */
  leave(): Promise<void>;
}

/** Renders a component into a document without layout; the texts are English. */
export async function openScreen(content: ReactNode, { document } = openBrowser()): Promise<Screen> {
  // React looks for a browser when it is loaded.
  const { createRoot } = await import('react-dom/client');
  const container = document.createElement('div');
  document.body.appendChild(container);
  const root = createRoot(container as unknown as HTMLElement);
  // The window loads the renderer of formulas when it hears typing, and other tests of this process are about its absence.
  container.addEventListener('input', (event) => event.stopPropagation());
  const run = async (work: () => unknown) => {
    await act(async () => {
      await work();
      // Promises that the work has resolved have run by then.
      await new Promise((resolve) => setImmediate(resolve));
    });
  };
  const show = (next: ReactNode) =>
    run(() => root.render(jsx(TextProvider, { language: 'en', messages: CHAT_TEXTS.en, children: next })));
  const leave = () => run(() => root.unmount());
  onTestFinished(leave);
  await show(createElement('div', {}, content));

  const all = (role: string, name?: string) => {
    const seen = [...document.body.all()].filter((element) => {
      for (let at: FakeElement | null = element; at; at = at.parentNode) if (isHidden(at)) return false;
      return roleOf(element) === role;
    });
    return name === undefined ? seen : seen.filter((element) => nameOf(element) === name);
  };
  const get = (role: string, name?: string) => {
    const [element, ...others] = all(role, name);
    if (element && others.length === 0) return element;
    const names = all(role).map((one) => JSON.stringify(nameOf(one)));
    throw new Error(`${others.length === 0 ? 'no' : 'more than one'} ${role} ${name ?? ''}: ${names.join(', ')}`);
  };
  const fire = async (target: FakeTarget, type: string, fields: EventFields = {}) => {
    const event = new FakeEvent(type, fields);
    await run(() => void target.dispatchEvent(event));
    return event;
  };
  return {
    ...{ all, get, fire, run, show, leave },
    has: (role, name) => all(role, name).length > 0,
    text: () => spokenText(document.body),
    press: (name, role = 'button') => run(() => get(role, name).click()),
    async type(field, text) {
      // React ignores an input event whose text it has set itself.
      Reflect.set(FakeElement.prototype, 'value', text, field);
      await fire(field, 'input');
    },
    key: (target, key, fields) => fire(target, 'keydown', { key, ...fields }),
  };
}
