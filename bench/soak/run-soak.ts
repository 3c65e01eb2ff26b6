import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { startBerth } from '../../tests/harness/berth.ts';
import { deployed } from '../../tests/harness/deploy.ts';
import { findProcesses } from '../../tests/harness/processes.ts';
import { probe } from '../../tests/harness/project-files.ts';
import { waitFor } from '../../tests/harness/wait-for.ts';
import type { BenchResult, Figure } from '../figure.ts';
import { residentMib } from '../process-tree.ts';
import { quantile, roundTo } from '../statistics.ts';
import { startEvents, startHttp1, startHttp2, startSockets, startVisitors } from '../traffic.ts';
import { startKills, startRedeploys } from './disturbances.ts';
import { judge } from './judge.ts';
import { controlGroups, openFiles, serverProcesses } from './leftovers.ts';
import { readRequestLog } from './read-request-log.ts';

export interface SoakOptions {
  readonly seconds: number;
  readonly gatewayWorkers: number;
  readonly say: (line: string) => void;
}

/** What a soak found. */
export interface SoakResult extends BenchResult {
  /** What must not be, one sentence each. Empty: it passed. */
  readonly faults: readonly string[];
}

const REDEPLOY_MS = 20_000;
const KILL_MS = 15_000;
const SAMPLE_MS = 2_000;
/** Shorter runs still warm up: their memory is told, not judged. */
const MEMORY_SECONDS_MIN = 300;
const MEMORY_RATIO_MAX = 1.2;
/** Idle connections and the files of a log that is just being written come and go. */
const OPEN_FILES_SLACK = 16;

const BUSY = 'soak-busy';
const STREAMS = 'soak-streams';
const COLD = ['soak-cold-1', 'soak-cold-2', 'soak-cold-3'];
const ALL = [BUSY, STREAMS, ...COLD];
const FIELDS = { memory: '256Mi' };
/** Shorter than the time to suspend, between the two, and longer than the time to stop. */
const SETTINGS = { BERTH_SUSPEND_AFTER: '2', BERTH_IDLE_TIMEOUT: '8' };
const VISIT_PAUSES_MS = [500, 4_500, 13_000];

/**
 * Mixed traffic on a real platform with redeploys and kills, and a look at what is left. Good answers are told from bad ones by what they
 * hold, not by their status alone; see {@link judge} for the one excuse of a bad one.
 */
