/**
 * Closes ways out of the frame that its Content-Security-Policy leaves open in browsers without `Connection-Allowlist`, and
 * gives the document in-memory storage in place of `localStorage`, which throws without an origin. Called before any code of
 * the artifact exists in the frame.
 */
export function guardFrame(scope: typeof globalThis): void {
  for (const name of ['RTCPeerConnection', 'webkitRTCPeerConnection', 'WebTransport'])
    Reflect.deleteProperty(scope, name);
  for (const name of ['localStorage', 'sessionStorage']) {
    Object.defineProperty(scope, name, { value: createMemoryStorage(), configurable: true });
  }
}

/**
 * Removes nested frames before they load. A frame of an artifact can contain only `srcdoc`, in which what {@link guardFrame}
 * removed exists again.
 */
export function removeNestedFrames(document: Document): void {
  const { MutationObserver } = globalThis;
  const remove = Element.prototype.remove;
  const attachShadow = Element.prototype.attachShadow;
  const look = new MutationObserver((changes) => {
    for (const { target } of changes) {
      if (!(target instanceof Element || target instanceof Document || target instanceof DocumentFragment)) continue;
      for (const frame of target.querySelectorAll('iframe, frame, object, embed, fencedframe')) remove.call(frame);
    }
  });
  const observe = (root: Node) => look.observe(root, { childList: true, subtree: true });
  observe(document);
  Element.prototype.attachShadow = function attach(options) {
    const root = attachShadow.call(this, options);
    observe(root);
    return root;
  };
}

function createMemoryStorage(): Storage {
  const values = new Map<string, string>();
  return {
    get length() {
      return values.size;
    },
    key: (index) => [...values.keys()][index] ?? null,
    getItem: (name) => values.get(String(name)) ?? null,
    setItem: (name, value) => void values.set(String(name), String(value)),
    removeItem: (name) => void values.delete(String(name)),
    clear: () => values.clear(),
  };
}
