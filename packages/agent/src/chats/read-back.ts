import type { StoredMessage } from '@berth/agent-store';
import type { StoredMessage as MessageView } from '@berth/contract/agent';

/**
 * Returns stored messages for a reader: without messages for the model only, and with consecutive messages of the assistant joined.
 * Source: docs/contract/agent-api.md §4.
 */
export function readBack(messages: readonly StoredMessage[]): MessageView[] {
  const views: MessageView[] = [];
  for (const message of messages) {
    const view = toView(message);
    if (!view) continue;
    const last = views.at(-1);
    if (last?.role === 'assistant' && view.role === 'assistant') views[views.length - 1] = join(last, view);
    else views.push(view);
  }
  return views;
}

/** True when {@link readBack} would make the two one message. */
export function runsOn(before: StoredMessage | undefined, after: StoredMessage | undefined): boolean {
  return before?.role === 'assistant' && after?.role === 'assistant';
}

/** True for what {@link readBack} leaves out. */
export function isHidden({ role, isInternal }: Pick<StoredMessage, 'role' | 'isInternal'>): boolean {
  return isInternal === true || (role !== 'user' && role !== 'assistant');
}

function toView(message: StoredMessage): MessageView | undefined {
  const { role, content, parts, attachments, status } = message;
  if (isHidden(message) || (role !== 'user' && role !== 'assistant')) return undefined;
  return {
    role,
    content: typeof content === 'string' ? content : [...content],
    ...(parts === undefined ? {} : { parts: [...parts] as NonNullable<MessageView['parts']> }),
    ...(attachments === undefined || attachments.length === 0 ? {} : { attachments: [...attachments] }),
    ...(status === undefined ? {} : { status }),
  };
}

/** Joins two messages; the later status counts. */
function join(before: MessageView, after: MessageView): MessageView {
  const { status: _status, ...rest } = before;
  return {
    ...rest,
    content: [before.content, after.content].map(textOf).filter(Boolean).join('\n\n'),
    ...(before.parts || after.parts ? { parts: [...partsOf(before), ...partsOf(after)] } : {}),
    ...(after.status === undefined ? {} : { status: after.status }),
  };
}

function textOf(content: MessageView['content']): string {
  return typeof content === 'string'
    ? content
    : content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

function partsOf({ parts, content }: MessageView): NonNullable<MessageView['parts']> {
  return parts ?? [{ type: 'text', text: textOf(content) }];
}
