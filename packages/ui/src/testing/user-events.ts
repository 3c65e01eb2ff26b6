/** Fields of an event by name. Fields that its class doesn't know, such as `dataTransfer`, are assigned to the event. */
export type EventFields = Readonly<Record<string, unknown>>;

const FOCUSABLE = 'button, a[href], input, textarea, select, summary, [tabindex]';

/** Creates an event of the class that a browser uses for its type. The event bubbles and can be prevented. */
export function createEvent(type: string, fields: EventFields = {}): Event {
  const Class = classOf(type);
  const event = new Class(type, { bubbles: true, cancelable: true, composed: true, ...fields });
  for (const [name, value] of Object.entries(fields)) {
    if (Reflect.get(event, name) !== value) Object.defineProperty(event, name, { value });
  }
  return event;
}

function classOf(type: string): new (type: string, init: EventInit) => Event {
  if (/^(pointer|click$|contextmenu$)/.test(type)) return PointerEvent;
  if (/^(mouse|dblclick$|drag|drop$)/.test(type)) return MouseEvent;
  if (type.startsWith('key')) return KeyboardEvent;
  if (type.startsWith('focus') || type === 'blur') return FocusEvent;
  return type === 'input' ? InputEvent : Event;
}

/** Dispatches the events of a press of the mouse. The focus moves unless a listener prevents `mousedown`. */
export function clickOn(element: Element): void {
  const dispatch = (type: string) =>
    element.dispatchEvent(createEvent(type, { button: 0, detail: 1, pointerType: 'mouse', isPrimary: true }));
  dispatch('pointerdown');
  if (dispatch('mousedown')) element.closest<HTMLElement>(FOCUSABLE)?.focus();
  dispatch('pointerup');
  dispatch('mouseup');
  dispatch('click');
}

/** Replaces the text of a field past the accessor with which React watches it. */
export function replaceText(field: HTMLInputElement | HTMLTextAreaElement, text: string): void {
  field.focus();
  const { prototype } = field.localName === 'textarea' ? HTMLTextAreaElement : HTMLInputElement;
  Object.getOwnPropertyDescriptor(prototype, 'value')?.set?.call(field, text);
  field.dispatchEvent(createEvent('input', { data: text, inputType: 'insertText' }));
}

/** Does what a browser does after a `keydown` that no listener prevented. */
export function endKeyDown(element: Element, key: string): void {
  if (key !== 'Enter') return;
  if (element.matches('button, a[href], summary')) (element as HTMLElement).click();
  else if (element.matches('input')) submitFrom(element as HTMLInputElement);
}

/** Does what a browser does after a `keyup` that no listener prevented. */
export function endKeyUp(element: Element, key: string): void {
  if (key === ' ' && element.matches('button, summary, input[type=checkbox]')) (element as HTMLElement).click();
}

/** Submits the form of a field. Source: HTML, "Implicit submission". */
function submitFrom({ form }: HTMLInputElement): void {
  const button = form?.querySelector<HTMLElement>('button[type=submit], button:not([type]), input[type=submit]');
  if (button) button.click();
  else form?.requestSubmit();
}
