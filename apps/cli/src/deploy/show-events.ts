import type { DeployErrorCode, DeployEvent, DeployStatus } from '@berth/contract';
import type { Context } from '../command/context.ts';
import { cleanText } from '../output/clean-text.ts';
import { formatDuration } from '../output/format-duration.ts';
import { createSpinner } from './spinner.ts';

/** Labels of a step while it runs and when it is done. */
const STEPS: Readonly<Record<'BUILDING' | 'DEPLOYING', readonly [running: string, done: string]>> = {
  BUILDING: ['Building', 'Built'],
  DEPLOYING: ['Deploying', 'Started'],
};

export interface ShowEventsOptions {
  /** The deployment, when it is known: for the commands that may come next. */
  readonly name?: string | undefined;
  /** The change, such as `Restarting`, of a deploy that builds nothing. It is shown as one step. */
  readonly action?: string;
}

/**
 * Shows the events of a deploy until it ends: progress and then the address, or with `--json` each event as a line.
 * @returns the exit code: 0 for DONE, 1 for ERROR
 */
export async function showEvents(
  events: AsyncIterable<DeployEvent>,
  { output, clock }: Pick<Context, 'output' | 'clock'>,
  { name, action }: ShowEventsOptions = {},
): Promise<number> {
  const { progressStyle: style } = output;
  const { signs } = style;
  using spinner = createSpinner(output, clock);
  /** Build output shown so far; a failed build repeats its end. */
  const shown: string[] = [];
  let status: DeployStatus | undefined;
  let beganAtMs = Number.NaN;
  let stepAtMs = Number.NaN;

  const foreign = (text: string) => cleanText(text, { keepsColour: style.hasColor });
  const endStep = (atMs: number) => {
    if (action !== undefined || (status !== 'BUILDING' && status !== 'DEPLOYING')) return;
    output.say(`${style.green(signs.done)} ${STEPS[status][1]} in ${formatDuration(atMs - stepAtMs)}`);
  };

  for await (const event of events) {
    output.json(event);
    const atMs = Date.parse(event.time);
    if (Number.isNaN(beganAtMs)) beganAtMs = atMs;
    if (event.status === 'ERROR') {
      spinner.stop();
      if (!output.isJson) output.fail(failureOf(event));
      return 1;
    }
    if (event.status !== status) {
      endStep(atMs);
      const isBegun = action !== undefined && status !== undefined;
      status = event.status;
      stepAtMs = atMs;
      if (event.status !== 'DONE' && !isBegun) {
        const running = action ?? STEPS[event.status][0];
        if (!output.isTerminal.progress) output.say(`${signs.step} ${running}`);
        spinner.start(running);
      }
    }
    if (event.status === 'DONE') {
      spinner.stop();
      if (event.url === undefined) {
        // Nothing serves after a stop.
        output.say(`${style.green(signs.done)} ${foreign(event.message)}`);
        return 0;
      }
      output.say(`${style.green(signs.done)} ${style.bold(`Ready in ${formatDuration(atMs - beganAtMs)}`)}`);
      showAddress(event);
      return 0;
    }
    for (const line of event.message.split('\n')) {
      if (event.log && !output.isQuiet) shown.push(line);
      output.say(event.log ? style.dim(`  ${signs.bar} ${foreign(line)}`) : `  ${foreign(line)}`);
    }
  }
  return 1;

  function showAddress(event: DeployEvent): void {
    const { result } = output.isTerminal;
    const url = cleanText(event.url ?? '');
    output.print(result ? `\n  ${output.style.bold(output.style.cyan(url))}\n` : url);
    if (name === undefined) return;
    output.say(style.dim(`  berth logs ${name} -f   follow its log`));
    output.say(style.dim(`  berth open ${name}      open it in a browser`));
  }

  function failureOf(event: DeployEvent) {
    const code = event.code ?? 'internal';
    const logs = event.logs ?? [];
    const isShown = logs.length <= shown.length && logs.every((line, at) => line === shown.at(at - logs.length));
    const lines = (isShown ? [] : logs.flatMap((line) => line.split('\n'))).map(
      (line) => `${signs.bar} ${foreign(line)}`,
    );
    const reason = foreign(event.message) || 'The deploy failed.';
    return {
      code,
      message: [`${reason} (${code})`, ...lines].join('\n'),
      hints: failureAdvice(code, name, event.deploy_id),
    };
  }
}

/** Returns what to do about a failed deploy, one hint a line. */
function failureAdvice(code: DeployErrorCode, name: string | undefined, deployId: string): string[] {
  const logs = name === undefined ? [] : [`berth logs ${name}   shows what it printed`];
  const replay = `berth follow ${deployId}   replays this deploy`;
  switch (code) {
    case 'archive_invalid':
      return ['If the message names a file, exclude it with .berthignore. An --archive must be made with `tar czf`.'];
    case 'build_failed':
      return [
        'Run the same commands in a clean copy of the folder: ignored files are not in the archive.',
        'If Berth picked the wrong commands, set "build" and "start" in berth.json.',
        replay,
      ];
    case 'build_timeout':
      return ['Speed up the build, or ask the operator to raise BERTH_BUILD_TIMEOUT.', replay];
    case 'start_failed':
      return ['The process must keep running. Run it locally with PORT=8080 to reproduce.', ...logs];
    case 'start_timeout':
    case 'port_not_open':
      return [
        'The process must listen on 0.0.0.0 and the port in $PORT. If its port is fixed, deploy with --port PORT.',
        ...logs,
      ];
    case 'out_of_capacity':
      return ['Request less with --memory, or free memory with `berth rm`.'];
    case 'canary_failed':
      return ['The current revision has all traffic again. The canary is kept for `berth promote`.', ...logs];
    case 'cancelled':
      return ['The previous revision keeps serving.'];
    case 'internal':
      return ['This is an error in Berth, not in your project. Ask the operator to check the server log.', replay];
  }
}
