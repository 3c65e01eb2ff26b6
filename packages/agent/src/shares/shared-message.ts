import type { StoredMessage } from '@berth/agent-store';
import type { Attachment, StoredMessage as MessageView, SharedMessage } from '@berth/contract/agent';
import { readBack } from '../chats/read-back.ts';
import { createArtifactReader } from './shared-artifact.ts';

type Shown = Record<string, unknown>;

/** Returns the messages of a chat without what an audience must not see. */
export function sharedMessages(messages: readonly StoredMessage[]): readonly SharedMessage[] {
  const readArtifact = createArtifactReader();
  return readBack(messages).map((message) => sharedMessage(message, readArtifact));
}

/**
 * Returns a message without what an audience must not see. Copies only allow-listed keys, so a field added later stays
 * private until it is listed here. Leaves out reasoning, and the arguments and results of tools, except for the artifacts that
 * they wrote.
 */
function sharedMessage(
  { role, content, parts, attachments }: MessageView,
  readArtifact: ReturnType<typeof createArtifactReader>,
): SharedMessage {
  return {
    role,
    content,
    ...(parts
      ? { parts: parts.map((part) => sharedPart(part, readArtifact)).filter((part) => part !== undefined) }
      : {}),
    ...(attachments ? { attachments: attachments.map(sharedAttachment) } : {}),
  };
}

const PART_KEYS: Readonly<Record<string, readonly string[]>> = {
  text: ['text'],
  code: ['code', 'language'],
  table: ['headers', 'rows'],
  callout: ['callout', 'style', 'title'],
  image: ['src', 'alt', 'caption'],
  status: ['status'],
  step: ['step', 'tool_name', 'ok'],
  sources: ['id', 'sources'],
};
const SOURCE_KEYS: readonly string[] = ['title', 'url', 'snippet'];

function sharedPart(part: Shown, readArtifact: ReturnType<typeof createArtifactReader>): Shown | undefined {
  const keys = Object.hasOwn(PART_KEYS, String(part['type'])) ? PART_KEYS[String(part['type'])] : undefined;
  if (!keys) return undefined;
  const shown: Shown = { ...pick(part, ['type', ...keys]), ...readArtifact(part) };
  const sources = shown['sources'];
  return Array.isArray(sources) ? { ...shown, sources: sources.map((one: Shown) => pick(one, SOURCE_KEYS)) } : shown;
}

function sharedAttachment(attachment: Attachment): Attachment {
  return pick(attachment, ['name', 'size', 'type', 'url', 'path']) as unknown as Attachment;
}

function pick(value: Shown, keys: readonly string[]): Shown {
  return Object.fromEntries(keys.filter((key) => value[key] !== undefined).map((key) => [key, value[key]]));
}
