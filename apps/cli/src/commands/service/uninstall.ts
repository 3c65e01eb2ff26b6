import { rm, rmdir } from 'node:fs/promises';
import path from 'node:path';
import { defineCommand } from '../../command/command.ts';
import { confirmLoss, requireAnswer } from '../../command/confirm-loss.ts';
import { runServerProgram } from '../../server-program/run-server-program.ts';
import { closeFolder, deleteData, removeFromEngine } from '../../service/remove-leftovers.ts';
import { SERVICE } from '../../service/render-unit.ts';
import { findService, requireSystemd, runProgram, tryProgram } from '../../service/system.ts';

/** `berth service uninstall`. */
export const serviceUninstall = defineCommand({
  name: 'uninstall',
  summary: 'Stop the systemd service and remove it from this machine',
  description:
    'Removes the unit, its settings, its user, and what the server made in the kernel and in the Docker engine. The data folder and images are kept, so that a later installation continues with them.',
  options: {
    '--delete-data': 'Also delete the data folder and the images',
    '-y, --yes': "Don't ask for confirmation",
  },
  examples: [
    ['sudo berth service uninstall', 'keeps the data folder'],
    ['sudo berth service uninstall --delete-data', 'leaves nothing'],
  ],
  async run({ options }, context) {
    const { output, environment, signal } = context;
    const service = findService();
    if (!service) {
      output.json({ removed: false });
      output.say('No service is installed.');
      return;
    }
    const { user, dataFolder } = service;
    requireSystemd();
    requireAnswer(options, context);
    const effect = options.deleteData
      ? `All services stop, and ${dataFolder} is deleted with all deployments, volumes, logs and keys. This can't be undone.`
      : `All services stop. The data in ${dataFolder} is kept; it is readable by root only.`;
    const question = options.deleteData ? `Remove ${SERVICE.unit} and delete its data?` : `Remove ${SERVICE.unit}?`;
    if (!(await confirmLoss({ effects: [effect], question }, options, context))) return 1;
    await runProgram('systemctl', ['disable', '--quiet', '--now', SERVICE.unit]);
    await tryProgram('systemctl', ['reset-failed', SERVICE.unit]);
    // A server that was killed has left networks and control groups.
    await runServerProgram({
      program: 'machine/remove-leftovers-main.ts',
      words: [],
      environment,
      signal,
      onLine: () => {},
    });
    await removeFromEngine(dataFolder, options.deleteData === true);
    await rm(SERVICE.unitFile, { force: true });
    await runProgram('systemctl', ['daemon-reload']);
    await rm(SERVICE.environmentFile, { force: true });
    await rmdir(path.dirname(SERVICE.environmentFile)).catch(() => {});
    if (options.deleteData) await deleteData(dataFolder);
    // The number of the removed user may be given to another one.
    else await closeFolder(dataFolder);
    if (user === SERVICE.user) await tryProgram('userdel', [user]);
    output.json({ removed: true, data_folder: options.deleteData ? null : dataFolder });
    output.say(
      options.deleteData ? 'Removed the service and its data.' : `Removed the service. Its data is in ${dataFolder}.`,
    );
  },
});
