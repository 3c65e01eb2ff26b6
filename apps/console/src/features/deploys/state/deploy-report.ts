import type { DeployEvent } from '@berth/contract';
import { addLastLines } from './add-last-lines.ts';
import { deployStages, type Stage } from './deploy-stages.ts';

/** Summary of the events of a finished deploy. */
export interface DeployReport {
  readonly stages: readonly Stage[];
  /** Output of the build, and on failure the last lines of the program. */
  readonly lines: readonly string[];
  readonly failure: Pick<DeployEvent, 'code' | 'message'> | undefined;
}

/** Reads the events of a deploy up to the last one. */
export async function readDeployReport(events: AsyncIterable<DeployEvent>): Promise<DeployReport> {
  const all: DeployEvent[] = [];
  for await (const event of events) all.push(event);
  const last = all.at(-1);
  const lines = all.flatMap(({ log, message }) => (log ? message.split('\n') : []));
  addLastLines(lines, last?.logs ?? []);
  return {
    stages: deployStages(all),
    lines,
    failure: last?.status === 'ERROR' ? last : undefined,
  };
}
