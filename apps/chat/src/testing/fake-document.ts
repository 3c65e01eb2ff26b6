import { matchSelector } from './match-selector.ts';

/** The fields of an event besides its type, e.g. the `key` of a keydown. */
export type EventFields = Readonly<Record<string, unknown>>;

type Listener = (event: FakeEvent) => void;
type ListenerOptions = boolean | { readonly capture?: boolean; readonly once?: boolean; readonly signal?: AbortSignal };

/** An event that travels from the window to its target and back. */
export class FakeEvent {
  readonly type: string;
  readonly bubbles = true;
  readonly cancelable = true;
  readonly timeStamp = 0;
  target: FakeTarget | undefined;
  defaultPrevented = false;
  isStopped = false;

  constructor(type: string, fields: EventFields = {}) {
    this.type = type;
    Object.assign(this, fields);
  }
  preventDefault() {
    this.defaultPrevented = true;
  }
  stopPropagation() {
    this.isStopped = true;
  }
}

/** Something that events happen to: the window, the document or an element. */
export class FakeTarget {
  #listeners: readonly { readonly type: string; readonly listener: Listener; readonly isCapture: boolean }[] = [];

  /** The next target on the way of an event to the window. */
  get parentTarget(): FakeTarget | undefined {
    return undefined;
  }
  addEventListener(type: string, listener: Listener, options: ListenerOptions = false) {
    const { capture = false, once = false, signal } = typeof options === 'boolean' ? { capture: options } : options;
    const heard: Listener = (event) => {
      if (once) this.removeEventListener(type, heard);
      listener(event);
    };
    this.#listeners = [...this.#listeners, { type, listener: once ? heard : listener, isCapture: capture }];
    signal?.addEventListener('abort', () => this.removeEventListener(type, once ? heard : listener), { once: true });
  }
  removeEventListener(type: string, listener: Listener) {
    this.#listeners = this.#listeners.filter((one) => one.type !== type || one.listener !== listener);
  }
  dispatchEvent(event: FakeEvent): boolean {
    event.target = this;
    const path: FakeTarget[] = [];
    for (let at: FakeTarget | undefined = this; at; at = at.parentTarget) path.push(at);
    for (const at of path.toReversed()) at.#hear(event, true);
    for (const at of path) at.#hear(event, false);
    return !event.defaultPrevented;
  }
  #hear(event: FakeEvent, isCapture: boolean) {
    if (event.isStopped) return;
    for (const one of this.#listeners) {
      if (one.type === event.type && one.isCapture === isCapture) one.listener(event);
    }
  }
}

const ELEMENT = 1;
const TEXT = 3;

/** A node of the document: an element or a text. */
export class FakeNode extends FakeTarget {
  readonly nodeType: number;
  readonly nodeName: string;
  readonly ownerDocument: FakeDocument;
  parentNode: FakeElement | null = null;
  childNodes: FakeNode[] = [];
  /** The text of a text node; null for an element. */
  nodeValue: string | null = null;

  constructor(nodeType: number, nodeName: string, ownerDocument: FakeDocument) {
    super();
    this.nodeType = nodeType;
    this.nodeName = nodeName;
    this.ownerDocument = ownerDocument;
  }
  override get parentTarget(): FakeTarget | undefined {
    return this.parentNode ?? this.ownerDocument;
  }
  get firstChild(): FakeNode | null {
    return this.childNodes[0] ?? null;
  }
  get lastChild(): FakeNode | null {
    return this.childNodes.at(-1) ?? null;
  }
  get nextSibling(): FakeNode | null {
    const all = this.parentNode?.childNodes ?? [];
    return all[all.indexOf(this) + 1] ?? null;
  }
  get isConnected(): boolean {
    return this.ownerDocument.documentElement.contains(this);
  }
  get textContent(): string {
    return this.nodeValue ?? this.childNodes.map((node) => node.textContent).join('');
  }
  set textContent(text: string) {
    if (this.nodeType === TEXT) this.nodeValue = text;
    else this.childNodes = text === '' ? [] : [this.ownerDocument.createTextNode(text)];
  }
  contains(node: FakeNode | null): boolean {
    for (let at = node; at; at = at.parentNode) if (at === this) return true;
    return false;
  }
}

/** An element. It has attributes and children, but no styles, and every element has the same size. */
export class FakeElement extends FakeNode {
  readonly tagName: string;
  readonly namespaceURI: string;
  readonly style: Record<string, unknown> = { setProperty: () => {}, removeProperty: () => {} };
  readonly attributes = new Map<string, string>();
  readonly clientHeight = 600;
  readonly clientWidth = 400;
  readonly offsetHeight = 600;
  readonly offsetWidth = 400;
  readonly scrollHeight = 600;
  scrollTop = 0;
  /** The text of a field; React tracks it by the accessor of the class. */
  #value = '';
  #isChecked = false;
  selectionStart = 0;
  selectionEnd = 0;
  /** The files of a picker. */
  files: readonly File[] = [];

