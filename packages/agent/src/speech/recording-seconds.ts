import { setImmediate } from 'node:timers/promises';
import { parseFromTokenizer } from 'music-metadata';
import { fromBuffer } from 'strtok3';

/** Reads that a parser may make: an hour of MP3 that has to be counted has half as many. */
const MAX_READS = 600_000;
/** Between two of these the agent does something else. */
const READS_AT_ONCE = 500;
/** In all; what says its length says it at once. */
const MAX_MS = 1_000;

/**
 * How long a recording says it is. Undefined when it does not (browsers' recorders write WebM without), and when to find out
 * takes too long: files can be made to be read for minutes.
 */
export async function recordingSeconds(bytes: Uint8Array, mediaType: string): Promise<number | undefined> {
  const tokenizer = fromBuffer(bytes, { fileInfo: { mimeType: mediaType, size: bytes.length } });
  const endMs = performance.now() + MAX_MS;
  let reads = 0;
  const spend = async () => {
    reads++;
    if (reads % READS_AT_ONCE === 0) await setImmediate();
    if (reads > MAX_READS || performance.now() > endMs) throw new Error('it takes too long');
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
    // Whether it can be understood is the speech service's to say.
    return undefined;
  }
}
