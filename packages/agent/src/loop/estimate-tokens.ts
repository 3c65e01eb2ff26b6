import type { AssistantContent, ModelMessage, UserContent } from '../models/model.ts';

/** Of UTF-8: English has about 4 bytes a token, Chinese about 3, code less. */
const BYTES_A_TOKEN = 3.5;
/** A picture, however large, is scaled to about this. */
const IMAGE_TOKENS = 1_600;
/** Of a document in base 64: a page of text is a few kilobytes of PDF and a thousand tokens. */
const FILE_CHARACTERS_A_TOKEN = 20;
const MESSAGE_TOKENS = 4;

/** About how much a model will have to read. */
export function estimateTokens(messages: readonly ModelMessage[]): number {
  return messages.reduce((sum, message) => sum + estimateMessage(message), 0);
}

export function estimateText(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_A_TOKEN);
}

function estimateMessage(message: ModelMessage): number {
  if (message.role === 'tool') return MESSAGE_TOKENS + estimateText(message.text);
  let tokens = MESSAGE_TOKENS;
  for (const part of message.content as readonly (UserContent | AssistantContent)[]) {
    if ('text' in part) tokens += estimateText(part.text);
    else if ('args' in part) tokens += estimateText(part.args) + MESSAGE_TOKENS;
    else tokens += part.type === 'image' ? IMAGE_TOKENS : Math.ceil(part.data.length / FILE_CHARACTERS_A_TOKEN);
  }
  return tokens;
}
