import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DeployEvent, LogsResponse, ScheduleRuns, SignedUrl } from '@berth/contract';
import { postDeploy, readDeployStream } from '../../tests/harness/deploy.ts';
import { nodeProject, type ProjectFiles } from '../../tests/harness/project-files.ts';
import type { AnyServer } from './any-server.ts';
import { startWorkload, type Workload } from './workload.ts';

const json = async <Shape>(answer: Response): Promise<Shape> => {
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${answer.status} ${text}`);
  return JSON.parse(text) as Shape;
};

/** An account may have 500 keys. */
const KEYS = 400;

/** Creates keys. Each must authenticate in the end. */
export function startKeys(servers: AnyServer): Workload {
  return startWorkload({
    kind: 'keys',
    everyMs: 150,
    async act(turn) {
      if (turn >= KEYS) return undefined;
      const answer = await servers.post('/v1/user/keys', { name: `chaos-${turn}`, scopes: ['read'] });
      return (await json<{ readonly secret: string }>(answer)).secret;
    },
    async verify(secrets) {
      const faults: string[] = [];
      for (const secret of secrets) {
        const { status } = await servers.api('/v1/user', { headers: { 'X-API-Key': secret } });
        if (status !== 200) faults.push(`a key that was acknowledged answers ${status}`);
      }
      return faults;
    },
  });
}

const ENV_NAMES = 10;

/** Sets variables of names that are not deployed. Each must be listed in the end. */
export function startVariables(servers: AnyServer): Workload {
  return startWorkload({
    kind: 'variables',
    everyMs: 150,
    async act(turn) {
      const name = `chaos-env-${turn % ENV_NAMES}`;
      const key = `ACKED_${turn}`;
      await json(await servers.post('/v1/env/set', { deployment_name: name, set: { [key]: String(turn) } }));
      return { name, key };
    },
    async verify(items) {
      const listed = new Set<string>();
      for (let index = 0; index < ENV_NAMES; index++) {
        const name = `chaos-env-${index}`;
        const answer = await servers.api(`/v1/env/list?name=${name}`);
        if (answer.status === 404) continue;
        for (const { key } of await json<{ key: string }[]>(answer)) listed.add(`${name} ${key}`);
      }
      return items
        .filter(({ name, key }) => !listed.has(`${name} ${key}`))
        .map(({ name, key }) => `variable ${key} of ${name} is gone`);
    },
  });
}

const VOLUME = 'chaos';
const OBJECT_BYTES = 20_000;

/** Uploads objects to a volume. Each must be there in the end, byte for byte. */
export async function startObjects(servers: AnyServer): Promise<Workload> {
  await json(await servers.post('/v1/volume/create', { name: VOLUME }));
  return startWorkload({
    kind: 'objects',
    everyMs: 150,
    async act(turn) {
      const object = `folder-${turn % 7}/object-${turn}`;
      const { url } = await json<SignedUrl>(await servers.post('/v1/volume/upload', { volume: VOLUME, object }));
      const bytes = randomBytes(OBJECT_BYTES);
      const put = await fetch(url, { method: 'PUT', body: bytes });
      await put.arrayBuffer();
      return put.ok ? { object, digest: digestOf(bytes) } : undefined;
    },
    async verify(items) {
      const faults: string[] = [];
      for (const { object, digest } of items) {
        const answer = await servers.post('/v1/volume/download', { volume: VOLUME, object });
        const { url } = await json<SignedUrl>(answer).catch(() => ({ url: undefined }));
        const found = url && digestOf(new Uint8Array(await (await fetch(url)).arrayBuffer()));
        if (found !== digest) faults.push(`object ${object} is ${found === undefined ? 'gone' : 'another'}`);
      }
      return faults;
    },
  });
}

function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Names that are deployed at the same time. */
const DEPLOYED_NAMES = 3;
/** Deploys of one name, after which another name takes its place. Of each name, the newest 20 deploys are kept. */
const DEPLOYS_OF_NAME = 15;
/** Time to wait after a refusal because an account's deploys run already. */
const BUSY_MS = 2_000;
const END_MS = 120_000;

/** A service that answers its version, whose build says that it runs. */
function versioned(version: string): ProjectFiles {
  return nodeProject(
    `import { createServer } from 'node:http';
     createServer((request, response) => response.end(${JSON.stringify(version)})).listen(process.env.PORT, '0.0.0.0');`,
    {
      'build.js': `console.log('build runs'); setTimeout(() => {}, 300);`,
      'berth.json': JSON.stringify({ build: ['node build.js'] }),
    },
  );
}

/**
 * Deploys new versions of a few names. Each deploy that was acknowledged must end exactly once, every start of a build must have been
 * announced, and each name must serve the last version that ended well.
 */
export function startDeploys(servers: AnyServer): Workload {
  /** Names that may serve a version whose deploy was not acknowledged. */
  const unanswered = new Set<string>();
  return startWorkload({
    kind: 'deploys',
    everyMs: 500,
    async act(turn) {
      const generation = Math.floor(turn / (DEPLOYED_NAMES * DEPLOYS_OF_NAME));
      const name = `chaos-app-${generation}-${turn % DEPLOYED_NAMES}`;
      const version = `version ${turn}`;
      const answer = await postDeploy(servers, name, { files: versioned(version), fields: { memory: '256Mi' } });
      if (answer.status === 429) {
        await sleep(BUSY_MS);
        return undefined;
      }
      if (answer.status !== 200) throw new Error(`deploy of ${name}: ${answer.status} ${await answer.text()}`);
      const first = await readDeployStream(answer)
        .until(() => true)
        .catch(() => undefined);
      await answer.body?.cancel().catch(() => {});
      if (first) return { id: first.deploy_id, name, version };
      // Killed before it sent an event, the server has acknowledged nothing, and may have accepted the deploy.
      unanswered.add(name);
      return undefined;
    },
    async verify(items) {
      const faults: string[] = [];
      const served = new Map<string, string>();
      // Deploys of a name end in their order, so the first that doesn't end keeps the others waiting.
      const endMs = performance.now() + END_MS;
      for (const { id, name, version } of items) {
        const events = await readEvents(servers, id, endMs);
        faults.push(...judgeDeploy(id, events));
        if (events.at(-1)?.status === 'DONE' && !unanswered.has(name)) served.set(name, version);
      }
      for (const [name, version] of served) {
        const other = await findOther(servers, name, version);
        if (other !== undefined) faults.push(`${name} answers ${JSON.stringify(other)}, not ${version}`);
      }
      return faults;
    },
  });
}

/** Time in which every server follows a change of routes, the start of the new revision included. */
const FOLLOW_MS = 15_000;
/** Requests in a row that are answered by the right version, enough for each server to have had some. */
const ASKED = 12;

/** Returns what a name answers instead of `version` on some server; undefined when all answer that. */
async function findOther(servers: AnyServer, name: string, version: string): Promise<string | undefined> {
  const endMs = performance.now() + FOLLOW_MS;
  for (let right = 0; right < ASKED; ) {
    const { text } = await servers.ask(name, '/');
    right = text === version ? right + 1 : 0;
    if (text !== version && performance.now() > endMs) return text.slice(0, 80);
  }
  return undefined;
}

/** Reads the events of a deploy until it ends, or until `endMs`. */
async function readEvents(servers: AnyServer, id: string, endMs: number): Promise<readonly DeployEvent[]> {
  for (;;) {
    const answer = await servers.api(`/v1/deploys/${id}/events`);
    const stream = readDeployStream(answer);
    // The stream of a deploy that goes on is cut off by the bound of a try.
    const events = await stream.finish().then(
      (outcome) => outcome.events,
      () => [...stream.events],
    );
    const isEnded = events.some(({ status }) => status === 'DONE' || status === 'ERROR');
    if (isEnded || performance.now() > endMs) return events;
  }
}

/** Says what is wrong with the events of a deploy that has ended. */
export function judgeDeploy(id: string, events: readonly DeployEvent[]): readonly string[] {
  const ends = events.filter(({ status }) => status === 'DONE' || status === 'ERROR');
  const builds = events.filter(({ message }) => message === 'build runs').length;
  const rebuilds = events.filter(({ message }) => message?.startsWith('Rebuilding after')).length;
  const faults: string[] = [];
  if (ends.length !== 1) {
    faults.push(`deploy ${id} ended ${ends.length} times; its last event is ${JSON.stringify(events.at(-1))}`);
  }
  if (ends.length === 1 && events.at(-1) !== ends[0]) faults.push(`deploy ${id} went on after its end`);
  if (builds > rebuilds + 1) faults.push(`deploy ${id} was built ${builds} times, and resumed ${rebuilds} times`);
  return faults;
}

const CRON = 'chaos-cron';
const MINUTE_MS = 60_000;

/** A schedule of every minute. No minute may be missing, and none may succeed twice. */
export async function startSchedule(servers: AnyServer): Promise<Workload> {
  const files = nodeProject(`import { createServer } from 'node:http';
    createServer((request, response) => response.end()).listen(process.env.PORT, '0.0.0.0');`);
  const fields = { memory: '256Mi', schedule: JSON.stringify({ cron: '* * * * *', timezone: 'UTC' }) };
  const answer = await postDeploy(servers, CRON, { files, fields });
  await readDeployStream(answer).finish();
  const startedMs = Date.now();
  let stoppedMs = startedMs;
  const readRuns = async () =>
    (await json<ScheduleRuns>(await servers.api(`/v1/schedule/runs?name=${CRON}&limit=200`))).runs;
  const seen = new Set<string>();
  return startWorkload({
    kind: 'scheduled runs',
    everyMs: 1_000,
    async act() {
      stoppedMs = Date.now();
      const ended = (await readRuns()).find(({ id, status }) => status === 'succeeded' && !seen.has(id));
      if (ended) seen.add(ended.id);
      return ended?.id;
    },
    async verify(ids) {
      const runs = await readRuns();
      const known = new Set(runs.map(({ id }) => id));
      const faults = ids.filter((id) => !known.has(id)).map((id) => `run ${id} succeeded, and is gone`);
      const minutes = new Set(runs.map(({ scheduled_at }) => Date.parse(scheduled_at)));
      if (minutes.size !== runs.length) faults.push(`${runs.length} runs of ${minutes.size} minutes`);
      for (let due = Math.ceil(startedMs / MINUTE_MS) * MINUTE_MS; due < stoppedMs - MINUTE_MS; due += MINUTE_MS) {
        if (!minutes.has(due)) faults.push(`the run of ${new Date(due).toISOString()} is missing`);
      }
      for (const { id, attempts } of runs) {
        const successes = attempts.filter(({ status }) => status !== null && status >= 200 && status < 300).length;
        if (successes > 1) faults.push(`run ${id} succeeded ${successes} times`);
      }
      return faults;
    },
  });
}

const TALKER = 'chaos-talker';

/**
 * A service that writes numbered lines, and a reader that follows its log from one server to another by the cursor. What a reader has
 * seen must be there in the end, in the same order; no line may come twice.
 */
export async function startLogs(servers: AnyServer): Promise<Workload> {
  const files = nodeProject(`import { createServer } from 'node:http';
    createServer((request, response) => {
      console.log('line ' + new URL(request.url, 'http://x').searchParams.get('n'));
      response.end();
    }).listen(process.env.PORT, '0.0.0.0');`);
  await readDeployStream(await postDeploy(servers, TALKER, { files, fields: { memory: '256Mi' } })).finish();
  let cursor: string | null | undefined;
  const read = async (since: string | null | undefined) =>
    json<LogsResponse>(
      await servers.post('/v1/deployment/logs', {
        deployment_name: TALKER,
        limit: 1_000,
        query: 'textPayload:"line"',
        ...(since ? { since } : { since: '2000-01-01T00:00:00Z' }),
      }),
    );
  return startWorkload<readonly string[]>({
    kind: 'log reads',
    everyMs: 100,
    async act(turn) {
      await servers.ask(TALKER, `/?n=${turn}`);
      const page = await read(cursor);
      cursor = page.cursor ?? cursor;
      return page.logs.map(({ timestamp, message }) => `${timestamp} ${message}`);
    },
    async verify(pages) {
      const seen = pages.flat();
      const all: string[] = [];
      for (let since: string | null | undefined; ; ) {
        const page = await read(since);
        all.push(...page.logs.map(({ timestamp, message }) => `${timestamp} ${message}`));
        if (page.logs.length === 0 || page.cursor === since) break;
        since = page.cursor;
      }
      const kept = new Set(all);
      const faults = seen.filter((line) => !kept.has(line)).map((line) => `log entry "${line}" was read, and is gone`);
      if (new Set(seen).size !== seen.length) faults.push('log entries were read twice');
      if (kept.size !== all.length) faults.push('the log has entries twice');
      if (all.some((line, index) => index > 0 && line < (all[index - 1] as string)))
        faults.push('the log is out of order');
      return faults;
    },
  });
}
