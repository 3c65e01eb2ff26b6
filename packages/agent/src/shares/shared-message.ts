import type { Attachment, Part, SharedMessage } from '@berth/contract/agent';
import type { NewMessage } from '../store/stored-message.ts';

type Shown = Record<string, unknown>;

/**
 * What others may see of a message: a list of keys that are let through, so that a field added later stays private until
 * it is named here. Thinking, the arguments and results of tools, and what only the model is told are left out.
 * Undefined for a message of which nothing is shown.
 */
export function sharedMessage(message: Omit<NewMessage, 'seq'>): SharedMessage | undefined {
  if (message.isInternal || (message.role !== 'user' && message.role !== 'assistant')) return undefined;
  const parts = message.parts?.map(sharedPart).filter((part) => part !== undefined);
  return {
    role: message.role,
    content: typeof message.content === 'string' ? message.content : message.content.map(sharedInput),
    ...(parts ? { parts } : {}),
    ...(message.attachments ? { attachments: message.attachments.map(sharedAttachment) } : {}),
  };
}

function sharedInput(part: Exclude<NewMessage['content'], string>[number]): Shown {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text };
    case 'image':
      return { type: 'image', image: part.image };
    case 'file':
      return { type: 'file', file: part.file };
  }
}

function sharedPart(part: Part): Shown | undefined {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text };
    case 'code':
      return pick(part, ['type', 'code', 'language']);
    case 'table':
      return pick(part, ['type', 'headers', 'rows']);
    case 'callout':
      return pick(part, ['type', 'callout', 'style', 'title']);
    case 'image':
      return pick(part, ['type', 'src', 'alt', 'caption']);
    case 'status':
      return pick(part, ['type', 'status']);
    case 'step':
      return pick(part, ['type', 'step', 'tool_name', 'ok']);
    case 'sources':
      return {
        type: 'sources',
        id: part.id,
        sources: part.sources.map((one) => pick(one, ['title', 'url', 'snippet'])),
      };
    default:
      return undefined;
  }
}

function sharedAttachment(attachment: Attachment): Attachment {
  return pick(attachment, ['name', 'size', 'type', 'url', 'path']) as unknown as Attachment;
}

function pick<Value extends object>(value: Value, keys: readonly (keyof Value & string)[]): Shown {
  return Object.fromEntries(keys.filter((key) => value[key] !== undefined).map((key) => [key, value[key]]));
}
