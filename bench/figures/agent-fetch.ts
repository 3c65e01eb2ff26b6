import { Agent, request } from 'node:http';
import { startMeasuredAgent } from '../agents/measured-agent.ts';
import { startProgram } from '../agents/start-program.ts';
import { type BenchOptions, type BenchResult, figure } from '../figure.ts';
import { CORES, pinProcess } from '../pin-process.ts';
import { cpuSeconds, residentMib } from '../process-tree.ts';
import { quantile, roundTo } from '../statistics.ts';

const CALLS = 1_000;
const WARM_UP = 50;
/** A person may make 240 in a minute. */
const CALLS_OF_A_PERSON = 200;
const LARGE_MIB = 200;
const SAMPLE_MS = 10;

/** What calling an API through an agent adds to calling it, and how much memory a large answer takes on its way. */
export async function measureAgentFetch({ isTenth, say }: BenchOptions): Promise<BenchResult> {
  await using api = await startProgram('api-program.ts');
  await using agent = await startMeasuredAgent({ api: api.url });
  for (const { pid } of [agent, api]) pinProcess(pid, CORES.target);
  pinProcess(process.pid, CORES.load);
  const client = createClient();

  const people = new Map<number, Record<string, string>>();
  const headersOf = async (call: number) => {
    const person = Math.floor(call / CALLS_OF_A_PERSON);
    const known = people.get(person);
    if (known) return known;
    const headers = { authorization: `Bearer ${await agent.token(`person-${person}`)}` };
    await client.ask(`${agent.url}/connectors/api/key`, {
      method: 'PUT',
      headers: { ...headers, 'content-type': 'application/json' },
      body: '{"key":"a key that is measured"}',
    });
    people.set(person, headers);
    return headers;
  };

  const calls = isTenth ? CALLS / 10 : CALLS;
  const direct: number[] = [];
  const through: number[] = [];
  let busyBefore = 0;
  // By turns, so that what else the machine does is the same for both.
  for (let call = 0; call < calls + WARM_UP; call++) {
    const headers = await headersOf(call);
    const without = await client.ask(`${api.url}/items?page=1`, { headers });
    const withAgent = await client.ask(`${agent.url}/connectors/api/fetch/items?page=1`, { headers });
    if (call < WARM_UP) continue;
    if (call === WARM_UP) busyBefore = cpuSeconds([agent.pid]);
    direct.push(without.ms);
    through.push(withAgent.ms);
  }
  const cpuMs = ((cpuSeconds([agent.pid]) - busyBefore) * 1_000) / calls;
  const [p50, p99] = [0.5, 0.99].map((part) => quantile(through, part) - quantile(direct, part)) as [number, number];
  say(`a call: ${roundTo(quantile(direct, 0.5), 2)} ms, through the agent ${roundTo(quantile(through, 0.5), 2)} ms`);

  const mebibytes = isTenth ? LARGE_MIB / 10 : LARGE_MIB;
  const before = residentMib([agent.pid]);
  let peak = before;
  const sampler = setInterval(() => {
    peak = Math.max(peak, residentMib([agent.pid]));
  }, SAMPLE_MS);
  const size = mebibytes * 1_048_576;
  const large = await client.ask(`${agent.url}/connectors/api/fetch/bytes/${size}`, { headers: await headersOf(0) });
  clearInterval(sampler);
  client.close();
  if (large.bytes !== size) throw new Error(`${large.bytes} of ${size} bytes came through`);
  say(`${mebibytes} MiB in ${Math.round(large.ms)} ms`);
  return {
    figures: [
      figure('a call of an API through an agent adds: p50', p50, 'ms', { target: 3 }),
      figure('processor time of the agent a call', cpuMs, 'ms'),
      figure('p99', p99, 'ms'),
      figure(`${mebibytes} MiB through an agent: memory added`, peak - before, 'MB', { target: 100 }),
      figure(`${mebibytes} MiB through an agent`, large.ms, 'ms'),
    ],
    notes: [
      'Over kept connections on loopback without TLS, token checked, credential unsealed, call counted; direct and through by turns.',
      `Memory: resident set of the agent, looked at every ${SAMPLE_MS} ms, above what it was before.`,
    ],
  };
}

interface Ask {
  readonly method?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

function createClient() {
  const agent = new Agent({ keepAlive: true });
  return {
    close: () => agent.destroy(),
    ask: (url: string, { method = 'GET', headers, body }: Ask) =>
      new Promise<{ ms: number; bytes: number }>((resolve, reject) => {
        const begunMs = performance.now();
        const outgoing = request(url, { method, headers, agent }, (incoming) => {
          let bytes = 0;
          incoming.on('data', (chunk: Buffer) => {
            bytes += chunk.length;
          });
          incoming.on('error', reject);
          incoming.on('end', () => {
            if (incoming.statusCode === 200) resolve({ ms: performance.now() - begunMs, bytes });
            else reject(new Error(`${url} answered ${incoming.statusCode}`));
          });
        });
        outgoing.on('error', reject);
        outgoing.end(body);
      }),
  };
}
