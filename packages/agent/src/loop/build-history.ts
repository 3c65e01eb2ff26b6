import type { ToolFiles, TurnMessage } from '@berth/agent-core';
import type { ModelMessage, UserContent } from '../models/model.ts';
import { decodeText } from '../tools/files/workspace-text.ts';
import { stepMessages } from './step-messages.ts';

/** The first line of the internal message that replaces everything before it. */
export const SUMMARY_HEAD = 'Summary of the conversation before this message:\n';

const NOTES = {
  stopped: 'The person stopped your answer above before it was complete. Do not go on with it unless asked to.',
  interrupted: 'Your answer above was cut off before it was complete.',
  failed: 'Your answer above failed before it was complete.',
} as const;

/** Returns the conversation as messages for a model: all of it, or its summary and what followed. */
export async function buildHistory(
  messages: readonly TurnMessage[],
  files: ToolFiles | undefined,
): Promise<readonly ModelMessage[]> {
  const summary = messages.findLastIndex((one) => one.isInternal && textOf(one).startsWith(SUMMARY_HEAD));
  const first = summary === -1 ? 0 : messages.findLastIndex((one, index) => index < summary && one.role === 'user');
  const read = createAttachmentReader(files);
  const out: ModelMessage[] = [];
  let notes: UserContent[] = [];
  if (summary !== -1) notes.push({ type: 'text', text: textOf(messages[summary] as TurnMessage) });
  // Newest first, so that the oldest attachments are the ones left out.
  const contents = new Map<number, readonly UserContent[]>();
  for (let index = messages.length - 1; index >= Math.max(0, first); index--) {
    const message = messages[index] as TurnMessage;
    if (message.role === 'user') contents.set(index, await read(message));
  }
  for (const [index, message] of messages.entries()) {
    if (index < first || index === summary) continue;
    if (message.role === 'assistant') {
      out.push(...stepMessages(message.parts ?? [{ type: 'text', text: textOf(message) }], String(index)));
      if (message.status) notes.push({ type: 'text', text: `[${NOTES[message.status]}]` });
    } else {
      const content = contents.get(index) ?? [{ type: 'text' as const, text: textOf(message) }];
      out.push({ role: 'user', content: [...notes, ...content] });
      notes = [];
    }
  }
  if (notes.length > 0) out.push({ role: 'user', content: notes });
  return out;
}

function textOf({ content }: TurnMessage): string {
  if (typeof content === 'string') return content;
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n\n');
}

/** Limits of one attachment, and of all in a conversation. Upstreams accept 5 MB per picture and 32 MB in total. */
const MAX_FILE_BYTES = 5_000_000;
const MAX_TOTAL_BYTES = 16_000_000;
/** Longest text that is included; a tool can read a longer one in parts. */
const MAX_TEXT_BYTES = 60_000;

const SIGNATURES: readonly (readonly [mediaType: string, test: (bytes: Buffer) => boolean])[] = [
  ['image/png', (bytes) => bytes.subarray(0, 4).equals(Buffer.from([0x89, 0x50, 0x4e, 0x47]))],
  ['image/jpeg', (bytes) => bytes.subarray(0, 3).equals(Buffer.from([0xff, 0xd8, 0xff]))],
  ['image/gif', (bytes) => bytes.subarray(0, 4).toString('latin1') === 'GIF8'],
  ['image/webp', (bytes) => /^RIFF.{4}WEBP/s.test(bytes.subarray(0, 12).toString('latin1'))],
  ['application/pdf', (bytes) => bytes.subarray(0, 5).toString('latin1') === '%PDF-'],
];

/** Returns a picture, a document or a text as content for a model; undefined for anything else. */
function contentOf(bytes: Buffer, path: string): UserContent | undefined {
  const mediaType = SIGNATURES.find(([, test]) => test(bytes))?.[0];
  if (mediaType !== undefined) {
    const type = mediaType.startsWith('image/') ? 'image' : 'file';
    return { type, name: path.split('/').at(-1) ?? path, mediaType, data: bytes.toString('base64') };
  }
  const text = bytes.length <= MAX_TEXT_BYTES ? decodeText(bytes) : undefined;
  return text === undefined
    ? undefined
    : { type: 'text', text: `<file path=${JSON.stringify(path)}>\n${text}\n</file>` };
}

/**
 * Parses a base-64 data URL of RFC 2397, whose parameter `name`, if it has one, is the name of a file. Undefined for anything else.
 */
export function parseDataUrl(url: string): { readonly bytes: Buffer; readonly name: string } | undefined {
  const comma = url.indexOf(',');
  const head = url.slice(0, Math.max(comma, 0));
  if (!/^data:[^,]*;base64$/i.test(head)) return undefined;
  const name = new URLSearchParams(head.replaceAll(';', '&')).get('name');
  return { bytes: Buffer.from(url.slice(comma + 1), 'base64'), name: name || 'attachment' };
}

/** True for bytes of a kind that models take: PNG, JPEG, GIF, WebP or PDF. */
export function isModelFile(bytes: Buffer): boolean {
  return SIGNATURES.some(([, test]) => test(bytes));
}

/**
 * Returns a function that reads the content of a person's message with its attachments, within a size limit over all messages. An
 * attachment that can't be included becomes a note.
 */
function createAttachmentReader(files: ToolFiles | undefined) {
  let room = MAX_TOTAL_BYTES;

  const readFile = async (path: string): Promise<UserContent> => {
    const say = (what: string): UserContent => ({ type: 'text', text: `[Attached: ${path} (${what})]` });
    if (!files) return say('it cannot be read');
    const file = await files.read(path, MAX_FILE_BYTES).catch(() => undefined);
    if (!file) return say('it is not there');
    const { bytes, sizeBytes } = file;
    if (sizeBytes > room || sizeBytes > MAX_FILE_BYTES) return say(`${sizeBytes} bytes`);
    const read = contentOf(bytes, path);
    if (!read) return say(`${sizeBytes} bytes`);
    room -= sizeBytes;
    return read;
  };

  /** Content that a program sent inline, as a data URL. */
  const readInline = (url: string): UserContent => {
    const inline = parseDataUrl(url);
    if (!inline) return { type: 'text', text: '[Attached: what cannot be read]' };
    const { bytes, name } = inline;
    if (bytes.length > room) return { type: 'text', text: `[Attached: ${name} (${bytes.length} bytes)]` };
    room -= bytes.length;
    return contentOf(bytes, name) ?? { type: 'text', text: `[Attached: ${name} (${bytes.length} bytes)]` };
  };

  return async ({ content, attachments = [] }: TurnMessage): Promise<readonly UserContent[]> => {
    const parts: UserContent[] = [];
    const seen = new Set<string>();
    const attach = async (path: string) => {
      if (seen.has(path)) return;
      seen.add(path);
      parts.push(await readFile(path));
    };
    for (const part of typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content) {
      if (part.type === 'text') {
        parts.push(part);
        continue;
      }
      const source = part.type === 'image' ? part.image : part.file;
      if (source.startsWith('data:')) parts.push(readInline(source));
      else await attach(source);
    }
    for (const { path } of attachments) await attach(path);
    return parts;
  };
}
