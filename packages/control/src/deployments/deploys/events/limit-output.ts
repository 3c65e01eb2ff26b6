import type { DeployStep } from '@berth/contract';
import type { DeployEventWriter } from './deploy-event-writer.ts';

/** Bytes of output kept in the events of one step; a verbose install prints about 100 KB. */
const MAX_OUTPUT_BYTES = 2 ** 20;

/**
 * Writes lines into a deploy's events up to 1 MiB, then one message that there are more.
 * @param what the source of the lines, e.g. `The build`.
 */
export function limitOutput(events: DeployEventWriter, step: DeployStep, what: string) {
  let bytes = 0;
  return async (line: string, isOutput: boolean): Promise<void> => {
    const wasFull = bytes > MAX_OUTPUT_BYTES;
    bytes += Buffer.byteLength(line);
    if (wasFull) return;
    if (bytes > MAX_OUTPUT_BYTES) {
      await events.write(step, { message: `${what} prints more than is shown here; its log has the rest.` });
      return;
    }
    await events.write(step, isOutput ? { message: line, log: true } : { message: line });
  };
}
