import { TextProvider } from '@berth/ui';
import { act, createElement, type ReactNode } from 'react';
import { jsx } from 'react/jsx-runtime';
import { createRoot } from 'react-dom/client';
import { onTestFinished, vi } from 'vitest';
import { type ChatMessages, en } from '../text/en.ts';
import { CHAT_TEXTS } from '../text/use-chat-texts.ts';

/**
 * Sets up the globals that happy-dom leaves open, until the test is finished. A test file that calls this begins with
 * `// @vitest-environment happy-dom`. Returns the globals that tests use.
 *
 * @param globals replace those of the browser
 */
export function openBrowser(globals: Readonly<Record<string, unknown>> = {}) {
  const clipboard = { writeText: vi.fn(async (_text: string) => {}) };
  const navigator = { clipboard, onLine: true, platform: 'Linux', userAgent: 'test', languages: ['en'] };
  const all = {
    ...{ navigator, IS_REACT_ACT_ENVIRONMENT: true },
    location: { origin: 'https://agent.example.com', pathname: '/', search: '', assign: vi.fn() },
    ...globals,
  };
  for (const [name, value] of Object.entries(all)) vi.stubGlobal(name, value);
  // happy-dom has no layout, and a list renders only the rows that fit.
  const height = vi.spyOn(HTMLElement.prototype, 'clientHeight', 'get').mockReturnValue(600);
  onTestFinished(() => {
    vi.unstubAllGlobals();
    height.mockRestore();
    // Test files share the document.
    document.body.replaceChildren();
    document.title = '';
    localStorage.clear();
    sessionStorage.clear();
  });
  return { document, navigator, window };
}

/** Roles of elements without a `role`. Source: HTML-AAM. */
const ROLES: Readonly<Record<string, string>> = {
  ...{ BUTTON: 'button', TEXTAREA: 'textbox', ARTICLE: 'article', UL: 'list', OL: 'list', LI: 'listitem', IMG: 'img' },
  ...{ FORM: 'form', NAV: 'navigation', SECTION: 'region', H1: 'heading', H2: 'heading', H3: 'heading', A: 'link' },
  ...{ SUMMARY: 'button', TABLE: 'table', TH: 'columnheader', TD: 'cell', TR: 'row' },
};

function roleOf(element: Element): string | undefined {
  const role = element.getAttribute('role') ?? undefined;
  if (role !== undefined || element.tagName !== 'INPUT') return role ?? ROLES[element.tagName];
  const type = element.getAttribute('type') ?? 'text';
  return { search: 'searchbox', checkbox: 'checkbox', file: 'file' }[type] ?? 'textbox';
}

const isHidden = (element: Element) => element.getAttribute('aria-hidden') === 'true';

/** Returns the text of an element as a screen reader has it: without what is hidden from it. */
export function spokenText(element: Element): string {
  if (isHidden(element)) return '';
  return [...element.childNodes]
    .map((node) => (node instanceof Element ? spokenText(node) : (node.nodeValue ?? '')))
    .join('');
}

/** Returns the accessible name of an element. */
function nameOf(element: Element): string {
  const label = element.closest('label');
  return element.getAttribute('aria-label') ?? (label && label !== element ? spokenText(label) : spokenText(element));
}

/** Returns a text of the page in English. */
export function t(key: keyof ChatMessages & string, values: Readonly<Record<string, string>> = {}): string {
  return String(en[key]).replaceAll(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);
}

/** The fields of an event besides its type, e.g. the `key` of a keydown. */
type EventFields = Readonly<Record<string, unknown>>;

/** The classes of elements by role; other roles are those of any element. */
interface RoleElements {
  readonly button: HTMLButtonElement;
  readonly file: HTMLInputElement;
  readonly searchbox: HTMLInputElement;
  readonly textbox: HTMLInputElement | HTMLTextAreaElement;
}

type ElementOf<Role extends string> = Role extends keyof RoleElements ? RoleElements[Role] : HTMLElement;

/** The classes of events by type; the others are plain events. */
const EVENT_CLASSES: Readonly<Record<string, new (type: string, fields: EventInit) => Event>> = {
  ...{ keydown: KeyboardEvent, click: MouseEvent, input: InputEvent, paste: ClipboardEvent },
};

