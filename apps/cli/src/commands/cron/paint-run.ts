import type { ScheduleRunStatus } from '@berth/contract';
import type { Style } from '../../output/style.ts';

/** `text` in the colour of a run's state. */
export function paintRun(status: ScheduleRunStatus | undefined, text: string, style: Style): string {
  if (status === 'succeeded') return style.green(text);
  if (status === 'failed') return style.red(text);
  return status === 'cancelled' || status === undefined ? style.dim(text) : style.yellow(text);
}
