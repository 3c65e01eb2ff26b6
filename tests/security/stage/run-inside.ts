import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { request } from '../../harness/request.ts';
import { BATCH_LINE, GOT_THROUGH, type InsideAttempt, type Place } from '../inside/attempt.ts';
import { INSIDE_ATTEMPTS } from '../inside/attempts.ts';
import type { Stage } from './open-stage.ts';

/** What came of an attempt. */
export interface Result {
  readonly id: string;
  readonly tries: string;
  /** Absent when it did not get through. */
  readonly evidence?: string;
  /** What the attempt answered, for people. */
  readonly answer: string;
  /** Why nothing is proven by it: the probe does not work even where it should. */
  readonly brokenControl?: string;
}

const MAX_SHOWN = 400;
/** The hostile program gives up its attempts before. */
const ANSWER_TIMEOUT_MS = 25_000;

/** Makes all attempts of hostile programs, in the service and in its build, and their controls. */
export async function runInside(stage: Stage): Promise<Result[]> {
  // Controls come first: they need the victim that the facts are about, and one attempt restarts it.
  const broken = await runControls(stage);
  const results = [...judgeBuild(stage), ...(await runInService(stage))];
  return results.map((result) => {
    const why = broken.get(result.id.split('@')[0] as string);
    return why === undefined ? result : { ...result, brokenControl: why };
  });
}

/** The attempts of the build were made with the hostile service's deploy: their answers are lines of its log. */
function judgeBuild(stage: Stage): Result[] {
  const answers = readBatch(stage.hostileDeploy.events.map(({ message }) => message));
  return attemptsOf('build').map((one) => {
    const answer = answers.get(one.id);
    // A build that was ended by an attempt proves nothing about the others.
    const missing = answer === undefined ? { brokenControl: 'the build did not come to it' } : {};
    return { ...judge(stage, one, 'build', answer), ...missing };
  });
}

async function runInService(stage: Stage): Promise<Result[]> {
  const all = attemptsOf('service');
  const results = await Promise.all(
    all
      .filter(({ isAsking }) => isAsking)
      .map(async (one) => judge(stage, one, 'service', await ask(stage, 'attempt', one.id))),
  );
  const others = all.filter(({ isAsking }) => !isAsking);
  for (const one of others.toSorted((a, b) => Number(a.isAlone ?? false) - Number(b.isAlone ?? false))) {
    cleanMark(stage, one);
    const asking = ask(stage, 'attempt', one.id);
    const found = one.needsVictimRestart ? await restartVictim(stage) : undefined;
    const result = judge(stage, one, 'service', await asking);
    results.push(found === undefined ? result : { ...result, evidence: found });
  }
  return results;
}

function attemptsOf(place: Place): readonly InsideAttempt[] {
  return INSIDE_ATTEMPTS.filter(({ from }) => from?.includes(place) ?? true);
}

async function ask(stage: Stage, kind: 'attempt' | 'control', id: string): Promise<unknown> {
  const body = JSON.stringify(stage.facts);
  const answer = await request(stage.berth, stage.hostile, `/${kind}/${id}`, {
    ...{ method: 'POST', body, signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS) },
  }).catch((error: Error) => ({ status: 0, text: error.message }));
  return answer.status === 200 ? JSON.parse(answer.text) : answer.text;
}

function judge(stage: Stage, one: InsideAttempt, place: Place, answer: unknown): Result {
  const said = JSON.stringify(answer) ?? '';
  const evidence = findEvidence(stage, said) ?? findMark(stage, one);
  cleanMark(stage, one);
  const { id, tries } = one;
  return { id: `${id}@${place}`, tries, answer: said.slice(0, MAX_SHOWN), ...(evidence && { evidence }) };
}

/** A secret, or words that say what could be done. */
export function findEvidence({ secrets }: Stage, said: string): string | undefined {
  const claim = said.indexOf(GOT_THROUGH);
  return secrets.find(said) ?? (claim === -1 ? undefined : said.slice(claim, claim + 200));
}

function findMark({ facts }: Stage, { leaves }: InsideAttempt): string | undefined {
  if (!leaves) return undefined;
  const file = facts.marks[leaves.mark] as string;
  try {
    return readFileSync(file, 'utf8').includes(leaves.text) ? `${file} holds "${leaves.text}"` : undefined;
  } catch {
    return undefined;
  }
}

