import { type Outbound, parseWorkspacePath, type TurnMessage } from '@berth/agent-core';
import { createValidationError } from '@berth/contract';
import { AGENT_LIMITS, type CompletionMessage, type InputPart, type StepFrame } from '@berth/contract/agent';
import { isModelFile, parseDataUrl } from '../loop/build-history.ts';

type Loc = readonly (string | number)[];
type ContentPart = Exclude<NonNullable<CompletionMessage['content']>, string>[number];

const ROLES: Readonly<Record<CompletionMessage['role'], TurnMessage['role']>> = {
  system: 'system',
  // The newer name of `system`.
  developer: 'system',
  user: 'user',
  assistant: 'assistant',
  tool: 'tool',
  // The older name of `tool`.
  function: 'tool',
};

const IMAGE_TIMEOUT_MS = 15_000;

/**
 * Converts the messages of an OpenAI client to those that handlers take. Calls of the client's tools become steps of the assistant's
 * message, with the results from the messages that follow. Images on the web are fetched.
 * @throws `invalid` naming the message and what is wrong with it; `forbidden` for a path outside the workspace.
 */
export async function toTurnMessages(
  messages: readonly CompletionMessage[],
  { outbound, signal }: { readonly outbound: Outbound; readonly signal: AbortSignal },
): Promise<TurnMessage[]> {
  const out: TurnMessage[] = [];
  /** Steps without a result, by the id of their call. */
  const open = new Map<string, { -readonly [Field in keyof StepFrame]: StepFrame[Field] }>();
  for (const [index, { role, content, tool_calls: calls, tool_call_id: callId }] of messages.entries()) {
    const loc = ['body', 'messages', index] as const;
    if (role === 'tool') {
      const step = open.get(callId ?? '');
      if (!step) throw wrong([...loc, 'tool_call_id'], 'no call before this message has this id and no result yet');
      step.ok = true;
      step.result = textOf(content);
      open.delete(callId ?? '');
      continue;
    }
    const read = await toContent(content ?? '', [...loc, 'content'], { outbound, signal });
    const steps = (calls ?? []).map(({ id, function: { name, arguments: args } }) => {
      const step = { type: 'step' as const, id, step: name, tool_name: name, args };
      open.set(id, step);
      return step;
    });
    const said = textOf(content);
    const text = said === '' ? [] : [{ type: 'text' as const, text: said }];
    out.push({ role: ROLES[role], content: read, ...(steps.length > 0 && { parts: [...text, ...steps] }) });
  }
  return out;
}

async function toContent(
  content: NonNullable<CompletionMessage['content']>,
  loc: Loc,
  deps: { readonly outbound: Outbound; readonly signal: AbortSignal },
): Promise<TurnMessage['content']> {
  // Many clients send plain text as a list of text parts.
  if (typeof content === 'string' || content.every(({ type }) => type === 'text')) return textOf(content);
  const parts: InputPart[] = [];
  for (const [index, part] of content.entries()) parts.push(await toInputPart(part, [...loc, index], deps));
  return parts;
}

async function toInputPart(
  part: ContentPart,
  loc: Loc,
  { outbound, signal }: { readonly outbound: Outbound; readonly signal: AbortSignal },
): Promise<InputPart> {
  switch (part.type) {
    case 'text':
      return part;
    case 'refusal':
      return { type: 'text', text: part.refusal };
    case 'file': {
      const { file_data: data, filename } = part.file;
      if (data !== undefined) return { type: 'file', file: inline(data, [...loc, 'file', 'file_data'], filename) };
      if (filename === undefined)
        throw wrong([...loc, 'file'], 'needs file_data, or the path of a file in the workspace');
      return { type: 'file', file: parseWorkspacePath(filename, places([...loc, 'file', 'filename'])) };
    }
    case 'image_url': {
      const { url } = part.image_url;
      const at = [...loc, 'image_url', 'url'];
      if (/^data:/i.test(url)) return { type: 'image', image: inline(url, at) };
      if (!/^https?:/i.test(url)) return { type: 'image', image: parseWorkspacePath(url, places(at)) };
      return { type: 'image', image: toDataUrl(checked(await fetchImage(url, at, outbound, signal), at), 'image') };
    }
  }
}

/** Returns the data URL of a file that was sent inline, after checking it. */
function inline(url: string, loc: Loc, filename?: string): string {
  const parsed = parseDataUrl(url);
  if (!parsed) throw wrong(loc, 'not a data: URL with base64: data:image/png;base64,…');
  const isText = /^data:text\//i.test(url);
  return toDataUrl(isText ? sized(parsed.bytes, loc) : checked(parsed.bytes, loc), filename ?? parsed.name);
}

function toDataUrl(bytes: Buffer, name: string): string {
  return `data:application/octet-stream;name=${encodeURIComponent(name)};base64,${bytes.toString('base64')}`;
}

function checked(bytes: Buffer, loc: Loc): Buffer {
  if (!isModelFile(bytes)) throw wrong(loc, 'not a PNG, JPEG, GIF, WebP or PDF');
  return sized(bytes, loc);
}

function sized(bytes: Buffer, loc: Loc): Buffer {
  const max = AGENT_LIMITS.inlineFileBytes;
  if (bytes.length > max) throw wrong(loc, `has ${bytes.length} bytes; at most ${max} are taken`);
  return bytes;
}

async function fetchImage(url: string, loc: Loc, outbound: Outbound, signal: AbortSignal): Promise<Buffer> {
  const maxBytes = AGENT_LIMITS.inlineFileBytes + 1;
  try {
    const answer = await outbound.fetch({ url, timeoutMs: IMAGE_TIMEOUT_MS, maxBytes, signal, isHttpAllowed: true });
    if (answer.status === 200) return Buffer.from(answer.body);
    throw wrong(loc, `the image can't be loaded: its server answered ${answer.status}`);
  } catch (error) {
    if (signal.aborted || (error as { code?: unknown }).code === 'invalid') throw error;
    throw wrong(loc, "the image can't be loaded; send it as a data: URL");
  }
}

function textOf(content: CompletionMessage['content']): string {
  if (typeof content === 'string') return content;
  return (content ?? []).flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n\n');
}

function places(loc: Loc): string[] {
  return loc.map(String);
}

function wrong(loc: Loc, msg: string): Error {
  return createValidationError([{ loc: [...loc], msg, type: 'invalid_message' }]);
}
