import { type MeasuredAgent, startMeasuredAgent } from '../agents/measured-agent.ts';
import { openTurn } from '../agents/open-turn.ts';
import { nowMicros, type PacedTurn } from '../agents/pace.ts';
import { startLanggraph } from '../agents/start-langgraph.ts';
import { type Program, startProgram } from '../agents/start-program.ts';
import { type BenchOptions, type BenchResult, figure } from '../figure.ts';
import { CORES, pinProcess } from '../pin-process.ts';
import { cpuSeconds, processTree, residentMib } from '../process-tree.ts';
import { quantile, roundTo } from '../statistics.ts';

const TURNS = 2_000;
const FRAMES_PER_SECOND = 20;
const SECONDS = 20;
/** Part of the turns that LangGraph.js gets: with all of them it answers minutes late. */
const LANGGRAPH_SHARE = 0.1;
/** Turns begin over this time: a server that takes them all at once is another question. */
const RAMP_MS = 5_000;

interface Streams {
  readonly lagsMs: readonly number[];
  readonly cpuPercent: number;
  readonly kilobytesAStream: number;
}

/**
 * P13: how late the frames of many live turns are at their readers, with tokens checked and every frame in the log; and
 * what the AI SDK's server and LangGraph.js's take for the same, which do neither.
 */
export async function measureAgentStreams({ isTenth, say }: BenchOptions): Promise<BenchResult> {
  const turns = isTenth ? TURNS / 20 : TURNS;
  const seconds = isTenth ? 2 : SECONDS;
  pinProcess(process.pid, CORES.load);
  const run = async (name: string, server: Program, target: Target, count: number) => {
    pinProcess(server.pid, CORES.target);
    const streams = await readTurns(server, target, count, seconds, isTenth ? 500 : RAMP_MS);
    say(
      `${name}, ${count} turns: lag p50 ${roundTo(quantile(streams.lagsMs, 0.5), 1)} ms, p99 ${roundTo(quantile(streams.lagsMs, 0.99), 1)} ms, ` +
        `${Math.round(streams.cpuPercent)} % of a core, ${roundTo(streams.kilobytesAStream, 1)} KB a stream`,
    );
    return streams;
  };
  const runAgent = async (count: number) => {
    await using agent = await startMeasuredAgent();
    return await run('agent', agent, await agentTarget(agent), count);
  };
  const own = await runAgent(turns);
  const fewer = await runAgent(turns * 0.75);
  await using sdk = await startProgram('peer-program.ts');
  const peer = await run('AI SDK', sdk, sdkTarget(sdk), turns);
  await using langgraph = await startLanggraph();
  const other = await run('LangGraph.js', langgraph, langgraphTarget(langgraph), turns * LANGGRAPH_SHARE);
  const p99 = (streams: Streams) => roundTo(quantile(streams.lagsMs, 0.99), 1);
  return {
    figures: [
      figure(`${turns * 0.75} turns × ${FRAMES_PER_SECOND} frames/s: p99 lag`, p99(fewer), 'ms', {
        id: 'P13',
        target: 50,
      }),
      figure(`${turns} turns: p99 lag`, p99(own), 'ms', { id: 'P13', target: 250 }),
      figure('p50 lag', quantile(own.lagsMs, 0.5), 'ms'),
      figure('memory a stream', own.kilobytesAStream, 'KB', { id: 'P13', target: 70 }),
      figure('CPU', own.cpuPercent, '%'),
      figure('AI SDK: p99 lag', p99(peer), 'ms'),
      figure('AI SDK: memory a stream', peer.kilobytesAStream, 'KB'),
      figure('AI SDK: CPU', peer.cpuPercent, '%'),
      figure(`LangGraph.js, ${turns * LANGGRAPH_SHARE} turns: p99 lag`, p99(other), 'ms'),
      figure('LangGraph.js: memory a stream', other.kilobytesAStream, 'KB'),
      figure('LangGraph.js: CPU', other.cpuPercent, '%'),
      figure('CPU, agent / AI SDK', own.cpuPercent / peer.cpuPercent, 'ratio'),
    ],
    notes: [
      'Lag: from the moment at which a frame was due to when its reader has it; a server that can’t keep up is later and later.',
      'The agent checks a token (ES256) each turn, stores the messages, numbers and logs every frame; the AI SDK’s server does none of it; LangGraph.js keeps threads in memory.',
      'Each server has one core, its clients the other; memory is resident, above what the server had with no turn.',
      ...(isTenth ? [`At a tenth: ${turns} turns for ${seconds} s.`] : []),
    ],
  };
}

