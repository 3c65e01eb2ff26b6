import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

/**
 * Reads what an engine says of its work, to the end.
 * @throws Error with its words when the work failed.
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
