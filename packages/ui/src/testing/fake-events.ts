/** Fields of an event by name. */
export interface FakeEventFields {
  readonly bubbles?: boolean;
  readonly [field: string]: unknown;
}

/** An event of the fake page. Fields of special events, such as `key` or `clientX`, are assigned to it. */
export class FakeEvent {
  readonly type: string;
  readonly bubbles: boolean;
  readonly cancelable = true;
  readonly isTrusted = true;
  readonly timeStamp: number = performance.now();
  target: FakeTarget | null = null;
  currentTarget: FakeTarget | null = null;
  defaultPrevented = false;
  eventPhase = 0;
  isStopped = false;
  isStoppedAtOnce = false;
  #path: readonly FakeTarget[] = [];

  constructor(type: string, { bubbles = false, ...fields }: FakeEventFields = {}) {
    this.type = type;
    this.bubbles = bubbles;
    Object.assign(this, fields);
  }

  preventDefault(): void {
    this.defaultPrevented = true;
  }

  stopPropagation(): void {
    this.isStopped = true;
  }

  stopImmediatePropagation(): void {
    this.isStopped = true;
    this.isStoppedAtOnce = true;
  }

  composedPath(): readonly FakeTarget[] {
    return this.#path;
  }

  /** Goes down from the window to the target and, if the event bubbles, up again. */
  travel(path: readonly FakeTarget[]): void {
    this.#path = path;
    [this.target = null] = path;
    for (const [index, node] of [...path.entries()].reverse()) this.#reach(node, index === 0 ? 2 : 1, true);
    for (const [index, node] of path.entries()) if (index === 0 || this.bubbles) this.#reach(node, 3, false);
    this.currentTarget = null;
  }

  #reach(node: FakeTarget, phase: number, isCapture: boolean): void {
    if (this.isStopped) return;
    this.currentTarget = node;
    this.eventPhase = phase;
    node.hear(this, isCapture);
  }
}

type Listener = ((event: FakeEvent) => void) | { handleEvent(event: FakeEvent): void };
type ListenerOptions = boolean | { readonly capture?: boolean; readonly once?: boolean; readonly signal?: AbortSignal };

interface Heard {
  readonly type: string;
  readonly listener: Listener;
  readonly isCapture: boolean;
  readonly isOnce: boolean;
}

/** An event target in a tree: events travel through its parents, as in a browser. */
export class FakeTarget {
  #heard: readonly Heard[] = [];

  /** The next target on the way up. */
  get eventParent(): FakeTarget | null {
    return null;
  }

  addEventListener(type: string, listener: Listener | null, options: ListenerOptions = {}): void {
    const { capture = false, once = false, signal } = typeof options === 'boolean' ? { capture: options } : options;
    if (listener === null || signal?.aborted || this.#find(type, listener, capture)) return;
    this.#heard = [...this.#heard, { type, listener, isCapture: capture, isOnce: once }];
    signal?.addEventListener('abort', () => this.removeEventListener(type, listener, options));
  }

  removeEventListener(type: string, listener: Listener | null, options: ListenerOptions = {}): void {
    const { capture = false } = typeof options === 'boolean' ? { capture: options } : options;
    const gone = listener && this.#find(type, listener, capture);
    this.#heard = this.#heard.filter((one) => one !== gone);
  }

  dispatchEvent(event: FakeEvent): boolean {
    const path: FakeTarget[] = [];
    for (let node: FakeTarget | null = this; node; node = node.eventParent) path.push(node);
    event.travel(path);
    return !event.defaultPrevented;
  }

  hear(event: FakeEvent, isCapture: boolean): void {
    for (const one of this.#heard) {
      if (one.type !== event.type || one.isCapture !== isCapture || event.isStoppedAtOnce) continue;
      if (one.isOnce) this.removeEventListener(one.type, one.listener, one.isCapture);
      if (typeof one.listener === 'function') one.listener.call(this, event);
      else one.listener.handleEvent(event);
    }
  }

  #find(type: string, listener: Listener, isCapture: boolean): Heard | undefined {
    return this.#heard.find((one) => one.type === type && one.listener === listener && one.isCapture === isCapture);
  }
}
