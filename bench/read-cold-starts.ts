import path from 'node:path';
import { createSilentLogger, createSystemClock } from '@berth/kit';
import { createFileLogStore } from '@berth/logstore';

/** How long the steps of one cold start took, in milliseconds, as the platform itself logged them. */
export interface ColdStartSteps {
  /** From the request's headers to the command to start. */
  readonly decideMs: number;
  /** From there to the program's start. */
  readonly spawnMs: number;
  /** From there to its port's first answer, of which most is the program's own time. */
  readonly listenMs: number;
  /** From there to the answer's first byte. */
  readonly answerMs: number;
}

/**
 * The cold starts in the request logs of `deployments`. The server of the data folder must have stopped: its logs have
 * one writer.
 */
export async function readColdStarts(
  dataFolder: string,
  account: string,
  deployments: readonly string[],
): Promise<ColdStartSteps[]> {
  const logs = createFileLogStore({
    folder: path.join(dataFolder, 'logs'),
    clock: createSystemClock(),
    logger: createSilentLogger(),
  });
  try {
    const pages = await Promise.all(
      deployments.map((deployment) => logs.read({ account, deployment }, { limit: 1_000 })),
    );
    return pages.flat().flatMap((entry) => {
      const parts = entry.httpRequest?.coldStart as Record<string, number> | undefined;
      if (!parts) return [];
      const at = (name: string) => parts[name] ?? Number.NaN;
      return [
        {
          decideMs: at('scheduledMs'),
          spawnMs: at('spawnedMs') - at('scheduledMs'),
          listenMs: at('portOpenMs') - at('spawnedMs'),
          answerMs: at('firstByteMs') - at('portOpenMs'),
        },
      ];
    });
  } finally {
    await logs.close();
  }
}
