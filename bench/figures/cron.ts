import { type Berth, startBerth } from '../../tests/harness/berth.ts';
import { deployed } from '../../tests/harness/deploy.ts';
import { probe } from '../../tests/harness/project-files.ts';
import { request } from '../../tests/harness/request.ts';
import { type BenchOptions, type BenchResult, figure } from '../figure.ts';
import { quantile } from '../statistics.ts';

const SERVICES = 50;
const MINUTES = 10;
const MINUTE_MS = 60_000;
/** A fire that has not come by then is counted as missed. */
const GRACE_MS = 10_000;

interface Fire {
  readonly service: string;
  readonly scheduledAtMs: number;
  /** When the service had the request. */
  readonly arrivedAtMs: number;
}

/** P16: services that run and are all due at each minute: how late the call reaches them, and whether each minute has one. */
export async function measureCron({ isTenth, say }: BenchOptions): Promise<BenchResult> {
  await using berth = await startBerth();
  const names = Array.from({ length: isTenth ? 5 : SERVICES }, (_value, index) => `cron-${index}`);
  for (const name of names) {
    await deployed(berth, name, { files: probe(), fields: { schedule: '* * * * *', memory: '128Mi' } });
  }
  const minutes = isTenth ? 1 : MINUTES;
  // From the first minute in which all are there.
  const beginMs = Math.ceil((Date.now() + 1_000) / MINUTE_MS) * MINUTE_MS;
  const endMs = beginMs + (minutes - 1) * MINUTE_MS;
  await untilMs(endMs + GRACE_MS, (leftMs) => say(`${Math.ceil(leftMs / 1_000)} s to go`));
  const fires = (await Promise.all(names.map((name) => readFires(berth, name)))).flat();
  const counted = fires.filter(({ scheduledAtMs }) => scheduledAtMs >= beginMs && scheduledAtMs <= endMs);
  const distinct = new Set(counted.map(({ service, scheduledAtMs }) => `${service} ${scheduledAtMs}`)).size;
  if (distinct === 0) throw new Error('nothing was called');
  const lateMs = counted.map(({ scheduledAtMs, arrivedAtMs }) => arrivedAtMs - scheduledAtMs);
  return {
    figures: [
      figure('fires', counted.length, 'runs'),
      figure('late, median', quantile(lateMs, 0.5), 'ms'),
      figure('late, p99', quantile(lateMs, 0.99), 'ms', { id: 'P16', target: 250 }),
      figure('minutes missed', names.length * minutes - distinct, 'runs', { id: 'P16', target: 0 }),
      figure('fires twice', counted.length - distinct, 'runs', { id: 'P16', target: 0 }),
    ],
    notes: [`${names.length} services, each with an instance, due at the same ${minutes} minutes.`],
  };
}

async function readFires(berth: Berth, service: string): Promise<Fire[]> {
  const calls = (await request(berth, service, '/cron-calls')).json<
    readonly { at: number; headers: Record<string, string> }[]
  >();
  return calls.map(({ at, headers }) => ({
    service,
    scheduledAtMs: Date.parse(headers['x-cron-scheduled-time'] ?? ''),
    arrivedAtMs: at,
  }));
}

async function untilMs(timeMs: number, say: (leftMs: number) => void): Promise<void> {
  for (let leftMs = timeMs - Date.now(); leftMs > 0; leftMs = timeMs - Date.now()) {
    say(leftMs);
    await new Promise((resolve) => setTimeout(resolve, Math.min(leftMs, 30_000)));
  }
}