export async function runSoak({ seconds, gatewayWorkers, say }: SoakOptions): Promise<SoakResult> {
  await using berth = await startBerth({
    env: { ...SETTINGS, ...(gatewayWorkers > 0 ? { BERTH_GATEWAY_WORKERS: String(gatewayWorkers) } : {}) },
  });
  const { account } = (await (await berth.api('/v1/user')).json()) as { account: { id: string } };
  const filesBefore = openFiles(serverProcesses(berth.pid));
  for (const name of ALL) await deployed(berth, name, { files: probe(), fields: FIELDS });

  // A short run has its share of them, too.
  const pace = Math.min(1, seconds / 60);
  const inSeconds = (ms: number) => roundTo((ms * pace) / 1_000, 1);
  const killedAtMs: number[] = [];
  const clients = [
    startHttp1(berth, BUSY, 16, 100),
    startHttp2(berth, BUSY, 8, 100),
    startEvents(berth, STREAMS, 10),
    startSockets(berth, STREAMS, 10),
    startVisitors(berth, COLD, VISIT_PAUSES_MS),
  ];
  const redeploys = startRedeploys(berth, [BUSY, STREAMS], REDEPLOY_MS * pace, FIELDS, killedAtMs);
  const kills = startKills(ALL, KILL_MS * pace, killedAtMs);

  const residentSamples: number[] = [];
  const groups = new Set<string>();
  const endMs = performance.now() + seconds * 1_000;
  while (performance.now() < endMs) {
    await sleep(Math.min(SAMPLE_MS, Math.max(0, endMs - performance.now())));
    residentSamples.push(residentMib(serverProcesses(berth.pid)));
    for (const name of ALL) for (const group of controlGroups(name)) groups.add(group);
    if (residentSamples.length % 15 === 0) {
      const done = clients.map((one) => `${one.done} ${one.kind}`).join(', ');
      say(`${done}; ${redeploys.count} redeploys, ${kills.count} kills, ${Math.round(residentSamples.at(-1) ?? 0)} MB`);
    }
  }
  await Promise.all([redeploys.stop(), kills.stop()]);
  await Promise.all(clients.map((one) => one.stop()));

  const faults: string[] = [...redeploys.failures, ...kills.failures];
  const expectGone = async (what: string, isGone: () => boolean) => {
    await waitFor(what, isGone, { timeoutMs: 60_000, everyMs: 250 }).catch(() => faults.push(`left over: ${what}`));
  };
  for (const name of ALL) {
    const answer = await berth.post('/v1/deployment/delete', { name });
    if (answer.status !== 200) faults.push(`delete of ${name}: ${answer.status} ${await answer.text()}`);
  }
  const running = () => ALL.flatMap((name) => findProcesses(`K_SERVICE=${name}`));
  await expectGone('processes of services that were deleted', () => running().length === 0);
  await expectGone('control groups of instances', () => [...groups].every((group) => !existsSync(group)));
  let filesAfter = 0;
  await expectGone('open files or sockets of the server', () => {
    filesAfter = openFiles(serverProcesses(berth.pid));
    return filesAfter <= filesBefore + OPEN_FILES_SLACK;
  });
  const exit = await berth.stop();
  if (exit.code !== 0) faults.push(`the server ended with ${exit.code ?? exit.signal}`);
  await expectGone('processes of the server', () => findProcesses(berth.dataFolder).length === 0);

  const { requests, crashedAtMs } = await readRequestLog(berth.dataFolder, account.id, ALL);
  const failures = clients.flatMap((one) => one.failures);
  const judgement = judge(failures, requests, {
    killedAtMs: killedAtMs.map((atMs) => performance.timeOrigin + atMs),
    recordedAtMs: crashedAtMs,
  });
  faults.push(...judgement.unexplained);
  for (const { kind, done } of clients) if (done === 0) faults.push(`${kind}: nothing was done`);

  const third = Math.max(1, Math.floor(residentSamples.length / 3));
  const earlyMib = quantile(residentSamples.slice(0, third), 0.5);
  const lateMib = quantile(residentSamples.slice(-third), 0.5);
  const isMemoryJudged = seconds >= MEMORY_SECONDS_MIN;
  const growth: Figure = {
    title: 'memory: late third / early third',
    value: roundTo(lateMib / earlyMib, 2),
    unit: 'ratio',
  };
  if (isMemoryJudged && growth.value > MEMORY_RATIO_MAX) faults.push(`memory grew × ${growth.value}`);
  return {
    faults,
    figures: [
      ...clients.map(({ kind, done }): Figure => ({ title: kind, value: done, unit: 'requests' })),
      { title: 'requests in the log', value: requests.length, unit: 'requests' },
      { title: 'redeploys', value: redeploys.count, unit: 'runs' },
      { title: 'instances killed', value: kills.count, unit: 'runs' },
      { title: 'failed, in flight on a killed instance', value: judgement.explained, unit: 'requests' },
      { title: 'failed, unexplained', value: judgement.unexplained.length, unit: 'requests', target: 0 },
      { title: 'memory of the server, early third, median', value: roundTo(earlyMib, 1), unit: 'MB' },
      { title: 'memory of the server, late third, median', value: roundTo(lateMib, 1), unit: 'MB' },
      isMemoryJudged ? { ...growth, target: MEMORY_RATIO_MAX } : growth,
      { title: 'open files of the server before', value: filesBefore, unit: 'runs' },
      {
        title: 'open files of the server after',
        value: filesAfter,
        unit: 'runs',
        target: filesBefore + OPEN_FILES_SLACK,
      },
    ],
    notes: [
      `${gatewayWorkers === 0 ? 'One gateway process' : `${gatewayWorkers} gateway workers`}; ${seconds} s; a redeploy every ${inSeconds(REDEPLOY_MS)} s, a kill every ${inSeconds(KILL_MS)} s.`,
      'A failure is excused only when the request log has its trace on an instance that was killed while the request was under way.',
    ],
  };
}
