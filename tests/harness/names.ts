let count = 0;

/** A deployment name that no other test uses, so that a process or a log line of it can be told from any other. */
export function uniqueName(word: string): string {
  count++;
  return `${word}-${process.pid.toString(36)}-${count.toString(36)}-${crypto.randomUUID().slice(0, 4)}`;
}
