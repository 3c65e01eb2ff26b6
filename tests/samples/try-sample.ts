import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Berth } from '../harness/berth.ts';
import { deploy } from '../harness/deploy.ts';
import { request } from '../harness/request.ts';
import type { Sample } from './sample.ts';

/** How far a sample came, each step only after the previous one. */
export interface SampleResult {
  readonly name: string;
  /** False where the sample itself could not be made, which says nothing of the platform. */
  readonly isCreated: boolean;
  readonly isDetected: boolean;
  readonly isBuilt: boolean;
  readonly isServed: boolean;
  readonly seconds: number;
  /** What was detected, or why it ended; one line. */
  readonly note: string;
}

const run = promisify(execFile);
const CREATE_MS = 300_000;

/** Makes a sample, deploys it as a user would, asks it once, and deletes it. Never rejects for what the sample or the platform does. */
export async function trySample(berth: Berth, sample: Sample): Promise<SampleResult> {
  const folder = await mkdtemp(path.join(tmpdir(), `berth-sample-${sample.name}-`));
  const startMs = performance.now();
  let steps = { isCreated: false, isDetected: false, isBuilt: false, isServed: false };
  const end = (note: string): SampleResult => ({
    ...{ name: sample.name, ...steps, note: oneLine(note) },
    seconds: Math.round((performance.now() - startMs) / 1_000),
  });
  try {
    const project = await create(sample, folder).catch((error: Error & { stderr?: string }) => end(explain(error)));
    if (typeof project !== 'string') return project;
    steps = { ...steps, isCreated: true };
    const archive = path.join(folder, 'source.tar.gz');
    await run('tar', ['czf', archive, '--exclude=node_modules', '--exclude=.git', '-C', project, '.']);
    const { events, last } = await deploy(berth, sample.name, {
      archive: await readFile(archive),
      ...(sample.port === undefined ? {} : { fields: { port: String(sample.port) } }),
    });
    const said = (start: string) => events.find(({ message }) => message.startsWith(start))?.message;
    const detected = said('Detected ');
    steps = {
      ...steps,
      isDetected: detected !== undefined,
      isBuilt: events.some(({ status }) => status === 'DEPLOYING'),
    };
    if (last.status !== 'DONE') return end(`${last.message} ${last.logs?.at(-1) ?? ''}`);
    const answer = await request(berth, sample.name, sample.path);
    steps = { ...steps, isServed: sample.answer.test(answer.text) };
    const port = sample.port === undefined ? '' : ` (--port ${sample.port})`;
    return end(steps.isServed ? `${detected}${port}` : `answered ${answer.status}: ${answer.text.slice(0, 200)}`);
  } finally {
    await berth.post('/v1/deployment/delete', { name: sample.name });
    await rm(folder, { recursive: true, force: true });
  }
}

/** @returns the folder of the project. */
async function create({ create: words, files = {} }: Sample, folder: string): Promise<string> {
  const work = path.join(folder, 'work');
  const app = path.join(work, 'app');
  await mkdir(work);
  const write = async () => {
    for (const [name, content] of Object.entries(files)) {
      const file = path.join(app, name);
      await mkdir(path.dirname(file), { recursive: true });
      await writeFile(file, content);
    }
  };
  // A command that completes a project needs its files; one that makes a project wants an empty folder.
  const isCompletion = Object.hasOwn(files, 'go.mod');
  if (isCompletion) await write();
  const [program, ...args] = words ?? [];
  if (program !== undefined) {
    const options = { cwd: work, timeout: CREATE_MS, maxBuffer: 2 ** 26, env: { ...process.env, CI: '1' } };
    const creating = run(program, args, options);
    creating.child.stdin?.end();
    await creating;
  }
  if (!isCompletion) await write();
  if (!existsSync(app)) throw new Error('the create command made nothing');
  return app;
}

function explain(error: Error & { stderr?: string }): string {
  return `not created: ${error.stderr?.trim().split('\n').slice(-3).join(' ') || error.message}`;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim().slice(0, 160);
}
