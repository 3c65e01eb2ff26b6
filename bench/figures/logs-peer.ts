import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type BenchOptions, type BenchResult, figure } from '../figure.ts';
import { generateLogLines, type LineTally } from '../log-lines.ts';
import { startVictoriaLogs, type VictoriaLogs } from '../peers/victoria-logs.ts';
import { quantile } from '../statistics.ts';

const LINES = 10_000_000;
const ROUNDS = 5;
/** Of lines that are sent at once: what its own shippers send. */
const BATCH_CHARACTERS = 8_000_000;
/** The two questions of the bench `logs`. */
const FILTER = 'severity:=ERROR user_id:="u-77"';
const GROUP_BY = '* | stats by (severity) count() as n';

/** P9, P10 on VictoriaLogs: the same lines, and the same questions, as a yardstick. Every answer is compared with what was generated. */
export async function measureLogsPeer({ isTenth, say }: BenchOptions): Promise<BenchResult> {
  const folder = await mkdtemp(path.join(tmpdir(), 'berth-bench-victoria-'));
  try {
    await using peer = await startVictoriaLogs(folder);
    if (peer === undefined) {
      return {
        figures: [],
        notes: ['VictoriaLogs is not installed and was not measured: bench/README.md says how to.'],
      };
    }
    const count = isTenth ? LINES / 10 : LINES;
    const tally: LineTally = { errorsOfUser: 0, severities: {} };
    const { ms, peakMib } = await insertAll(peer, count, tally);
    say(`inserted ${count} lines in ${Math.round(ms)} ms`);
    const filterMs: number[] = [];
    const groupMs: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      filterMs.push(await time(() => checkFilter(peer, tally)));
      groupMs.push(await time(() => checkGroups(peer, tally)));
    }
    const median = (title: string, values: readonly number[]) => figure(title, quantile(values, 0.5), 'ms');
    return {
      figures: [
        figure('VictoriaLogs: lines inserted', count / (ms / 1_000), 'lines/s'),
        figure('its memory, highest meanwhile', peakMib, 'MB'),
        median(`its filter over ${count.toLocaleString('en')} lines, median`, filterMs),
        median('its count by severity, median', groupMs),
        figure('its memory at the end', peer.residentMib(), 'MB'),
      ],
      notes: [
        `VictoriaLogs ${peer.version}, its own settings. It is given JSON with the severity in it and makes no entries of text: that work is in Berth's figure and not in this one.`,
        'The time of an insert has its HTTP in it and the making of JSON not; Berth’s figure has no HTTP in it.',
      ],
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function insertAll(peer: VictoriaLogs, count: number, tally: LineTally) {
  let ms = 0;
  let peakMib = 0;
  let batch = '';
  let number = 0;
  const startMs = Date.now() - count;
  const send = async () => {
    ms += await time(() => peer.insert(batch));
    peakMib = Math.max(peakMib, peer.residentMib());
    batch = '';
  };
  for (const chunk of generateLogLines(count, tally)) {
    for (const line of chunk.split('\n')) {
      if (line === '') continue;
      // A millisecond each: many entries of one time cost it more than they would in practice.
      batch += `${toJson(line, new Date(startMs + number++).toISOString())}\n`;
    }
    if (batch.length >= BATCH_CHARACTERS) await send();
  }
  await send();
  ms += await time(() => peer.flush());
  return { ms, peakMib };
}

function toJson(line: string, time: string): string {
  if (line.startsWith('{')) return `{"time":"${time}","service":"shop",${line.slice(1)}`;
  const severity = line.startsWith('WARN ') ? 'WARNING' : 'INFO';
  return `{"time":"${time}","service":"shop","severity":"${severity}","message":${JSON.stringify(line)}}`;
}

async function checkFilter(peer: VictoriaLogs, tally: LineTally): Promise<void> {
  const found = await peer.query(`${FILTER} | sort by (_time) limit 1000`);
  const expected = Math.min(1_000, tally.errorsOfUser);
  if (found.length !== expected) throw new Error(`VictoriaLogs found ${found.length} of ${expected} entries`);
}

async function checkGroups(peer: VictoriaLogs, tally: LineTally): Promise<void> {
  for (const { severity = '', n } of await peer.query(GROUP_BY)) {
    if (tally.severities[severity] !== Number(n)) {
      throw new Error(`VictoriaLogs counted ${n} of ${tally.severities[severity]} ${severity}`);
    }
  }
}

async function time(work: () => Promise<void>): Promise<number> {
  const startedMs = performance.now();
  await work();
  return performance.now() - startedMs;
}
