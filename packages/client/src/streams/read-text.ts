import type { Clock } from '@berth/kit';
import { type ByteStream, readChunks } from './read-chunks.ts';

/** An error's body is a sentence or a list of fields; more than this is not one of ours. */
const LONGEST_TEXT_BYTES = 1024 * 1024;

/** A short body as text; what is over 1 MiB is left unread, and a connection that breaks ends it. */
export async function readText(stream: ByteStream, clock: Clock): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  try {
    for await (const chunk of readChunks(stream, { clock, idleMs: 10_000 })) {
      text += decoder.decode(chunk, { stream: true });
      if (text.length > LONGEST_TEXT_BYTES) break;
    }
  } catch {
    // The status is known and is the error; a server that refuses an upload may close before its sentence is out.
  }
  return text + decoder.decode();
}
