import { spawn, spawnSync } from 'node:child_process';
import path from 'node:path';
import { freePort } from '../../tests/harness/free-port.ts';
import { waitFor } from '../../tests/harness/wait-for.ts';
import { processTree, residentMib } from '../process-tree.ts';
import { findProgram } from './find-program.ts';

/** VictoriaLogs on a loopback port, with its own settings. */
export interface VictoriaLogs extends AsyncDisposable {
  readonly version: string;
  /** Takes JSON lines with `time`, and `message` as the text. @throws Error unless it took them. */
  insert(lines: string): Promise<void>;
  /** Makes all that was inserted searchable. */
  flush(): Promise<void>;
  /** The objects that a LogsQL query answers. @throws Error unless it answers. */
  query(query: string): Promise<Record<string, string>[]>;
  residentMib(): number;
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
    residentMib: () => residentMib(processTree(child.pid as number)),
    async [Symbol.asyncDispose]() {
      child.kill();
      await ended;
    },
  };
}