/** Where turns are asked for, and how what is due is read from an event. */
interface Target {
  url(turn: number): string;
  token(turn: number): string | undefined;
  /** Default: a message whose text is the turn. */
  body?(turn: PacedTurn): object;
  /** When the text of an event was due: more than once when late text was joined; empty for events without text. */
  read(data: string): readonly number[];
}

async function agentTarget(agent: MeasuredAgent): Promise<Target> {
  const token = await agent.token('load');
  return {
    url: (turn) => `${agent.url}/?id=turn-${turn}`,
    token: () => token,
    read(data) {
      const text = /^\{"type":"text","text":"([\d ]+)"\}$/.exec(data)?.[1];
      return text === undefined ? [] : text.trim().split(' ').map(Number);
    },
  };
}

function sdkTarget(server: Program): Target {
  return {
    url: () => server.url,
    token: () => undefined,
    read(data) {
      const text = /"delta":"(\d+)"/.exec(data)?.[1];
      return text === undefined ? [] : [Number(text)];
    },
  };
}

function langgraphTarget(server: Program): Target {
  return {
    url: () => `${server.url}/runs/stream`,
    token: () => undefined,
    body: (turn) => ({ assistant_id: 'agent', input: { turn }, stream_mode: ['custom'] }),
    read(data) {
      const text = /^"(\d+)"$/.exec(data)?.[1];
      return text === undefined ? [] : [Number(text)];
    },
  };
}

async function readTurns(
  server: Program,
  target: Target,
  turns: number,
  seconds: number,
  rampMs: number,
): Promise<Streams> {
  const frames = seconds * FRAMES_PER_SECOND;
  const gapMs = 1_000 / FRAMES_PER_SECOND;
  const idleMib = residentMib([server.pid]);
  const lagsMs: number[] = [];
  // All say their last frame at about the same time; what is measured is when all of them run.
  const beginMicros = nowMicros() + (rampMs + 1_000) * 1_000;
  const steadyMicros = beginMicros + 500_000;
  const failures: unknown[] = [];
  const ends: Promise<void>[] = [];
  for (let turn = 0; turn < turns; turn++) {
    const startMicros = beginMicros + Math.round(((turn % 100) / 100) * gapMs * 1_000);
    const paced: PacedTurn = { frames, gapMs, startMicros };
    let seen = 0;
    let lastSeq = 0;
    const token = target.token(turn);
    const { ended } = openTurn({
      url: target.url(turn),
      ...(token === undefined ? {} : { token }),
      body: target.body?.(paced) ?? { messages: [{ role: 'user', content: JSON.stringify(paced) }] },
      onEvent(data, id, atMicros) {
        if (id !== undefined && Number(id.split(':')[1]) !== ++lastSeq)
          failures.push(`frame ${id} in place of ${lastSeq}`);
        for (const dueMicros of target.read(data)) {
          seen++;
          if (dueMicros >= steadyMicros) lagsMs.push((atMicros - dueMicros) / 1_000);
        }
      },
    });
    ends.push(
      ended.then(
        () => {
          if (seen !== frames) failures.push(`${seen} frames of ${frames}`);
        },
        (error: unknown) => void failures.push(error),
      ),
    );
    if (turn % 20 === 19) await new Promise((resolve) => setTimeout(resolve, (20 * rampMs) / turns));
  }
  await untilMicros(steadyMicros);
  const tree = processTree(server.pid);
  const before = cpuSeconds(tree);
  const startedMs = performance.now();
  await untilMicros(steadyMicros + (seconds / 2) * 1_000_000);
  const cpuPercent = ((cpuSeconds(tree) - before) / (performance.now() - startedMs)) * 100_000;
  const kilobytesAStream = ((residentMib([server.pid]) - idleMib) * 1_024) / turns;
  await Promise.all(ends);
  if (failures.length > 0) throw new Error(`${failures.length} failures, the first: ${failures[0]}`);
  return { lagsMs, cpuPercent, kilobytesAStream };
}

function untilMicros(micros: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.max(0, (micros - nowMicros()) / 1_000)));
}