  constructor(tagName: string, ownerDocument: FakeDocument, namespaceURI = 'http://www.w3.org/1999/xhtml') {
    super(ELEMENT, tagName.toUpperCase(), ownerDocument);
    this.tagName = this.nodeName;
    this.namespaceURI = namespaceURI;
  }
  get value() {
    return this.#value;
  }
  set value(text: string) {
    this.#value = String(text);
  }
  /** The text that a field begins with; that of a `textarea` is its content. */
  set defaultValue(text: string) {
    if (this.tagName === 'TEXTAREA') this.textContent = text;
  }
  get checked() {
    return this.#isChecked;
  }
  set checked(isChecked: boolean) {
    this.#isChecked = isChecked;
  }
  get children() {
    return this.childNodes.filter((node): node is FakeElement => node instanceof FakeElement);
  }
  get parentElement() {
    return this.parentNode;
  }
  get disabled() {
    return this.attributes.has('disabled');
  }
  get type() {
    return this.attributes.get('type') ?? 'text';
  }
  set type(type: string) {
    this.attributes.set('type', type);
  }
  getAttribute(name: string) {
    return this.attributes.get(name.toLowerCase()) ?? null;
  }
  hasAttribute(name: string) {
    return this.attributes.has(name.toLowerCase());
  }
  setAttribute(name: string, value: unknown) {
    this.attributes.set(name.toLowerCase(), String(value));
  }
  removeAttribute(name: string) {
    this.attributes.delete(name.toLowerCase());
  }
  appendChild(node: FakeNode) {
    return this.insertBefore(node, null);
  }
  insertBefore(node: FakeNode, next: FakeNode | null) {
    node.parentNode?.removeChild(node);
    const index = next ? this.childNodes.indexOf(next) : this.childNodes.length;
    this.childNodes.splice(index, 0, node);
    node.parentNode = this;
    return node;
  }
  append(...nodes: readonly FakeNode[]) {
    for (const node of nodes) this.appendChild(node);
  }
  remove() {
    this.parentNode?.removeChild(this);
  }
  removeChild(node: FakeNode) {
    if (node.contains(this.ownerDocument.activeElement)) this.ownerDocument.activeElement = this.ownerDocument.body;
    this.childNodes = this.childNodes.filter((child) => child !== node);
    node.parentNode = null;
    return node;
  }
  focus() {
    this.ownerDocument.activeElement = this;
    this.dispatchEvent(new FakeEvent('focusin'));
  }
  /** Presses the element with the mouse; a submit button submits its form. */
  click() {
    if (this.disabled) return;
    const isAllowed = this.dispatchEvent(new FakeEvent('click', { button: 0, detail: 1 }));
    if (isAllowed && this.getAttribute('type') === 'submit')
      this.closest('form')?.dispatchEvent(new FakeEvent('submit'));
  }
  /** The nearest element that matches, from this one upwards. */
  closest(selector: string): FakeElement | null {
    return matchSelector(this, selector) ? this : (this.parentNode?.closest(selector) ?? null);
  }
  querySelector(selector: string): FakeElement | null {
    return [...this.all()].slice(1).find((one) => matchSelector(one, selector)) ?? null;
  }
  /** The attributes that begin with `data-`. */
  get dataset(): Readonly<Record<string, string>> {
    const names = [...this.attributes.keys()].filter((name) => name.startsWith('data-'));
    return Object.fromEntries(names.map((name) => [name.slice('data-'.length), this.attributes.get(name) ?? '']));
  }
  /** This element and all below it, in the order of the document. */
  *all(): Generator<FakeElement> {
    yield this;
    for (const child of this.children) yield* child.all();
  }
}

/** A document with an empty body. */
export class FakeDocument extends FakeTarget {
  readonly nodeType = 9;
  readonly nodeName = '#document';
  readonly compatMode = 'CSS1Compat';
  readonly defaultView: FakeTarget;
  readonly documentElement: FakeElement;
  readonly body: FakeElement;
  activeElement: FakeElement;
  visibilityState = 'visible';
  /** React looks for the property to learn that fields send `input` events. */
  readonly oninput = null;
  title = '';

  constructor(window: FakeTarget) {
    super();
    this.defaultView = window;
    this.documentElement = new FakeElement('html', this);
    this.body = new FakeElement('body', this);
    this.documentElement.appendChild(this.body);
    this.activeElement = this.body;
  }
  override get parentTarget() {
    return this.defaultView;
  }
  createElement(tag: string) {
    return new FakeElement(tag, this);
  }
  createElementNS(namespace: string, tag: string) {
    return new FakeElement(tag, this, namespace);
  }
  createTextNode(text: string) {
    const node = new FakeNode(TEXT, '#text', this);
    node.nodeValue = text;
    return node;
  }
  getElementById(id: string) {
    return [...this.documentElement.all()].find((one) => one.getAttribute('id') === id) ?? null;
  }
  querySelector(selector: string) {
    return this.documentElement.querySelector(selector);
  }
}