/** What became of an event. */
export interface Fired {
  readonly defaultPrevented: boolean;
  /** True when the event did not reach the window. */
  readonly isStopped: boolean;
}

/** What a test sees of a component and does with it. */
export interface Screen {
  /** The elements with a role, and of those the ones whose accessible name is `name`. */
  all<Role extends string>(role: Role, name?: string): readonly ElementOf<Role>[];
  /** The only element with this role and name. @throws Error when there is none, or more than one */
  get<Role extends string>(role: Role, name?: string): ElementOf<Role>;
  /** True when there is such an element. */
  has(role: string, name?: string): boolean;
  /** The text of the page without what is hidden from screen readers. */
  text(): string;
  /** Presses a button or a link by its name. */
  press(name: string, role?: string): Promise<void>;
  /** Replaces the text of a field, as a person does who types it. */
  type(field: HTMLInputElement | HTMLTextAreaElement, text: string): Promise<void>;
  /** Chooses files in a picker. */
  choose(picker: HTMLInputElement | undefined, ...files: readonly File[]): Promise<void>;
  /** Sends an event, which bubbles, to an element. */
  fire(target: EventTarget, type: string, fields?: EventFields): Promise<Fired>;
  /** Presses a key in an element, or where no element has the focus. */
  key(target: EventTarget | null, key: string, fields?: EventFields): Promise<Fired>;
  /** Runs work outside of the page and renders what came of it. */
  run(work: () => unknown): Promise<void>;
  /** Renders other content in the same place. */
  show(content: ReactNode): Promise<void>;
  /** Takes the component off the page. */
  leave(): Promise<void>;
}

/** Renders a component into the document of happy-dom; the texts are English. */
export async function openScreen(content: ReactNode, { document } = openBrowser()): Promise<Screen> {
  const container = document.createElement('div');
  document.body.append(container);
  const root = createRoot(container);
  // The window loads the renderer of formulas when it hears typing, which may last longer than the test.
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

  const all = <Role extends string>(role: Role, name?: string) => {
    const seen = [...document.body.querySelectorAll('*')].filter(
      (element) => roleOf(element) === role && !element.closest('[aria-hidden="true"]'),
    );
    const named = name === undefined ? seen : seen.filter((element) => nameOf(element) === name);
    return named as Element[] as ElementOf<Role>[];
  };
  const get = <Role extends string>(role: Role, name?: string) => {
    const [element, ...others] = all(role, name);
    if (element && others.length === 0) return element;
    const names = all(role).map((one) => JSON.stringify(nameOf(one)));
    throw new Error(`${others.length === 0 ? 'no' : 'more than one'} ${role} ${name ?? ''}: ${names.join(', ')}`);
  };
  const fire = async (target: EventTarget, type: string, fields: EventFields = {}): Promise<Fired> => {
    const event = new (EVENT_CLASSES[type] ?? Event)(type, { bubbles: true, cancelable: true, ...fields });
    // happy-dom has no DragEvent, which carries the dropped files.
    for (const [name, value] of Object.entries(fields)) {
      if (!(name in event)) Object.defineProperty(event, name, { value });
    }
    let isStopped = true;
    const reach = () => {
      isStopped = false;
    };
    window.addEventListener(type, reach);
    await run(() => void target.dispatchEvent(event));
    window.removeEventListener(type, reach);
    return { defaultPrevented: event.defaultPrevented, isStopped };
  };
  return {
    ...{ all, get, fire, run, show, leave },
    has: (role, name) => all(role, name).length > 0,
    text: () => spokenText(document.body),
    press: (name, role = 'button') => run(() => get<string>(role, name).click()),
    async type(field, text) {
      // React ignores an input event whose text it has set itself, so the setter of the class is called.
      Reflect.set(Object.getPrototypeOf(field), 'value', text, field);
      await fire(field, 'input');
    },
    async choose(picker, ...files) {
      if (!picker) throw new Error('no picker');
      const transfer = new DataTransfer();
      for (const file of files) transfer.items.add(file);
      picker.files = transfer.files;
      await fire(picker, 'change');
    },
    key: (target, key, fields) => fire(target ?? document.body, 'keydown', { key, ...fields }),
  };
}
