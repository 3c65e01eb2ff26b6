import { request } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type MeasuredAgent, startMeasuredAgent } from '../agents/measured-agent.ts';
import { type BenchOptions, type BenchResult, type Figure, figure } from '../figure.ts';
import { processTree, residentMib } from '../process-tree.ts';
import { roundTo } from '../statistics.ts';

const MIB = 2 ** 20;
const MIB_OF_FILE = 1_024;
const BOUNDARY = 'berth-bench';
const FORM_HEAD = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="large"\r\n\r\n`;
const FORM_TAIL = `\r\n--${BOUNDARY}--\r\n`;

/** A file of 1 GiB into the workspace of an agent, as a body and as a form, and out of it, alone and zipped: memory, and time. */
export async function measureAgentFiles({ isTenth, say }: BenchOptions): Promise<BenchResult> {
  const mib = isTenth ? MIB_OF_FILE / 10 : MIB_OF_FILE;
  await using agent = await startMeasuredAgent();
  const token = await agent.token('bench');
  const block = Buffer.alloc(MIB, 'berth ');
  const bytes = function* () {
    for (let count = 0; count < mib; count++) yield block;
  };
  const form = function* () {
    yield FORM_HEAD;
    yield* bytes();
    yield FORM_TAIL;
  };
  const multipart = `multipart/form-data; boundary=${BOUNDARY}`;
  // What the first transfer of a process compiles and reserves is not what a transfer takes.
  await send(agent, token, 'PUT', '/files/warm-up', { body: Array.from({ length: 64 }, () => block) });
  const ways: readonly (readonly [title: string, transfer: () => Promise<number>])[] = [
    ['in, as a body', () => send(agent, token, 'PUT', '/files/large/file', { body: bytes() })],
    ['in, as a form', () => send(agent, token, 'PUT', '/files/large/file', { body: form(), type: multipart })],
    ['out', () => send(agent, token, 'GET', '/files/large/file')],
    ['out, zipped', () => send(agent, token, 'GET', '/files/large')],
  ];
  const figures: Figure[] = [];
  for (const [title, transfer] of ways) {
    const { ms, grownMib, received } = await watched(agent, transfer);
    say(`${title}: ${roundTo(ms, 0)} ms, ${roundTo(grownMib, 0)} MiB more at the peak, ${received} bytes answered`);
    figures.push(
      figure(`1 GiB ${title}`, ms, 'ms'),
      figure(`1 GiB ${title}: memory at its peak`, grownMib, 'MB', { target: 50 }),
    );
  }
  return { figures, notes: ['Each upload is synced to the disk before it is answered.'] };
}

/** What a transfer takes, and how far the agent grows beyond what it had before. */
async function watched(agent: MeasuredAgent, transfer: () => Promise<number>) {
  const before = residentMib(processTree(agent.pid));
  let peak = before;
  const watch = setInterval(() => {
    peak = Math.max(peak, residentMib(processTree(agent.pid)));
  }, 50);
  const startedMs = performance.now();
  const received = await transfer();
  const ms = performance.now() - startedMs;
  clearInterval(watch);
  return { ms, grownMib: peak - before, received };
}

interface Sent {
  readonly body?: Iterable<Buffer | string>;
  readonly type?: string;
}

/** Bytes of the answer, which are thrown away. @throws Error when it is not 200 */
async function send(
  { url }: MeasuredAgent,
  token: string,
  method: string,
  target: string,
  { body = [], type = 'application/octet-stream' }: Sent = {},
): Promise<number> {
  const call = request(url + target, { method, headers: { authorization: `Bearer ${token}`, 'content-type': type } });
  const answered = new Promise<number>((resolve, reject) => {
    call.once('error', reject);
    call.once('response', (response) => {
      let received = 0;
      response.on('data', (chunk: Buffer) => {
        received += chunk.length;
      });
      response.once('error', reject);
      response.once('end', () => {
        if (response.statusCode === 200) resolve(received);
        else reject(new Error(`${method} ${target}: ${response.statusCode}`));
      });
    });
  });
  await pipeline(Readable.from(body), call);
  return answered;
}
