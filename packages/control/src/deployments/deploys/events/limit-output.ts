import type { DeployStep } from '@berth/contract';
import type { DeployEventWriter } from './deploy-event-writer.ts';

/** Bytes of output that the events of one step of a deploy keep; a chatty install prints about 100 KB. */
const MAX_OUTPUT_BYTES = 2 ** 20;

/**
 * Says lines in a deploy's events until they are more than 1 MiB, then that there are more, once.
 * @param what prints them, e.g. `The build`.
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
