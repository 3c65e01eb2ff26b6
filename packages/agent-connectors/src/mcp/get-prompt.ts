import { z } from 'zod';
import { isObject } from './plain-schema.ts';
import type { McpSession } from './with-session.ts';

const promptSchema = z.looseObject({ messages: z.array(z.unknown()) });

/** Returns the text of a prompt with its arguments filled in; content that isn't text is left out. @throws McpError */
export async function getPrompt(
  { client, request }: McpSession,
  name: string,
  args: Readonly<Record<string, string>>,
): Promise<string> {
  const params = { name, arguments: { ...args } };
  const { messages } = await client.request({ method: 'prompts/get', params }, promptSchema, request);
  const texts = messages.flatMap((message) => {
    const content = isObject(message) && isObject(message['content']) ? message['content'] : {};
    const resource = isObject(content['resource']) ? content['resource'] : {};
    const text = content['text'] ?? resource['text'];
    return typeof text === 'string' ? [text] : [];
  });
  return texts.join('\n\n');
}
