import { FakeEvent, FakeTarget } from './fake-events.ts';
import { matchSelector } from './match-selector.ts';

/** Namespace of HTML elements. */
export const HTML = 'http://www.w3.org/1999/xhtml';

/** What nodes need of their document. */
export interface FakeOwner extends FakeNode {
  readonly activeElement: FakeElement;
  /** Addresses of the links that were clicked. */
  readonly followed: string[];
  createTextNode(text: string): FakeText;
  getElementById(id: string): FakeElement | null;
  /** Moves the focus, and tells both elements. */
  focusOn(element: FakeElement | null): void;
  /** Takes the focus from what leaves the document. */
  leave(node: FakeNode): void;
}

/** A node of the fake page. */
export class FakeNode extends FakeTarget {
  static readonly ELEMENT_NODE = 1;
  static readonly TEXT_NODE = 3;
  static readonly DOCUMENT_NODE = 9;
  static readonly DOCUMENT_POSITION_PRECEDING = 2;
  static readonly DOCUMENT_POSITION_FOLLOWING = 4;
  static readonly DOCUMENT_POSITION_CONTAINED_BY = 16;
  readonly nodeType: number;
  readonly nodeName: string;
  nodeValue: string | null = null;
  ownerDocument: FakeOwner;
  parentNode: FakeNode | null = null;
  childNodes: FakeNode[] = [];

  constructor(nodeType: number, nodeName: string, owner?: FakeOwner) {
    super();
    this.nodeType = nodeType;
    this.nodeName = nodeName;
    // A document is its own owner.
    this.ownerDocument = owner ?? (this as unknown as FakeOwner);
  }

  override get eventParent(): FakeTarget | null {
    return this.parentNode;
  }

  get parentElement(): FakeElement | null {
    return this.parentNode instanceof FakeElement ? this.parentNode : null;
  }

  get children(): FakeElement[] {
    return this.childNodes.filter((node) => node instanceof FakeElement);
  }

  get firstChild(): FakeNode | null {
    return this.childNodes[0] ?? null;
  }

  get lastChild(): FakeNode | null {
    return this.childNodes.at(-1) ?? null;
  }

  get firstElementChild(): FakeElement | null {
    return this.children[0] ?? null;
  }

  get nextSibling(): FakeNode | null {
    return this.#beside(1);
  }

  get previousSibling(): FakeNode | null {
    return this.#beside(-1);
  }

  get isConnected(): boolean {
    return this.ownerDocument.contains(this);
  }

  get textContent(): string {
    return this.nodeValue ?? this.childNodes.map(({ textContent }) => textContent).join('');
  }

  set textContent(text: string) {
    for (const child of this.childNodes) child.parentNode = null;
    this.childNodes = [];
    if (this.nodeType === FakeNode.TEXT_NODE) this.nodeValue = text;
    else if (text !== '') this.appendChild(this.ownerDocument.createTextNode(text));
  }

  appendChild<Child extends FakeNode>(child: Child): Child {
    return this.insertBefore(child, null);
  }

  insertBefore<Child extends FakeNode>(child: Child, next: FakeNode | null): Child {
    child.parentNode?.removeChild(child);
    const at = next === null ? this.childNodes.length : this.childNodes.indexOf(next);
    if (at < 0) throw new Error(`<${this.nodeName}> doesn't have the node that is the next one`);
    this.childNodes.splice(at, 0, child);
    child.parentNode = this;
    return child;
  }

  removeChild<Child extends FakeNode>(child: Child): Child {
    const at = this.childNodes.indexOf(child);
    if (at < 0) throw new Error(`<${this.nodeName}> doesn't have the node that is removed`);
    this.ownerDocument.leave(child);
    this.childNodes.splice(at, 1);
    child.parentNode = null;
    return child;
  }

  remove(): void {
    this.parentNode?.removeChild(this);
  }

  contains(node: FakeNode | null): boolean {
    for (let one = node; one; one = one.parentNode) if (one === this) return true;
    return false;
  }

  compareDocumentPosition(other: FakeNode): number {
    const all = [...this.ownerDocument.descend()];
    const order = all.indexOf(other) < all.indexOf(this) ? 2 : 4;
    return order + (this.contains(other) ? 16 : 0) + (other.contains(this) ? 8 : 0);
  }

  getRootNode(): FakeNode {
    return this.parentNode?.getRootNode() ?? this;
  }

  *descend(): Generator<FakeNode> {
    yield this;
    for (const child of this.childNodes) yield* child.descend();
  }

  querySelectorAll(selector: string): FakeElement[] {
    const below = [...this.descend()].filter((node) => node !== this && node instanceof FakeElement);
    return (below as FakeElement[]).filter((element) => element.matches(selector));
  }

  querySelector(selector: string): FakeElement | null {
    return this.querySelectorAll(selector)[0] ?? null;
  }

  #beside(step: number): FakeNode | null {
    const row = this.parentNode?.childNodes ?? [];
    return row[row.indexOf(this) + step] ?? null;
  }
}

/** A text of the fake page. */
export class FakeText extends FakeNode {
  constructor(text: string, owner: FakeOwner) {
    super(FakeNode.TEXT_NODE, '#text', owner);
    this.nodeValue = text;
  }

  get data(): string {
    return this.nodeValue ?? '';
  }
}

/** Inline styles: properties by name. */
class FakeStyle {
  setProperty(name: string, value: string): void {
    Object.assign(this, { [name]: value });
  }

