import './complete-page.ts';
import { act, type ReactNode } from 'react';
import { createRoot } from 'react-dom/client';
import { onTestFinished } from 'vitest';
import { findNamed, getNamed, type Name } from './names.ts';
import { clickOn, createEvent, type EventFields, endKeyDown, endKeyUp, replaceText } from './user-events.ts';

/** Selectors of the elements that have a role without an attribute. */
const ROLES: Readonly<Record<string, string>> = {
  button: 'button, input[type=button]',
  link: 'a[href]',
  textbox: 'textarea, input:not([type]), input[type=text], input[type=email], input[type=password]',
  searchbox: 'input[type=search]',
  checkbox: 'input[type=checkbox]',
  heading: 'h1, h2, h3',
  listitem: 'li',
  progressbar: 'progress',
  region: 'section[aria-label]',
  complementary: 'aside',
  img: 'img',
};

/** Returns the selector of the elements with a role. */
const selectorOf = (role: string) => `[role="${role}"], :is(${ROLES[role] ?? role}):not([role])`;

/** The timer of the machine, also while a test has replaced it. */
const later = setTimeout;
/** Waits for a turn of the event loop, or longer. */
const nextTurn = (ms = 0) => new Promise<void>((resolve) => void later(resolve, ms));

/** A field that is typed into. */
export type TextField = HTMLInputElement | HTMLTextAreaElement;

/** A mounted view, with what a person does to it. */
export interface MountedView {
  readonly document: Document;
  /** Addresses of the links that were followed. Nothing is loaded from them. */
  readonly followed: readonly string[];
  /** Text of the whole document, portals included. */
  text(): string;
  /** Elements with a role, and a name if one is given, in the order of the document. Hidden elements aren't among them. */
  all(role: string, name?: Name): readonly HTMLElement[];
  /** @throws when there is not exactly one */
  get(role: string, name?: Name): HTMLElement;
  find(role: string, name?: Name): HTMLElement | undefined;
  /** The field with a label. */
  field(label: Name): HTMLInputElement;
  click(element: HTMLElement): Promise<void>;
  focus(element: HTMLElement | null): Promise<void>;
  /** Replaces the text of a field. */
  fill(field: TextField, text: string): Promise<void>;
  /** Presses a key on what has the focus, and does what a browser does then unless a listener prevents it. */
  press(key: string, modifiers?: EventModifierInit): Promise<Event>;
  /** Dispatches an event at an element, the focused one by default. */
  fire(type: string, fields?: EventFields, target?: Element): Promise<Event>;
  render(view: ReactNode): Promise<void>;
  /** Lets everything run that waits for nothing but its turn. */
  settle(): Promise<void>;
  /** Waits until `look` no longer throws, and returns what it returns. @throws what it throws after 10 s */
  until<Seen>(look: () => Seen): Promise<Seen>;
  unmount(): Promise<void>;
}

/** Renders a view with its effects, until the test ends. The test file begins with `// @vitest-environment happy-dom`. */
export async function mount(view: ReactNode): Promise<MountedView> {
  const place = document.body.appendChild(document.createElement('div'));
  const root = createRoot(place);
  const followed: string[] = [];
  const follow = (event: Event) => {
    const link = event.target instanceof Element ? event.target.closest('a[href]') : null;
    if (link && !event.defaultPrevented) followed.push(link.getAttribute('href') ?? '');
  };
  window.addEventListener('click', follow);
  const turn = (work: () => void) => act(async () => work());
  const settle = async () => {
    for (let turns = 0; turns < 4; turns++) await act(() => nextTurn());
  };
  const focused = () => document.activeElement ?? document.body;
  const fire = async (type: string, fields: EventFields = {}, target = focused()) => {
    const event = createEvent(type, fields);
    await turn(() => target.dispatchEvent(event));
    return event;
  };
  const mounted: MountedView = {
    document,
    followed,
    text: () => document.body.textContent,
    all: (role, name) => findNamed(selectorOf(role), name),
    get: (role, name) => getNamed(selectorOf(role), name),
    find: (role, name) => findNamed(selectorOf(role), name)[0],
    field: (label) => getNamed('input, textarea', label),
    async click(element) {
      await turn(() => clickOn(element));
      await settle();
    },
    async focus(element) {
      await turn(() => element?.focus());
      await settle();
    },
    async fill(field, text) {
      await turn(() => replaceText(field, text));
      await settle();
    },
    async press(key, modifiers = {}) {
      const target = focused();
      const event = await fire('keydown', { key, ...modifiers });
      if (!event.defaultPrevented) await turn(() => endKeyDown(target, key));
      const release = await fire('keyup', { key, ...modifiers });
      if (!event.defaultPrevented && !release.defaultPrevented && focused() === target) {
        await turn(() => endKeyUp(target, key));
      }
      await settle();
      return event;
    },
    fire,
    async render(next) {
      await turn(() => root.render(next));
      await settle();
    },
    settle,
    async until(look) {
      for (let turns = 0; turns < 1_000; turns++) {
        try {
          return look();
        } catch {
          await act(() => nextTurn(10));
        }
      }
      return look();
    },
    async unmount() {
      await turn(() => root.unmount());
      place.remove();
      window.removeEventListener('click', follow);
    },
  };
  onTestFinished(mounted.unmount);
  await mounted.render(view);
  return mounted;
}
