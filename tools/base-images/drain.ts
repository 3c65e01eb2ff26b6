import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

/**
 * Reads an engine's progress stream to its end.
 * @throws Error with the engine's message when the operation failed
 */
export async function drain(stream: NodeJS.ReadableStream): Promise<void> {
  const said: string[] = [];
  for await (const line of createInterface({ input: stream as Readable })) {
    if (line.trim() === '') continue;
    const { stream: text, error } = JSON.parse(line) as { readonly stream?: string; readonly error?: string };
    if (error !== undefined) throw new Error(`${said.slice(-20).join('')}\n${error}`);
    if (text !== undefined) said.push(text);
  }
}
