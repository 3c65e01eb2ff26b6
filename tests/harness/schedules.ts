import type { ScheduleRun, ScheduleRuns } from '@berth/contract';
import type { Berth } from './berth.ts';
import { waitFor } from './wait-for.ts';

/** The newest runs of a deployment's schedule, newest first. @throws Error unless it is answered. */
export async function readRuns(berth: Berth, name: string): Promise<readonly ScheduleRun[]> {
  const answer = await berth.api(`/v1/schedule/runs?name=${name}&limit=200`);
  if (!answer.ok) throw new Error(`runs of ${name}: ${answer.status} ${await answer.text()}`);
  return ((await answer.json()) as ScheduleRuns).runs;
}

/** Makes a run now and waits for its end. */
export async function runSchedule(berth: Berth, name: string): Promise<ScheduleRun> {
  const answer = await berth.post('/v1/schedule/run', { name });
  if (!answer.ok) throw new Error(`run of ${name}: ${answer.status} ${await answer.text()}`);
  const { id } = (await answer.json()) as ScheduleRun;
  return waitFor('the run has ended', async () => endedRun(await readRuns(berth, name), id), { timeoutMs: 60_000 });
}

function endedRun(runs: readonly ScheduleRun[], id: string): ScheduleRun | undefined {
  return runs.find((run) => run.id === id && run.ended_at !== null);
}
