import { setImmediate } from 'node:timers/promises';
import { parseFromTokenizer } from 'music-metadata';
import { fromBuffer } from 'strtok3';

/** The maximum number of reads by the parser: twice as many as an hour of MP3 without a length needs. */
const MAX_READS = 600_000;
/** The number of reads after which the parser yields to the event loop. */
const READS_AT_ONCE = 500;
/** The time limit of parsing. Files that contain their length need a fraction of it. */
const MAX_MS = 1_000;

/**
 * Returns the length of a recording in seconds. Undefined when the file doesn't contain its length (browsers record WebM
 * without one) or parsing exceeds its limits: a crafted file could keep the parser busy for minutes.
 */
export async function recordingSeconds(bytes: Uint8Array, mediaType: string): Promise<number | undefined> {
  const tokenizer = fromBuffer(bytes, { fileInfo: { mimeType: mediaType, size: bytes.length } });
  const endMs = performance.now() + MAX_MS;
  let reads = 0;
  const spend = async () => {
    reads++;
    if (reads % READS_AT_ONCE === 0) await setImmediate();
    if (reads > MAX_READS || performance.now() > endMs) throw new Error('it took too long');
  };
  const { readBuffer, peekBuffer, ignore } = tokenizer;
  tokenizer.readBuffer = async (...args) => {
    await spend();
    return readBuffer.apply(tokenizer, args);
  };
  tokenizer.peekBuffer = async (...args) => {
    await spend();
    return peekBuffer.apply(tokenizer, args);
  };
  tokenizer.ignore = async (length) => {
    await spend();
    return ignore.call(tokenizer, length);
  };
  try {
    const { format } = await parseFromTokenizer(tokenizer, { duration: true, skipCovers: true });
    return format.duration;
  } catch {
    // The speech service reports files that can't be parsed.
    return undefined;
  }
}
