import type { DeployStep } from '@berth/contract';
import type { DeployContext } from '../records/deploy-context.ts';
import { createDeployEventLog, type DeployMessage } from '../records/deploy-event-log.ts';
import type { DeployRecord } from '../records/deploy-record.ts';
import { createLineWriter } from './line-writer.ts';

/** Bytes of output kept in the events of one step; a verbose install prints about 100 KB. */
const MAX_OUTPUT_BYTES = 2 ** 20;

/** Writes events of a running deploy between its steps. */
export interface DeployEventWriter {
  /**
   * Writes an event, which is dropped when the deploy is not in `step` any more.
   * A returned promise is back-pressure: wait for it before writing more.
   */
  write(step: DeployStep, message: DeployMessage): void | Promise<void>;
  /**
   * Resolves when all events are recorded. Call it before a step is recorded.
   * @throws what the database threw.
   */
  flush(): Promise<void>;
}

export function createDeployEventWriter(context: DeployContext, deploy: DeployRecord): DeployEventWriter {
  const writer = createLineWriter<{ readonly step: DeployStep; readonly message: DeployMessage }>(async (lines) => {
    await context.db.transaction().execute(async (transaction) => {
      const log = createDeployEventLog(transaction);
      for (const step of new Set(lines.map((line) => line.step))) {
        const messages = lines.filter((line) => line.step === step).map((line) => line.message);
        await log.append(deploy, step, messages, context.clock.nowMs(), context.leaseOwner);
      }
      await context.signals.publish(deploy.id, transaction);
    });
    context.signals.notify(deploy.id);
  });
  return {
    write: (step, message) => writer.add({ step, message }),
    flush: () => writer.flush(),
  };
}

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
      await events.write(step, { message: `${what} prints more than is shown here. See its log for the rest.` });
      return;
    }
    await events.write(step, isOutput ? { message: line, log: true } : { message: line });
  };
}