  getPropertyValue(name: string): string {
    return String(Object.entries(this).find(([key]) => key === name)?.[1] ?? '');
  }

  removeProperty(name: string): void {
    Reflect.deleteProperty(this, name);
  }
}

/** An element of the fake page. Nothing is laid out: every box is empty, unless a test replaces the methods. */
export class FakeElement extends FakeNode {
  readonly namespaceURI: string;
  readonly localName: string;
  readonly style = new FakeStyle();
  readonly offsetTop = 0;
  readonly offsetHeight = 0;
  readonly offsetWidth = 0;
  readonly clientHeight = 0;
  readonly clientWidth = 0;
  readonly scrollHeight = 0;
  readonly scrollWidth = 0;
  scrollTop = 0;
  scrollLeft = 0;
  readonly #attributes = new Map<string, string>();

  constructor(name: string, owner: FakeOwner, namespace = HTML) {
    super(FakeNode.ELEMENT_NODE, namespace === HTML ? name.toUpperCase() : name, owner);
    this.localName = name;
    this.namespaceURI = namespace;
  }

  get tagName(): string {
    return this.nodeName;
  }

  get id(): string {
    return this.getAttribute('id') ?? '';
  }

  set id(id: string) {
    this.setAttribute('id', id);
  }

  get className(): string {
    return this.getAttribute('class') ?? '';
  }

  get href(): string {
    return this.getAttribute('href') ?? '';
  }

  set href(address: string) {
    this.setAttribute('href', address);
  }

  get attributes(): { readonly name: string; readonly value: string }[] {
    return [...this.#attributes].map(([name, value]) => ({ name, value }));
  }

  get tabIndex(): number {
    const own = this.getAttribute('tabindex');
    return own === null ? (this.matches('a[href], button, input, textarea, select, summary') ? 0 : -1) : Number(own);
  }

  get disabled(): boolean {
    return this.hasAttribute('disabled');
  }

  get hidden(): boolean {
    return this.hasAttribute('hidden');
  }

  get dataset(): Readonly<Record<string, string>> {
    const data = this.attributes.filter(({ name }) => name.startsWith('data-'));
    const inCamelCase = (name: string) =>
      name.slice(5).replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
    return Object.fromEntries(data.map(({ name, value }) => [inCamelCase(name), value]));
  }

  getAttributeNames(): string[] {
    return [...this.#attributes.keys()];
  }

  getAttribute(name: string): string | null {
    return this.#attributes.get(name.toLowerCase()) ?? null;
  }

  setAttribute(name: string, value: unknown): void {
    this.#attributes.set(name.toLowerCase(), String(value));
  }

  removeAttribute(name: string): void {
    this.#attributes.delete(name.toLowerCase());
  }

  hasAttribute(name: string): boolean {
    return this.#attributes.has(name.toLowerCase());
  }

  matches(selector: string): boolean {
    return matchSelector(this, selector);
  }

  closest(selector: string): FakeElement | null {
    return this.matches(selector) ? this : (this.parentElement?.closest(selector) ?? null);
  }

  getBoundingClientRect() {
    return { x: 0, y: 0, left: 0, top: 0, right: 0, bottom: 0, width: 0, height: 0 };
  }

  getClientRects() {
    return [this.getBoundingClientRect()];
  }

  checkVisibility(): boolean {
    return true;
  }

  getAnimations(): [] {
    return [];
  }

  scrollIntoView(): void {}
  scrollTo(): void {}
  setPointerCapture(): void {}
  releasePointerCapture(): void {}

  hasPointerCapture(): boolean {
    return false;
  }

  focus(): void {
    if (!this.disabled && this.isConnected) this.ownerDocument.focusOn(this);
  }

  blur(): void {
    if (this.ownerDocument.activeElement === this) this.ownerDocument.focusOn(null);
  }

  click(): void {
    this.dispatchEvent(new FakeEvent('click', { bubbles: true, button: 0, detail: 1 }));
  }

  /** Dispatches an event. After a click it does what a browser does then; a disabled element can't be clicked. */
  override dispatchEvent(event: FakeEvent): boolean {
    if (event.type !== 'click') return super.dispatchEvent(event);
    if (this.disabled) return true;
    const undo = this.beginClick();
    const isUnprevented = super.dispatchEvent(event);
    if (isUnprevented) this.endClick();
    else undo();
    return isUnprevented;
  }

  /** Does what precedes the listeners of a click, and returns what undoes it. */
  protected beginClick(): () => void {
    return () => {};
  }

  protected endClick(): void {
    const target = this.closest('button, a[href], label, input');
    if (target?.matches('button[type=submit], button:not([type])')) target.closest('form')?.submitBy();
    else if (target?.localName === 'a') this.ownerDocument.followed.push(target.getAttribute('href') ?? '');
    else if (target?.localName === 'label' && this.localName !== 'input') {
      const named = this.ownerDocument.querySelector(`#${target.getAttribute('for') ?? '-'}`);
      (named ?? target.querySelector('input'))?.click();
    }
  }

  /** Submits a form as a press on its button does: not while the button is disabled or a field isn't valid. */
  submitBy(): void {
    const fields = this.querySelectorAll('input, textarea') as (FakeElement & { validity?: { valid: boolean } })[];
    if (this.querySelector('button[type=submit]')?.disabled) return;
    if (fields.some(({ validity }) => validity?.valid === false)) return;
    this.dispatchEvent(new FakeEvent('submit', { bubbles: true }));
  }
}
