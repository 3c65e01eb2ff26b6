import { FakeEvent, type FakeTarget } from './fake-events.ts';
import { FakeElement, FakeNode, type FakeOwner, FakeText, HTML } from './fake-nodes.ts';

/** Elements with a value. React tells changes apart by the accessors of their class. */
export class FakeField extends FakeElement {
  #value: string | undefined;
  #isChecked: boolean | undefined;
  files: readonly File[] = [];
  selectionStart = 0;
  selectionEnd = 0;

  get type(): string {
    return this.getAttribute('type') ?? (this.localName === 'input' ? 'text' : this.localName);
  }

  set type(type: string) {
    this.setAttribute('type', type);
  }

  set name(name: string) {
    this.setAttribute('name', name);
  }

  get value(): string {
    return this.#value ?? this.defaultValue;
  }

  set value(value: string) {
    this.#value = String(value);
    this.setSelectionRange(this.#value.length, this.#value.length);
  }

  get defaultValue(): string {
    return (this.localName === 'textarea' ? this.textContent : this.getAttribute('value')) ?? '';
  }

  set defaultValue(value: string) {
    if (this.localName === 'textarea') this.textContent = value;
    else this.setAttribute('value', value);
  }

  get checked(): boolean {
    return this.#isChecked ?? this.hasAttribute('checked');
  }

  set checked(isChecked: boolean) {
    this.#isChecked = isChecked;
  }

  get defaultChecked(): boolean {
    return this.hasAttribute('checked');
  }

  set defaultChecked(isChecked: boolean) {
    if (isChecked) this.setAttribute('checked', '');
    else this.removeAttribute('checked');
  }

  /** What a browser finds wrong with the value. It knows the attributes `required` and `minLength`. */
  get validity() {
    const valueMissing = this.hasAttribute('required') && this.value === '';
    const tooShort = this.value !== '' && this.value.length < Number(this.getAttribute('minlength'));
    return { valid: !valueMissing && !tooShort, valueMissing, tooShort };
  }

  get validationMessage(): string {
    return this.validity.valid ? '' : 'Not valid.';
  }

  setCustomValidity(): void {}

  setSelectionRange(start: number, end: number): void {
    this.selectionStart = start;
    this.selectionEnd = end;
  }

  select(): void {
    this.setSelectionRange(0, this.value.length);
  }

  protected override beginClick(): () => void {
    if (this.type !== 'checkbox') return () => {};
    const before = this.checked;
    this.enter('checked', !before);
    return () => this.enter('checked', before);
  }

  /** Sets a property as a person does, past the accessor with which React watches the element. */
  enter(name: 'value' | 'checked', value: string | boolean): void {
    Object.getOwnPropertyDescriptor(FakeField.prototype, name)?.set?.call(this, value);
  }
}

/** The document of the fake page. */
export class FakeDocument extends FakeNode implements FakeOwner {
  readonly documentElement: FakeElement;
  readonly head: FakeElement;
  readonly body: FakeElement;
  readonly visibilityState = 'visible';
  readonly readyState = 'complete';
  /** React looks for it to learn that the browser has input events. */
  readonly oninput = null;
  /** The window. */
  defaultView: unknown = null;
  /** The event target of the window. */
  viewTarget: FakeTarget | null = null;
  title = '';
  cookie = '';
  readonly followed: string[] = [];
  #active: FakeElement | null = null;

  constructor() {
    super(FakeNode.DOCUMENT_NODE, '#document');
    this.documentElement = this.appendChild(this.createElement('html'));
    this.head = this.documentElement.appendChild(this.createElement('head'));
    this.body = this.documentElement.appendChild(this.createElement('body'));
  }

  override get eventParent(): FakeTarget | null {
    return this.viewTarget;
  }

  get activeElement(): FakeElement {
    return this.#active ?? this.body;
  }

  createElement(name: string): FakeElement {
    return ['input', 'textarea', 'select'].includes(name) ? new FakeField(name, this) : new FakeElement(name, this);
  }

  createElementNS(namespace: string, name: string): FakeElement {
    return namespace === HTML ? this.createElement(name) : new FakeElement(name, this, namespace);
  }

  createTextNode(text: string): FakeText {
    return new FakeText(text, this);
  }

  /** Returns a walker over the texts below `root`. */
  createTreeWalker(root: FakeNode) {
    const texts = [...root.descend()].filter((node) => node instanceof FakeText);
    const walker = {
      currentNode: root,
      nextNode: () => {
        walker.currentNode = texts.shift() ?? root;
        return walker.currentNode !== root;
      },
    };
    return walker;
  }

  getElementById(id: string): FakeElement | null {
    return this.querySelector(`#${id}`);
  }

  hasFocus(): boolean {
    return true;
  }

  focusOn(next: FakeElement | null): void {
    const last = this.#active;
    if (last === next) return;
    this.#active = next;
    last?.dispatchEvent(new FakeEvent('blur', { relatedTarget: next }));
    last?.dispatchEvent(new FakeEvent('focusout', { bubbles: true, relatedTarget: next }));
    next?.dispatchEvent(new FakeEvent('focus', { relatedTarget: last }));
    next?.dispatchEvent(new FakeEvent('focusin', { bubbles: true, relatedTarget: last }));
  }

  leave(node: FakeNode): void {
    if (node.contains(this.#active)) this.#active = null;
  }
}
