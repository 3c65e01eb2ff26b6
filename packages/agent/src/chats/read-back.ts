import type { StoredMessage } from '@berth/agent-store';
import {
  type Attachment,
  type ExpiredPart,
  type InputPart,
  jsonText,
  type StoredMessage as MessageView,
} from '@berth/contract/agent';

/** The approvals of a chat that are still open, by key. */
export interface OpenApprovals {
  /** Wait for a decision. */
  readonly waiting: ReadonlySet<string>;
  /** Are decided, but their calls did not run yet. */
  readonly decided: ReadonlySet<string>;
}

type PartView = NonNullable<MessageView['parts']>[number];

const NO_APPROVALS: OpenApprovals = { waiting: new Set(), decided: new Set() };

/** The result of a call whose approval was never decided, and can't be any more. */
const UNDECIDED = 'Not run: the approval expired.';

/**
 * Returns stored messages for a reader: without messages for the model only, with consecutive messages of the assistant joined, and
 * with cards that still wait for the person on the last message of the assistant. A step that waited is replaced by the step of the
 * call that ran later. Source: docs/contract/agent-api.md §4.
 */
export function readBack(messages: readonly StoredMessage[], approvals: OpenApprovals = NO_APPROVALS): MessageView[] {
  const views: MessageView[] = [];
  for (const message of messages) {
    const view = toView(message);
    if (!view) continue;
    const last = views.at(-1);
    if (last?.role === 'assistant' && view.role === 'assistant') views[views.length - 1] = join(last, view);
    else views.push(view);
  }
  return placeCards(replaceSteps(views, approvals), approvals);
}

/** True when {@link readBack} would make the two one message. */
export function runsOn(before: StoredMessage | undefined, after: StoredMessage | undefined): boolean {
  return before?.role === 'assistant' && after?.role === 'assistant';
}

/** True for what {@link readBack} leaves out. */
export function isHidden({ role, isInternal }: Pick<StoredMessage, 'role' | 'isInternal'>): boolean {
  return isInternal === true || (role !== 'user' && role !== 'assistant');
}

/** Returns the text of a user's message, by which clients know it. */
export function textOfContent(content: StoredMessage['content']): string {
  if (typeof content === 'string') return content;
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n\n');
}

function toView(message: StoredMessage): MessageView | undefined {
  const { role, content, parts, attachments = [], status, seq } = message;
  if (isHidden(message) || (role !== 'user' && role !== 'assistant')) return undefined;
  const files = [...attachments, ...(typeof content === 'string' ? [] : content.flatMap(attachmentOf))];
  return {
    role,
    content: textOfContent(content),
    ...(seq !== undefined && { seq }),
    ...(parts === undefined ? {} : { parts: parts.map((part) => withJsonArgs(part as PartView)) }),
    ...(files.length === 0 ? {} : { attachments: files }),
    ...(status === undefined ? {} : { status }),
  };
}

/** Returns the attachment for an image or file that a client sent as a part of the content. */
function attachmentOf(part: InputPart): Attachment[] {
  if (part.type === 'text') return [];
  const path = part.type === 'image' ? part.image : part.file;
  return [{ name: path.split('/').at(-1) ?? path, path }];
}

/** Earlier versions stored `args` as the handler gave them. */
function withJsonArgs(part: PartView): PartView {
  if (part.type !== 'step' || part['args'] === undefined || typeof part['args'] === 'string') return part;
  return { ...part, args: jsonText(part['args']) };
}

/** Joins two messages; the later status counts. */
function join(before: MessageView, after: MessageView): MessageView {
  const { status: _status, ...rest } = before;
  return {
    ...rest,
    content: [before.content, after.content].filter(Boolean).join('\n\n'),
    ...(before.parts || after.parts ? { parts: [...partsOf(before), ...partsOf(after)] } : {}),
    ...(after.status === undefined ? {} : { status: after.status }),
  };
}

function partsOf({ parts, content }: MessageView): readonly PartView[] {
  return parts ?? [{ type: 'text', text: content }];
}

/** Merges the steps of approved calls into the steps that waited for them, and ends the waiting of those that no one can approve. */
function replaceSteps(views: readonly MessageView[], { waiting, decided }: OpenApprovals): MessageView[] {
  const open = new Set<unknown>();
  const parents = new Map<unknown, unknown>();
  const later = new Map<unknown, PartView>();
  const waits = new Set<unknown>();
  const cards = new Map<unknown, NonNullable<ReturnType<typeof cardOf>>>();
  const known = new Set<unknown>();
  for (const part of views.flatMap(({ parts = [] }) => parts)) {
    const card = cardOf(part);
    const key = String(card?.['key']);
    if (card?.['action'] === 'confirm') {
      cards.set(card['id'], card);
      if (waiting.has(key) || decided.has(key)) open.add(card['id']);
    }
    if (part.type === 'decision') known.add(part['key']);
    if (part.type !== 'step' || part['id'] === undefined) continue;
    if (part['parent'] !== undefined) parents.set(part['id'], part['parent']);
    if (waits.has(part['id'])) later.set(part['id'], { ...later.get(part['id']), ...part });
    else if (part['pending'] === true) waits.add(part['id']);
  }
  // The calls of sub-agents wait for what waits below them.
  for (const id of open) if (parents.has(id)) open.add(parents.get(id));
  const seen = new Set<unknown>();
  return views.map((view) => {
    if (!view.parts) return view;
    const parts = view.parts.flatMap((part) => {
      const id = part.type === 'step' ? part['id'] : undefined;
      if (!waits.has(id)) return [part];
      if (seen.has(id)) return [];
      seen.add(id);
      const run = later.get(id);
      if (run) {
        const { pending: _, ...step } = { ...part, ...run };
        return [step];
      }
      if (open.has(id)) return [part];
      const { pending: _, ...step } = part;
      const card = cards.get(id);
      const expired = card && !known.has(card['key']) ? [expiredPart(card)] : [];
      return [{ ...step, ok: false, result: UNDECIDED }, ...expired];
    });
    return { ...view, parts };
  });
}

function expiredPart(card: Readonly<Record<string, unknown>>): PartView {
  const text = (name: string) => String(card[name] ?? '');
  const part: ExpiredPart = {
    ...{ type: 'decision', decision: 'expired', key: text('key'), tool: text('tool'), label: text('label') },
  };
  return { ...part };
}

/** Leaves the cards that wait for the person, on the last message of the assistant. */
function placeCards(views: readonly MessageView[], { waiting }: OpenApprovals): MessageView[] {
  const last = views.findLastIndex(({ role }) => role === 'assistant');
  const moved: PartView[] = [];
  const isOpen = (part: PartView, index: number): boolean => {
    const card = cardOf(part);
    if (!card) return true;
    // A message of the person answers a question and a request to connect, but no request for approval.
    if (card['action'] !== 'confirm') return index === views.length - 1;
    if (!waiting.has(String(card['key']))) return false;
    if (index < last) moved.push(part);
    return index === last;
  };
  return views.map((view, index) => {
    if (!view.parts) return view;
    const parts = view.parts.filter((part) => isOpen(part, index));
    return { ...view, parts: index === last ? [...parts, ...moved] : parts };
  });
}

function cardOf(part: PartView): Readonly<Record<string, unknown>> | undefined {
  return part.type === 'card' ? (part['card'] as Record<string, unknown>) : undefined;
}
