import type { DeployEvent } from '@berth/contract';

/** One step of a deploy. */
export interface Stage {
  readonly status: 'BUILDING' | 'DEPLOYING';
  /** Epoch milliseconds, by the server's clock. */
  readonly beganAtMs: number;
  /** Undefined while it goes on. */
  readonly endedAtMs: number | undefined;
  readonly hasFailed: boolean;
  /** The last thing said of it that no command printed. */
  readonly message: string;
}

/** The steps that the events of a deploy tell of, in their order. */
export function deployStages(events: readonly DeployEvent[]): Stage[] {
  const stages: Stage[] = [];
  for (const { status, message, time, log } of events) {
    const atMs = Date.parse(time);
    const last = stages.at(-1);
    const isEnd = status === 'DONE' || status === 'ERROR';
    if (last && (isEnd || status !== last.status)) {
      stages[stages.length - 1] = { ...last, endedAtMs: atMs, hasFailed: status === 'ERROR' };
    }
    if (isEnd) return stages;
    const words = log ? '' : message;
    if (last?.status === status) {
      if (words !== '') stages[stages.length - 1] = { ...last, message: words };
    } else stages.push({ status, beganAtMs: atMs, endedAtMs: undefined, hasFailed: false, message: words });
  }
  return stages;
}