function cleanMark({ facts }: Stage, { leaves }: InsideAttempt): void {
  if (!leaves) return;
  const file = facts.marks[leaves.mark] as string;
  // The decoy has its file open.
  if (leaves.mark === 'decoy-signals') truncateSync(file);
  else rmSync(file, { force: true });
}

/** Sends the victim a secret while it starts again. Evidence when anyone else answers, or no one. */
async function restartVictim({ berth, victim, secrets }: Stage): Promise<string | undefined> {
  const headers = { cookie: `session=${secrets.make('cookie')}` };
  // Until all ports are taken.
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  await request(berth, victim, '/exit', { signal: AbortSignal.timeout(3_000) }).catch(() => undefined);
  let last = '';
  for (const end = Date.now() + 6_000; Date.now() < end; await new Promise((resolve) => setTimeout(resolve, 100))) {
    const options = { headers, signal: AbortSignal.timeout(5_000) };
    last = await request(berth, victim, '/', options).then(
      ({ status, text }) => `${status} ${text}`,
      (error: Error) => error.message,
    );
    if (last.includes('taken')) return `the victim's visitor was answered by the attacker: ${last}`;
    if (last.startsWith('200 victim')) return undefined;
  }
  return `the victim did not come back: ${last}`;
}

/** Why controls did not get through, by id. */
async function runControls(stage: Stage): Promise<Map<string, string>> {
  const broken = new Map<string, string>();
  const note = (one: InsideAttempt, answer: unknown): void => {
    const said = JSON.stringify(answer) ?? 'no answer';
    if ((findEvidence(stage, said) ?? findMark(stage, one)) === undefined) broken.set(one.id, said.slice(0, MAX_SHOWN));
    cleanMark(stage, one);
  };
  const factsFile = path.join(stage.scratch, 'facts.json');
  writeFileSync(factsFile, JSON.stringify(stage.facts));
  const inSandbox = INSIDE_ATTEMPTS.filter(({ control }) => typeof control === 'function');
  const asking = inSandbox.filter(({ isAsking }) => isAsking);
  await Promise.all(asking.map(async (one) => note(one, await ask(stage, 'control', one.id))));
  for (const one of inSandbox) if (!one.isAsking) note(one, await ask(stage, 'control', one.id));
  for (const kind of ['host', 'namespaced'] as const) {
    const attempts = INSIDE_ATTEMPTS.filter(
      ({ control = 'host' }) => (typeof control === 'object' ? 'host' : control) === kind,
    );
    // A mark is judged and taken away before the next attempt, so those that leave one are made one by one.
    const alone = attempts.filter(({ leaves }) => leaves);
    const together = attempts.filter(({ leaves }) => !leaves);
    for (const some of [...alone.map((one) => [one]), together]) {
      for (const one of some) cleanMark(stage, one);
      const answers = await makeOnHost(stage, kind, factsFile, some);
      for (const one of some) note(one, answers.get(one.id));
    }
  }
  return broken;
}

/** Makes attempts as root of the host. */
async function makeOnHost(
  stage: Stage,
  kind: 'host' | 'namespaced',
  factsFile: string,
  attempts: readonly InsideAttempt[],
): Promise<Map<string, unknown>> {
  const cwd = mkdtempSync(path.join(stage.scratch, 'control-'));
  const main = path.join(import.meta.dirname, '../inside/main.ts');
  const command = [process.execPath, main, 'controls', factsFile, ...attempts.map(({ id }) => id)];
  const apart = ['unshare', '-mnu', 'sh', '-c', 'ip link set lo up; exec "$@"', 'sh'];
  const [program = '', ...words] = kind === 'host' ? command : [...apart, ...command];
  const child = spawn(program, words, { cwd, stdio: ['ignore', 'pipe', 'inherit'] });
  const output = await text(child.stdout);
  spawnSync('umount', ['-l', path.join(cwd, 'cgroups')], { stdio: 'ignore' });
  return readBatch(output.split('\n'));
}

function readBatch(lines: readonly string[]): Map<string, unknown> {
  const found = lines.filter((line) => line.includes(BATCH_LINE)).map((line) => line.slice(line.indexOf(BATCH_LINE)));
  return new Map(
    found.map((line) => {
      const { id, answer } = JSON.parse(line.slice(BATCH_LINE.length)) as { id: string; answer: unknown };
      return [id, answer];
    }),
  );
}
