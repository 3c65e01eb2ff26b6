import path from 'node:path';
import { createError } from '@berth/contract/errors';
import { defineCommand } from '../../command/command.ts';
import { runServerProgram } from '../../server-program/run-server-program.ts';

/** A line of the server's program. Its shape is that of `apps/server/src/rotation/rotate-key-main.ts`. */
type RotationLine =
  | { readonly kind: 'progress'; readonly count: number }
  | { readonly kind: 'added'; readonly key: string; readonly place: string }
  | {
      readonly kind: 'rotated';
      readonly key: string;
      readonly sealed: number;
      readonly former: readonly string[];
      readonly place: string;
    };

/** `berth admin rotate-key`. */
export const adminRotateKey = defineCommand({
  name: 'rotate-key',
  summary: 'Replace the master key, and encrypt every secret again',
  description:
    "Run it on the server's machine as the server's user, with the server's BERTH_DATABASE_URL and BERTH_MASTER_KEY variables. On SQLite, stop the server first. On Postgres, the first run adds a key; when every server has it and was restarted, run the command again with --known-to-all. An interrupted run goes on when you repeat it.",
  options: {
    '--data <folder>': 'Data folder; BERTH_DATA or .berth by default',
    '--known-to-all': 'Every server has the new key: encrypt with it',
  },
  examples: [
    ['berth admin rotate-key --data /var/lib/berth', 'the next step of the rotation'],
    ['berth admin rotate-key --known-to-all', 'after every server was restarted with the new key'],
  ],
  async run({ options }, { output, environment, signal, workingFolder, dataFolders }) {
    const folder = path.resolve(workingFolder, options.data ?? dataFolders[0] ?? '.berth');
    let result: Exclude<RotationLine, { kind: 'progress' }> | undefined;
    const isDone = await runServerProgram<RotationLine>({
      program: 'rotation/rotate-key-main.ts',
      words: [folder, ...(options.knownToAll ? ['--known-to-all'] : [])],
      ...{ environment, signal },
      onLine(line) {
        if (line.kind === 'progress') output.showStatus(`  ${line.count} secrets`);
        else result = line;
      },
    }).finally(() => output.clearStatus());
    if (!isDone || !result) {
      throw createError(
        'unavailable',
        'The key was not rotated completely. The reason is above; run the command again.',
      );
    }
    output.json(result);
    if (result.kind === 'added') {
      output.print(
        `${result.place} has the new key ${result.key}, which encrypts nothing yet. Add it to every server, restart each, and run: berth admin rotate-key --known-to-all`,
      );
      return 0;
    }
    output.print(`The key ${result.key} encrypts all secrets; ${result.sealed} were encrypted again.`);
    if (result.former.length > 0) {
      output.say(
        `Put the key first in ${result.place} on every server and restart each. After 3 days, when no signed URL of the former key is valid, remove ${result.former.join(', ')}.`,
      );
    }
    return 0;
  },
});
