import { act, type ReactNode } from 'react';
import { createRoot } from 'react-dom/client';
import { onTestFinished } from 'vitest';
import type { FakeDocument, FakeField } from './fake-document.ts';
import { FakeEvent } from './fake-events.ts';
import type { FakeElement, FakeNode } from './fake-nodes.ts';

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

/** The timer of the machine, also while a test has replaced it. */
const later = setTimeout;
/** Waits for a turn of the event loop, or longer. */
const nextTurn = (ms = 0) => new Promise<void>((resolve) => void later(resolve, ms));

/** A name of an element: the whole text, or a pattern. */
type Name = string | RegExp;

/** A view in the document of the page environment, with what a person does to it. */
export interface MountedView {
  readonly document: FakeDocument;
  /** Text of the whole document, portals included. */
  text(): string;
  /** Elements with a role, and a name if one is given, in the order of the document. Hidden elements aren't among them. */
  all(role: string, name?: Name): readonly FakeElement[];
  /** @throws when there is not exactly one */
  get(role: string, name?: Name): FakeElement;
  find(role: string, name?: Name): FakeElement | undefined;
  /** The field with a label. */
  field(label: Name): FakeField;
  click(element: FakeElement): Promise<void>;
  focus(element: FakeElement | null): Promise<void>;
  /** Replaces the text of a field. */
  fill(field: FakeField, text: string): Promise<void>;
  /** Presses a key on what has the focus. Enter in a field of one line submits its form, unless a listener prevents it. */
  press(key: string, modifiers?: object): Promise<FakeEvent>;
  /** Dispatches an event at an element, the focused one by default. */
  fire(type: string, fields?: object, target?: FakeElement): Promise<FakeEvent>;
  render(view: ReactNode): Promise<void>;
  /** Lets everything run that waits for nothing but its turn. */
  settle(): Promise<void>;
  /** Waits until `find` finds something, such as a part whose code is loaded on demand. @throws after 10 s */
  until<Found>(find: () => Found | undefined): Promise<Found>;
  unmount(): Promise<void>;
}

/** Renders a view with its effects, until the test ends. Needs the page environment; see `page-environment.ts`. */
export async function mount(view: ReactNode): Promise<MountedView> {
  const { document } = globalThis as unknown as { document?: FakeDocument };
  if (!document) throw new Error('The test file has to begin with `// @vitest-environment page`.');
  const place = document.body.appendChild(document.createElement('div'));
  const root = createRoot(place as unknown as HTMLElement);
  const all = (role: string, name?: Name) =>
    document
      .querySelectorAll(`[role=${role}], ${ROLES[role] ?? role}`)
      .filter((element) => (element.getAttribute('role') ?? role) === role && !isHidden(element))
      .filter((element) => name === undefined || isNamed(nameOf(element), name));
  const get = (role: string, name?: Name) => {
    const [found, ...others] = all(role, name);
    if (found && others.length === 0) return found;
    const names = all(role).map((element) => `“${nameOf(element)}”`);
    throw new Error(
      `${found ? 'Several' : 'No'} elements “${name}” with the role ${role}. There are: ${names.join(', ')}`,
    );
  };
  const turn = (work: () => void) => act(async () => work());
  const settle = async () => {
    for (let turns = 0; turns < 4; turns++) await act(() => nextTurn());
  };
  const fire = async (type: string, fields: object = {}, target = document.activeElement) => {
    const event = new FakeEvent(type, { bubbles: true, ...fields });
    await turn(() => target.dispatchEvent(event));
    return event;
  };
  const mounted: MountedView = {
    document,
    text: () => document.body.textContent,
    all,
    get,
    find: (role, name) => all(role, name)[0],
    field(label) {
      const fields = document.querySelectorAll('input, textarea');
      const named = fields.filter((field) => isNamed(nameOf(field), label));
      if (named.length !== 1) throw new Error(`${named.length} fields “${label}” of: ${fields.map(nameOf).join(', ')}`);
      return named[0] as FakeField;
    },
    async click(element) {
      await turn(() => {
        for (const type of ['pointerdown', 'mousedown', 'pointerup', 'mouseup']) {
          if (type === 'mousedown') element.closest('button, a[href], input, textarea, [tabindex]')?.focus();
          element.dispatchEvent(new FakeEvent(type, { bubbles: true, button: 0, pointerType: 'mouse', detail: 1 }));
        }
        element.click();
      });
      await settle();
    },
    async focus(element) {
      await turn(() => element?.focus());
      await settle();
    },
    async fill(field, text) {
      await turn(() => {
        field.focus();
        field.enter('value', text);
        field.dispatchEvent(new FakeEvent('input', { bubbles: true }));
      });
      await settle();
    },
    async press(key, modifiers = {}) {
      const plain = { key, code: '', ctrlKey: false, metaKey: false, altKey: false, shiftKey: false };
      const focused = document.activeElement;
      const event = await fire('keydown', { ...plain, ...modifiers });
      const doesSubmit = key === 'Enter' && !event.defaultPrevented && focused.localName === 'input';
      if (doesSubmit) await turn(() => focused.closest('form')?.submitBy());
      const doesClick = (key === 'Enter' || key === ' ') && !event.defaultPrevented && focused.localName === 'button';
      if (doesClick) await turn(() => focused.click());
      await fire('keyup', { ...plain, ...modifiers });
      await settle();
      return event;
    },
    fire,
    async render(next) {
      await turn(() => root.render(next));
      await settle();
    },
    settle,
    async until(search) {
      for (let turns = 0; turns < 1_000; turns++) {
        const found = search();
        if (found !== undefined) return found;
        await act(() => nextTurn(10));
      }
      throw new Error(`It didn't appear. The page says: ${mounted.text()}`);
    },
    async unmount() {
      await turn(() => root.unmount());
      place.remove();
    },
  };
  onTestFinished(mounted.unmount);
  await mounted.render(view);
  return mounted;
}

function isHidden(element: FakeElement): boolean {
  return element.closest('[hidden], [aria-hidden=true], [inert]') !== null;
}

function isNamed(name: string, wanted: Name): boolean {
  return typeof wanted === 'string' ? name === wanted : wanted.test(name);
}

/** Returns the accessible name. Source: Accessible Name and Description Computation 1.2, as far as the pages use it. */
function nameOf(element: FakeElement): string {
  const own = element.getAttribute('aria-label');
  if (own !== null) return own;
  const { ownerDocument } = element;
  const ids = element.getAttribute('aria-labelledby')?.split(' ') ?? [];
  const labels = ids.map((id) => ownerDocument.getElementById(id));
  if (element.matches('input, textarea')) {
    labels.push(
      element.closest('label'),
      element.id === '' ? null : ownerDocument.querySelector(`label[for=${element.id}]`),
    );
  }
  const named = labels.find((label) => label !== null);
  if (named) return textOf(named);
  return textOf(element) || (element.getAttribute('alt') ?? element.getAttribute('title') ?? '').trim();
}

/** Returns the text that a screen reader reads. */
function textOf(element: FakeElement): string {
  const read = (node: FakeNode): string => {
    if ((node as FakeElement).matches?.('[hidden], [aria-hidden=true]')) return '';
    return node.nodeValue ?? node.childNodes.map(read).join('');
  };
  return element.childNodes.map(read).join('').trim();
}
