import { createRandom } from '../create-random.ts';

/** Bytes of a chunk: what a program writes at once. */
const CHUNK_CHARACTERS = 65_536;
const SEED = 20261121;

/**
 * What six programs print into one stdout, record by record in turns, always the same: nginx, pino, JSON with the fields that a
 * cloud log knows, Python's logging, logback and syslog. At least `lines` lines, in chunks; a record is never cut by its program.
 */
export function* printPrograms(lines: number): Generator<string> {
  const random = createRandom(SEED);
  let chunk = '';
  for (let done = 0, index = 0; done < lines; index++) {
    const program = PROGRAMS[random(PROGRAMS.length)] as Program;
    const record = program(random, index);
    for (const text of record) chunk += `${text}\n`;
    done += record.length;
    if (chunk.length < CHUNK_CHARACTERS) continue;
    yield chunk;
    chunk = '';
  }
  if (chunk !== '') yield chunk;
}

/** Answers the lines of its record. */
type Program = (random: (below: number) => number, index: number) => string[];

const PATHS = ['/', '/cart', '/checkout', '/item/42', '/api/orders?page=2', '/static/app.js', '/søk?q=grønn%20te'];
const AGENTS = [
  'Mozilla/5.0 (X11; Linux x86_64) "quoted"',
  'curl/8.11.0',
  'Googlebot/2.1 (+http://www.google.com/bot.html)',
];
const pick = (random: (below: number) => number, values: readonly string[]): string =>
  values[random(values.length)] as string;
const two = (value: number) => String(value).padStart(2, '0');

const nginx: Program = (random) => {
  const time = `21/Nov/2026:10:${two(random(60))}:${two(random(60))} +0000`;
  const status = random(50) === 0 ? 502 : random(20) === 0 ? 404 : 200;
  const request = `${random(10) === 0 ? 'POST' : 'GET'} ${pick(random, PATHS)} HTTP/1.1`;
  return [
    `203.0.113.${random(256)} - - [${time}] "${request}" ${status} ${random(90_000)} "-" "${pick(random, AGENTS)}"`,
  ];
};

const pino: Program = (random, index) => {
  const level = random(40) === 0 ? 50 : random(10) === 0 ? 40 : random(8) === 0 ? 20 : 30;
  const base = { level, time: 1_795_255_200_000 + index, pid: 17, hostname: 'web-1' };
  const req = { id: index, method: 'GET', url: pick(random, PATHS), remoteAddress: `10.0.0.${random(256)}` };
  const err = {
    type: 'TypeError',
    message: `x is ${random(9)}`,
    stack: `TypeError: x\n    at f (/app/a.js:${random(99)}:1)`,
  };
  const fields = level === 50 ? { ...base, req, err } : { ...base, req };
  return [
    JSON.stringify({ ...fields, responseTime: random(1_000), msg: `request ${level === 50 ? 'failed' : 'completed'}` }),
  ];
};

const cloudJson: Program = (random, index) => {
  const severity = random(50) === 0 ? 'ERROR' : random(9) === 0 ? 'NOTICE' : 'INFO';
  const status = severity === 'ERROR' ? 503 : 200;
  const request = {
    requestMethod: 'GET',
    requestUrl: pick(random, PATHS),
    status,
    latency: `${random(3_000) / 1_000}s`,
  };
  return [
    JSON.stringify({
      severity,
      message: `order ${index} ${pick(random, ['paid', 'shipped', 'größer 😀'])}`,
      user_id: `u-${random(500)}`,
      amount: random(100_000) / 100,
      tags: ['shop', `t${random(5)}`],
      ...(random(4) === 0 ? { httpRequest: request } : {}),
      ...(random(5) === 0 ? { labels: { team: pick(random, ['pay', 'search']) } } : {}),
    }),
  ];
};

const python: Program = (random, index) => {
  const logger = `shop.${pick(random, ['worker', 'mail'])}`;
  if (random(60) === 0) {
    return [
      `ERROR:${logger}:job ${index} failed`,
      'Traceback (most recent call last):',
      `  File "/app/worker.py", line ${random(400)}, in run`,
      '    return handle(job)',
      `  File "/app/jobs.py", line ${random(400)}, in handle`,
      "    raise ValueError(f'bad id {job.id}')",
      `ValueError: bad id ${random(1_000)}`,
    ];
  }
  const level = random(15) === 0 ? 'WARNING' : random(6) === 0 ? 'DEBUG' : 'INFO';
  return [`${level}:${logger}:job ${index} took ${random(5_000)} ms`];
};

const logback: Program = (random, index) => {
  const head = `10:${two(random(60))}:${two(random(60))}.${String(random(1_000)).padStart(3, '0')} [http-nio-8080-exec-${random(16)}]`;
  if (random(60) === 0) {
    return [
      `${head} ERROR c.e.shop.OrderService - Failed to place order ${index}`,
      `java.lang.IllegalStateException: no stock of ${random(1_000)}`,
      `\tat com.example.shop.Stock.take(Stock.java:${random(300)})`,
      `\tat com.example.shop.OrderService.place(OrderService.java:${random(300)})`,
      'Caused by: java.net.SocketTimeoutException: Read timed out',
      `\tat java.base/java.net.SocketInputStream.read(SocketInputStream.java:${random(300)})`,
      '\t... 12 more',
    ];
  }
  return [`${head} INFO  c.e.shop.OrderService - Placed order ${index} in ${random(900)} ms`];
};

const syslog: Program = (random) => {
  const head = `Nov 21 10:${two(random(60))}:${two(random(60))} web-1 sshd[${random(30_000)}]:`;
  const from = `198.51.100.${random(256)} port ${random(65_536)} ssh2`;
  if (random(3) === 0)
    return [`${head} Failed password for ${random(2) === 0 ? 'invalid user ' : ''}admin from ${from}`];
  return [`${head} Accepted publickey for deploy from ${from}`];
};

const PROGRAMS: readonly Program[] = [nginx, pino, cloudJson, python, logback, syslog];
