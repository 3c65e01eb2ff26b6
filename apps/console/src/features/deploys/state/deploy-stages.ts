import type { DeployEvent } from '@berth/contract';

/** One stage of a deploy. */
export interface Stage {
  readonly status: 'BUILDING' | 'DEPLOYING';
  /** Epoch milliseconds by the server's clock. */
  readonly beganAtMs: number;
  /** Undefined while the stage is active. */
  readonly endedAtMs: number | undefined;
  readonly hasFailed: boolean;
  /** The stage's last message that is not command output. */
  readonly message: string;
}

/** Returns the stages in the events of a deploy, in order. */
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
