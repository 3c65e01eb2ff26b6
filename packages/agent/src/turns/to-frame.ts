import type { HandlerItem } from '@berth/agent-core';
import { type ComponentFrame, componentSchema, type UiFrame } from '@berth/contract/agent';

/**
 * Returns the frame of an item that a handler yielded; undefined for an empty one.
 * @throws TypeError naming what is wrong with a component, for the handler's author.
 */
export function toFrame(item: HandlerItem): ComponentFrame | UiFrame | undefined {
  if (item === undefined || item === null) return undefined;
  if (typeof item === 'string') return item === '' ? undefined : { type: 'text', text: item };
  const result = componentSchema.safeParse(item);
  if (!result.success) throw new TypeError(`a handler yielded ${describe(item)}: ${reasons(result.error.issues)}`);
  const frame = result.data as ComponentFrame | UiFrame;
  return isEmpty(frame) ? undefined : frame;
}

function isEmpty(frame: ComponentFrame | UiFrame): boolean {
  if (frame.type === 'text') return frame.text === '';
  if (frame.type === 'thinking') return frame.thinking === '';
  return frame.type === 'step_arg' && frame.delta === '';
}

function describe(item: unknown): string {
  const type = typeof item === 'object' ? (item as { type?: unknown }).type : undefined;
  return type === undefined ? `${typeof item} instead of text or a component` : `a component of type ${String(type)}`;
}

function reasons(issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[]): string {
  return issues.map(({ path, message }) => [...path.map(String), message].join(': ')).join('; ');
}
