import type { HandlerItem } from '@berth/agent-core';
import { type ComponentFrame, componentSchema, UI_ACTIONS, type UiFrame } from '@berth/contract/agent';
import type { Logger } from '@berth/kit';
import { askFrame, suggestFrames } from './ui-frames.ts';

/** Types that the contract gives a meaning that a handler has no part in. */
const RESERVED: ReadonlySet<string> = new Set(['chat_id', 'ping', 'card', 'decision']);

const KNOWN: ReadonlySet<string> = new Set(componentSchema.options.map(({ shape }) => shape.type.value));
const KNOWN_ACTIONS: ReadonlySet<string> = new Set(UI_ACTIONS);

/**
 * Creates a reader for one turn, which returns the frames of an item that a handler yielded; none for an empty item. Components and
 * actions that Berth doesn't know are passed on with one log line for each kind, because the owner's own page may know them.
 * The reader throws TypeError for an item that is no component, or a known component with wrong fields, and names what is wrong.
 */
export function createItemReader(log: Logger) {
  const told = new Set<string>();
  const tellOnce = (kind: string, message: string) => {
    if (told.has(kind)) return;
    told.add(kind);
    log.warn({ kind }, message);
  };
  return (item: HandlerItem): readonly (ComponentFrame | UiFrame)[] => {
    if (item === undefined || item === null) return [];
    if (typeof item === 'string') return item === '' ? [] : [{ type: 'text', text: item }];
    const type: unknown = typeof item === 'object' ? item.type : undefined;
    if (typeof type !== 'string' || type === '') {
      throw new TypeError(`a handler yielded ${typeof item} instead of text or a component`);
    }
    if (RESERVED.has(type)) {
      tellOnce(type, `the handler yielded a frame of the reserved type "${type}", which was left out`);
      return [];
    }
    if (!KNOWN.has(type)) {
      tellOnce(type, `the handler yielded a component of the unknown type "${type}", which was passed on`);
      return [item as ComponentFrame];
    }
    const result = componentSchema.safeParse(item);
    if (!result.success) throw new TypeError(`a handler yielded a component of type ${type}: ${reasons(result.error)}`);
    const frame = result.data as ComponentFrame | UiFrame;
    if (frame.type !== 'ui') return isEmpty(frame) ? [] : [frame];
    if (!KNOWN_ACTIONS.has(frame.action)) {
      tellOnce(`ui ${frame.action}`, `the handler yielded the unknown action "${frame.action}", which was passed on`);
    }
    if (frame.action === 'suggest') return suggestFrames(frame);
    return [frame.action === 'ask' ? askFrame(frame) : frame];
  };
}

function isEmpty(frame: ComponentFrame): boolean {
  if (frame.type === 'text') return frame.text === '';
  if (frame.type === 'thinking') return frame.thinking === '';
  return frame.type === 'step_arg' && frame.delta === '';
}

interface Issues {
  readonly issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[];
}

function reasons({ issues }: Issues): string {
  return issues.map(({ path, message }) => [...path.map(String), message].join(': ')).join('; ');
}
