import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

/** The messages of bubblewrap on its status descriptor, one JSON object per line (bwrap(1), `--json-status-fd`). */
export interface SandboxStatus {
  /** The program was executed. */
  readonly hasExecuted: boolean;
}

/** Reads the messages until the end of the stream. `onFirst` receives the pid of the namespace's first process. */
export async function readSandboxStatus(
  stream: Readable | null | undefined,
  onFirst: (pid: number) => void,
): Promise<SandboxStatus> {
  let hasExecuted = false;
  if (!stream) return { hasExecuted };
  try {
    for await (const line of createInterface({ input: stream })) {
      const message = parseLine(line);
      if (typeof message['child-pid'] === 'number') onFirst(message['child-pid']);
      if ('exit-code' in message) hasExecuted = true;
    }
  } catch {
    // The stream broke off. The messages so far count.
  }
  return { hasExecuted };
}

function parseLine(line: string): Record<string, unknown> {
  try {
    const message: unknown = JSON.parse(line);
    return typeof message === 'object' && message !== null ? { ...message } : {};
  } catch {
    return {};
  }
}
