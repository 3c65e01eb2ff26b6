import { type DoctorCheck, findIsolationGaps } from '@berth/contract';
import { BerthError } from '@berth/kit';
import { defineCommand } from '../command/command.ts';
import type { Context } from '../command/context.ts';
import { cleanText } from '../output/clean-text.ts';
import type { Style } from '../output/style.ts';

/** A check by the server, or one by the CLI itself. */
interface Check extends Omit<DoctorCheck, 'status' | 'remedy'> {
  readonly status: DoctorCheck['status'] | 'ok' | 'failed';
  readonly remedy?: string | undefined;
}

/** `berth doctor`. */
export const doctor = defineCommand({
  name: 'doctor',
  summary: 'Check this CLI, the server, and what its machine can isolate, limit and build',
  examples: [['berth doctor', 'what is available, what is missing and how to get it']],
  async run(_input, context) {
    const { output } = context;
    const here = await checkHere(context);
    const isReached = here.every((check) => check.status === 'ok');
    const there = isReached ? (await (await context.connect()).get('/v1/doctor')).checks : [];
    const checks: Check[] = [...here, ...there];
    output.json({ checks });
    for (const check of checks) output.print(renderCheck(check, output.style));
    if (isReached) output.print(`\n${cleanText(summarize(there))}`);
    return checks.some((check) => check.status === 'failed') ? 1 : 0;
  },
});

/** Prints whether accounts that don't trust each other can share the server. */
function summarize(checks: readonly DoctorCheck[]): string {
  const gaps = findIsolationGaps(checks).map(({ requirement, check }) => check?.title.toLowerCase() ?? requirement.id);
  if (gaps.length === 0) return "This server isolates accounts that don't trust each other.";
  return `Don't let untrusted people deploy to this server. Not enforced, most important first: ${gaps.join(', ')}.`;
}

async function checkHere(context: Context): Promise<Check[]> {
  const { machine, clientOf, connect } = context;
  const target = await context.target();
  const node: Check = { id: 'cli-node', title: 'Node of the CLI', status: 'ok', detail: machine.nodeVersion };
  const server = await attempt('cli-server', 'Server', `${target.baseUrl} answers`, async () =>
    clientOf(target).health(),
  );
  if (server.status === 'failed') {
    return [node, { ...server, remedy: 'Start it with `berth start`, or name another with --url.' }];
  }
  const key = await attempt('cli-key', 'API key', `valid, from ${target.credentialFrom ?? 'nowhere'}`, async () => {
    await (await connect()).get('/v1/user');
  });
  return [node, server, key.status === 'failed' ? { ...key, remedy: 'Sign in with `berth login`.' } : key];
}

async function attempt(id: string, title: string, detail: string, work: () => Promise<void>): Promise<Check> {
  try {
    await work();
    return { id, title, status: 'ok', detail };
  } catch (error) {
    if (!BerthError.is(error)) throw error;
    return { id, title, status: 'failed', detail: error.message };
  }
}

function renderCheck({ title, status, detail, remedy }: Check, style: Style): string {
  const { signs } = style;
  const [sign, paint] =
    status === 'ok' || status === 'enforced'
      ? [signs.done, style.green]
      : status === 'partial'
        ? [signs.warning, style.yellow]
        : [signs.failed, status === 'failed' ? style.red : style.yellow];
  const head = `${paint(`${sign} ${cleanText(title)}`)} ${style.dim(status)}\n    ${cleanText(detail)}`;
  return remedy ? `${head}\n    ${style.bold('Do:')} ${cleanText(remedy)}` : head;
}
