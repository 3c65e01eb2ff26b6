import { safeText, type TurnMessage } from '@berth/agent-core';
import { z } from 'zod';
import type { ConnectorCaller } from '../connector/caller.ts';
import { type ConnectRequest, NotConnected } from '../connector/not-connected.ts';
import type { ConnectorState } from '../directory/create-connector-directory.ts';
import type { ConnectorLists } from '../mcp/create-connector-lists.ts';
import type { ServerClient } from '../mcp/create-server-client.ts';
import { McpError } from '../mcp/mcp-error.ts';
import { withMcpSpan } from '../mcp/mcp-span.ts';
import { isObject } from '../mcp/plain-schema.ts';
import type { RemotePrompt } from '../mcp/read-lists.ts';
import type { McpSession } from '../mcp/with-session.ts';

/** Dependencies of {@link expandPrompt}. */
export interface ExpandPromptDeps {
  readonly servers: ServerClient;
  readonly lists: ConnectorLists;
}

/** The result of a message that names a prompt. */
export type ExpandedPrompt =
  | { readonly note: string }
  /** The reason why the prompt can't be used, for the user. */
  | { readonly refusal: string; readonly connect?: ConnectRequest };

const TIMEOUT_MS = 30_000;
const MAX_BYTES = 2_000_000;
const MAX_TEXT = 40_000;

const promptSchema = z.looseObject({ messages: z.array(z.unknown()) });

/**
 * Expands a message that begins with `/connector:prompt`. The rest of the message holds the arguments: `name=value`,
 * `name="two words"`, or the whole text when the prompt takes one argument. Undefined for every other message.
 */
export async function expandPrompt(
  message: TurnMessage | undefined,
  states: readonly ConnectorState[],
  caller: ConnectorCaller,
  { servers, lists }: ExpandPromptDeps,
  signal: AbortSignal,
): Promise<ExpandedPrompt | undefined> {
  const [, name = '', prompt = '', rest = ''] =
    /^\s*\/([a-z][a-z0-9-]{0,31}):(\S{1,128})(?:\s+([\s\S]*))?$/.exec(textOf(message)) ?? [];
  const state = states.find(({ connector, isUsable }) => isUsable && connector.name === name);
  if (!state?.connector.server) return undefined;
  const { connector } = state;
  try {
    const { prompts } = await lists.read(caller, state);
    const found = prompts.find((one) => one.name === prompt);
    if (!found) return { refusal: `${connector.title} has no prompt "${prompt}". ${namesOf(prompts)}` };
    const args = readArguments(rest.trim(), found);
    const missing = found.arguments.filter(({ name: one, isRequired }) => isRequired && args[one] === undefined);
    if (missing.length > 0) {
      const wanted = missing.map(({ name: one }) => `${one}="…"`).join(' ');
      return { refusal: `This prompt needs more: /${name}:${prompt} ${wanted}` };
    }
    const limits = { timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES, signal };
    const text = await servers.ask(caller, connector, limits, async (session, grant) =>
      grant.scrub(await getPrompt(session, prompt, args)),
    );
    const title = JSON.stringify(found.title);
    return {
      note: `The person chose the prompt ${title} of ${connector.title}. It says:\n${safeText(text, MAX_TEXT)}`,
    };
  } catch (error) {
    if (error instanceof NotConnected) return { refusal: `Connect ${connector.title} first.`, connect: error.request };
    if (error instanceof McpError) return { refusal: safeText(`${connector.title} ${error.message}.`, 500) };
    throw error;
  }
}

function textOf(message: TurnMessage | undefined): string {
  if (message?.role !== 'user') return '';
  const { content } = message;
  return typeof content === 'string'
    ? content
    : content.flatMap((part) => (part.type === 'text' ? part.text : [])).join('\n');
}

function namesOf(prompts: readonly RemotePrompt[]): string {
  const names = prompts.slice(0, 20).map(({ name }) => name);
  return names.length === 0 ? 'It has none.' : `It has: ${names.join(', ')}.`;
}

function readArguments(text: string, { arguments: declared }: RemotePrompt): Readonly<Record<string, string>> {
  // Without a prototype, since a server chooses the names.
  const args: Record<string, string> = Object.create(null);
  for (const { name } of declared) {
    const escaped = name.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
    const [, quoted, plain] = new RegExp(`(?:^|\\s)${escaped}=(?:"([^"]*)"|(\\S+))`, 'u').exec(text) ?? [];
    const value = quoted ?? plain;
    if (value !== undefined) args[name] = value;
  }
  const [only] = declared;
  if (declared.length === 1 && only && text !== '' && Object.keys(args).length === 0) args[only.name] = text;
  return args;
}

/** Returns the text of a prompt with its arguments filled in; content that isn't text is left out. @throws McpError */
export async function getPrompt(
  session: McpSession,
  name: string,
  args: Readonly<Record<string, string>>,
): Promise<string> {
  const params = { name, arguments: { ...args } };
  const { messages } = await withMcpSpan(session, 'prompts/get', { prompt: name }, () =>
    session.client.request({ method: 'prompts/get', params }, promptSchema, session.request),
  );
  const texts = messages.flatMap((message) => {
    const content = isObject(message) && isObject(message['content']) ? message['content'] : {};
    const resource = isObject(content['resource']) ? content['resource'] : {};
    const text = content['text'] ?? resource['text'];
    return typeof text === 'string' ? [text] : [];
  });
  return texts.join('\n\n');
}
