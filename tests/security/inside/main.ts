// The hostile program. `node main.ts serve` answers `POST /attempt/<id>` and `POST /control/<id>` with facts as the body;
// `node main.ts attempts|controls FACTS ID…` makes them one after another and prints what came of each.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { BATCH_LINE, type Facts, GOT_THROUGH, type InsideAttempt } from './attempt.ts';
import { INSIDE_ATTEMPTS } from './attempts.ts';
import { startOwnListeners } from './own-listeners.ts';
import { codeOf, findSecrets } from './tools.ts';

const BOUND_MS = 20_000;
const MAX_ANSWER = 2_000;

async function make({ act }: Pick<InsideAttempt, 'act'>, facts: Facts): Promise<unknown> {
  const late = new Promise((resolve) => setTimeout(resolve, BOUND_MS, 'took too long').unref());
  try {
    return shorten((await Promise.race([act(facts), late])) ?? null, facts);
  } catch (error) {
    return codeOf(error);
  }
}

/** Lines of a build's log are cut off: of a long answer, the evidence is kept. */
function shorten(answer: unknown, facts: Facts): unknown {
  const text = JSON.stringify(answer);
  if (text.length <= MAX_ANSWER) return answer;
  const claim = text.indexOf(GOT_THROUGH);
  return [findSecrets(text, facts), claim === -1 ? '' : text.slice(claim, claim + MAX_ANSWER / 2), text.slice(0, 200)];
}

function find(id: string | undefined, isControl: boolean): Pick<InsideAttempt, 'act' | 'isAsking'> {
  const found = INSIDE_ATTEMPTS.find((one) => one.id === id);
  if (!found) throw new Error(`no attempt "${id}"`);
  const { control = 'host' } = found;
  if (!isControl || typeof control === 'string') return found;
  return { ...found, act: typeof control === 'function' ? control : control.host };
}

const [mode, factsFile = '', ...ids] = process.argv.slice(2);
startOwnListeners();
if (mode === 'serve') {
  createServer(async (request, response) => {
    const [, kind, id] = (request.url ?? '').split('/');
    if (kind !== 'attempt' && kind !== 'control') return void response.end('ready');
    const facts = (await json(request)) as Facts;
    response.end(JSON.stringify(await make(find(id, kind === 'control'), facts)));
  }).listen(Number(process.env['PORT']), '0.0.0.0');
} else {
  const facts = JSON.parse(readFileSync(factsFile, 'utf8')) as Facts;
  const report = async (id: string) =>
    console.log(`${BATCH_LINE}${JSON.stringify({ id, answer: await make(find(id, mode === 'controls'), facts) })}`);
  const isAsking = (id: string) => find(id, mode === 'controls').isAsking ?? false;
  await Promise.all(ids.filter(isAsking).map(report));
  for (const id of ids) if (!isAsking(id)) await report(id);
  process.exit();
}
