import type { DeployStep } from '@berth/contract';
import type { DeployContext } from '../records/deploy-context.ts';
import { createDeployEventLog, type DeployMessage } from '../records/deploy-event-log.ts';
import type { DeployRecord } from '../records/deploy-record.ts';
import { createLineWriter } from './line-writer.ts';

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
        await log.append(deploy, step, messages, context.clock.nowMs());
      }
    });
    context.signals.notify(deploy.id);
  });
  return {
    write: (step, message) => writer.add({ step, message }),
    flush: () => writer.flush(),
  };
}
