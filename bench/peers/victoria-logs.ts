import { spawn, spawnSync } from 'node:child_process';
import path from 'node:path';
import { folderBytes } from '../../tests/harness/folder-bytes.ts';
import { freePort } from '../../tests/harness/free-port.ts';
import { waitFor } from '../../tests/harness/wait-for.ts';
import { generateLogLines } from '../log-lines.ts';
import { processTree, residentMib } from '../process-tree.ts';
import { findProgram } from './find-program.ts';

/** VictoriaLogs on a loopback port, with its own settings. */
export interface VictoriaLogs extends AsyncDisposable {
  readonly pid: number;
  readonly url: string;
  readonly version: string;
  /** Takes JSON lines with `time`, and `message` as the text. @throws Error unless it took them. */
  insert(lines: string): Promise<void>;
  /** Makes all that was inserted searchable. */
  flush(): Promise<void>;
  /** The objects that a LogsQL query answers. @throws Error unless it answers. */
  query(query: string): Promise<Record<string, string>[]>;
  residentMib(): number;
  /** Bytes of its data on disk, after {@link VictoriaLogs.flush}. */
  storedBytes(): number;
}

/** Starts it with its data below `folder`; undefined where it is not installed. */
export async function startVictoriaLogs(folder: string): Promise<VictoriaLogs | undefined> {
  const program = findProgram('victoria-logs');
  if (program === undefined) return undefined;
  const version = spawnSync(program, ['-version'], { encoding: 'utf8' });
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const words = [
    `-storageDataPath=${path.join(folder, 'victoria')}`,
    `-httpListenAddr=127.0.0.1:${port}`,
    '-retentionPeriod=10y',
  ];
  const child = spawn(program, words, { stdio: 'ignore' });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const ask = async (route: string, init?: RequestInit): Promise<Response> => {
    const answer = await fetch(url + route, init);
    if (!answer.ok) throw new Error(`VictoriaLogs: ${answer.status} ${await answer.text()}`);
    return answer;
  };
  await waitFor('VictoriaLogs answers', () => ask('/health').then(Boolean, () => false));
  return {
    pid: child.pid as number,
    url,
    version:
      /victoria-logs-(\S+)|v\d+\.\d+\.\d+/.exec(`${version.stdout}${version.stderr}`)?.[0] ??
      'of the version in bench/README.md',
    async insert(lines) {
      const query = new URLSearchParams({ _time_field: 'time', _msg_field: 'message', _stream_fields: 'service' });
      await (await ask(`/insert/jsonline?${query}`, { method: 'POST', body: lines })).text();
    },
    async flush() {
      await (await ask('/internal/force_flush')).text();
    },
    async query(query) {
      const text = await (
        await ask('/select/logsql/query', { method: 'POST', body: new URLSearchParams({ query }) })
      ).text();
      return text
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as Record<string, string>);
    },
    storedBytes: () => folderBytes(path.join(folder, 'victoria')),
    residentMib: () => residentMib(processTree(child.pid as number)),
    async [Symbol.asyncDispose]() {
      child.kill();
      await ended;
    },
  };
}

/** Of lines that are sent at once: what its own shippers send. */
const BATCH_CHARACTERS = 8_000_000;

/** What it took to insert lines: the time without that of making them, and the highest memory. */
export interface PeerInsertion {
  readonly elapsedMs: number;
  readonly peakMib: number;
}

/** Inserts `count` generated lines, as JSON with their severity, and makes them searchable. */
export async function insertLogLines(peer: VictoriaLogs, count: number): Promise<PeerInsertion> {
  let elapsedMs = 0;
  let peakMib = 0;
  let batch = '';
  let number = 0;
  const startMs = Date.now() - count;
  const send = async () => {
    const sentMs = performance.now();
    await peer.insert(batch);
    elapsedMs += performance.now() - sentMs;
    peakMib = Math.max(peakMib, peer.residentMib());
    batch = '';
  };
  for (const chunk of generateLogLines(count, { errorsOfUser: 0, severities: {} })) {
    for (const line of chunk.split('\n')) {
      if (line === '') continue;
      // A millisecond each: many entries of one time cost it more than they would in practice.
      batch += `${toJson(line, new Date(startMs + number++).toISOString())}\n`;
    }
    if (batch.length >= BATCH_CHARACTERS) await send();
  }
  await send();
  const flushedMs = performance.now();
  await peer.flush();
  return { elapsedMs: elapsedMs + performance.now() - flushedMs, peakMib };
}

function toJson(line: string, time: string): string {
  if (line.startsWith('{')) return `{"time":"${time}","service":"shop",${line.slice(1)}`;
  const severity = line.startsWith('WARN ') ? 'WARNING' : 'INFO';
  return `{"time":"${time}","service":"shop","severity":"${severity}","message":${JSON.stringify(line)}}`;
}
