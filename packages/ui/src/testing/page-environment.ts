import { FakeDocument, FakeField } from './fake-document.ts';
import { FakeEvent, FakeTarget } from './fake-events.ts';
import { FakeElement, FakeNode, FakeText } from './fake-nodes.ts';

/** Observers of sizes and of changes: nothing is laid out, and nothing but React changes the page. */
class FakeObserver {
  observe(): void {}
  unobserve(): void {}
  disconnect(): void {}
  takeRecords(): [] {
    return [];
  }
}

/** A storage that ends with the test. */
class FakeStorage {
  readonly kept = new Map<string, string>();
  getItem = (key: string) => this.kept.get(key) ?? null;
  setItem = (key: string, value: string) => void this.kept.set(key, String(value));
  removeItem = (key: string) => void this.kept.delete(key);
  clear = () => this.kept.clear();
}

/** Returns the globals of a page with an empty document. */
function createPageGlobals(global: object) {
  const page = new FakeTarget();
  const document = new FakeDocument();
  document.viewTarget = page;
  document.defaultView = global;
  const style = { getPropertyValue: () => '', display: 'block', visibility: 'visible', direction: 'ltr' };
  const selection = { anchorNode: null, focusNode: null, rangeCount: 0, removeAllRanges() {} };
  return {
    document,
    addEventListener: page.addEventListener.bind(page),
    removeEventListener: page.removeEventListener.bind(page),
    dispatchEvent: page.dispatchEvent.bind(page),
    NodeFilter: { SHOW_TEXT: 4, SHOW_ELEMENT: 1 },
    Node: FakeNode,
    Text: FakeText,
    Document: FakeDocument,
    Element: FakeElement,
    HTMLElement: FakeElement,
    HTMLInputElement: FakeField,
    HTMLTextAreaElement: FakeField,
    HTMLSelectElement: FakeField,
    ...{ SVGElement: class {}, ShadowRoot: class {}, HTMLIFrameElement: class {}, HTMLLabelElement: class {} },
    ...{ KeyboardEvent: FakeEvent, MouseEvent: FakeEvent, PointerEvent: FakeEvent, FocusEvent: FakeEvent },
    ...{ ResizeObserver: FakeObserver, MutationObserver: FakeObserver, IntersectionObserver: FakeObserver },
    ...{ localStorage: new FakeStorage(), sessionStorage: new FakeStorage() },
    ...{ innerWidth: 1_280, innerHeight: 800, scrollX: 0, scrollY: 0, devicePixelRatio: 1 },
    location: new URL('http://berth.test/'),
    matchMedia: () => ({ matches: false, addEventListener() {}, removeEventListener() {} }),
    getComputedStyle: () => style,
    getSelection: () => selection,
    scrollTo: () => {},
    CSS: { supports: () => false, escape: (text: string) => text },
    requestAnimationFrame: (work: (timeMs: number) => void) => setTimeout(() => work(performance.now()), 0),
    cancelAnimationFrame: (id: ReturnType<typeof setTimeout>) => clearTimeout(id),
    // An error that a listener throws fails the test run.
    reportError: (error: unknown) =>
      queueMicrotask(() => {
        throw error;
      }),
    IS_REACT_ACT_ENVIRONMENT: true,
  };
}

/**
 * A Vitest environment with a document, for tests that press and type. A test file asks for it in its first line:
 * `// @vitest-environment ./packages/ui/src/testing/page-environment.ts`. Such files share no worker with others, since
 * libraries look for a document when they are loaded.
 */
// biome-ignore lint/style/noDefaultExport: Vitest loads an environment by its default export
export default {
  name: 'page',
  viteEnvironment: 'ssr',
  setup(global: object) {
    const before = Object.getOwnPropertyDescriptors(global);
    const page = { ...createPageGlobals(global), window: global, self: global };
    for (const [name, value] of Object.entries(page)) {
      Object.defineProperty(global, name, { value, configurable: true, writable: true });
    }
    return {
      teardown() {
        for (const name of Object.keys(page)) {
          const own = (before as Readonly<Record<string, PropertyDescriptor>>)[name];
          if (own) Object.defineProperty(global, name, own);
          else Reflect.deleteProperty(global, name);
        }
      },
    };
  },
};
