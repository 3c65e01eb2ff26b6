import { existsSync, realpathSync } from 'node:fs';
import { chmod, chown, mkdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { defineCommand } from '../../command/command.ts';
import { UsageError } from '../../errors/usage-error.ts';
import { findServer, SERVER_NODE_OPTIONS } from '../../server-program/find-server.ts';
import { renderUnit, SERVICE } from '../../service/render-unit.ts';
import {
  hasLowPort,
  mergeSettings,
  readSettingLines,
  replaceFile,
  writeSettingLines,
} from '../../service/settings-file.ts';
import { closedFolder, findService, requireSystemd, runProgram, tryProgram } from '../../service/system.ts';

/** `berth service install`. */
export const serviceInstall = defineCommand({
  name: 'install',
  summary: 'Run the server as a systemd service',
  description: `Creates the user ${SERVICE.user}, ${SERVICE.environmentFile} (mode 0600) and ${SERVICE.unitFile}, and starts the service.\nRun it again after an upgrade or with other options: options and settings that you don't name stay as they are.`,
  options: {
    '--data <folder>': `Data folder; ${SERVICE.dataFolder} by default`,
    '--set <name=value>': {
      description: 'Setting of the server, such as BERTH_DOMAIN=apps.example.com',
      isRepeatable: true,
    },
    '--root': 'Run as root, with few capabilities: each deployment gets a user of its own',
    '--docker': 'Let the user use the Docker engine of this machine, which is as powerful as root',
    '--dry-run': 'Print the unit and change nothing',
  },
  examples: [
    ['sudo berth service install', 'for one team'],
    [
      'sudo berth service install --root --set BERTH_DOMAIN=apps.example.com',
      "for accounts that don't trust each other",
    ],
    ['berth service install --dry-run', 'the unit on standard output'],
  ],
  async run({ options }, { output, environment, workingFolder }) {
    // What isn't named stays as it is.
    const service = findService();
    const user = options.root ? 'root' : (service?.user ?? SERVICE.user);
    const dataFolder = path.resolve(workingFolder, options.data ?? service?.dataFolder ?? SERVICE.dataFolder);
    const groups = options.docker ? ['docker'] : (service?.groups ?? []);
    if (/\p{Cc}/u.test(dataFolder)) throw new UsageError('The name of the data folder has control characters.');
    const settings = readSettings((options.set ?? []).filter((one) => one !== undefined));
    const settingLines = mergeSettings(await readSettingLines(), settings);
    const server = findServer();
    const command = [realpathSync(server.node), ...SERVER_NODE_OPTIONS, server.main];
    const unit = renderUnit({
      user,
      dataFolder,
      command,
      programFolders: findProgramFolders(environment['PATH'] ?? ''),
      groups,
      hasLowPort: hasLowPort(settingLines),
    });
    if (options.dryRun) {
      output.json({ unit, unit_file: SERVICE.unitFile, environment_file: SERVICE.environmentFile });
      for (const line of unit.trimEnd().split('\n')) output.print(line);
      return;
    }
    requireSystemd();
    if (user !== 'root') requireReadable(command);
    await makeUser(user, dataFolder);
    await makeDataFolder(user, dataFolder);
    await writeSettingLines(settingLines);
    await replaceFile(SERVICE.unitFile, unit, 0o644);
    await runProgram('systemctl', ['daemon-reload']);
    await runProgram('systemctl', ['enable', '--quiet', SERVICE.unit]);
    await runProgram('systemctl', ['restart', SERVICE.unit]);
    output.json({
      unit_file: SERVICE.unitFile,
      environment_file: SERVICE.environmentFile,
      user,
      data_folder: dataFolder,
    });
    output.say(
      `Started ${SERVICE.unit} (Berth ${server.version}) as the user ${user}, with its data in ${dataFolder}.`,
    );
    output.say(`  Settings   ${SERVICE.environmentFile}; \`systemctl restart berth\` applies them`);
    output.say(`  API key    ${path.join(dataFolder, 'api-key')}`);
    output.say('  Log        journalctl --unit berth --follow');
    output.print(SERVICE.unit);
  },
});

/** Parses `NAME=value` settings. @throws UsageError for other names, and for the data folder, which has a flag */
function readSettings(words: readonly string[]): ReadonlyMap<string, string> {
  const settings = new Map<string, string>();
  for (const word of words) {
    const [, name, value] = /^(BERTH_[A-Z0-9_]+)=([^\n\r]*)$/.exec(word) ?? [];
    if (name === undefined || value === undefined) {
      throw new UsageError(
        `"${word}" is not a setting of the server. Write --set BERTH_NAME=value; \`berth start --settings\` lists them.`,
      );
    }
    if (name === 'BERTH_DATA') throw new UsageError('Name the data folder with --data.');
    settings.set(name, value);
  }
  return settings;
}

/** Returns the folder of npm, which builds use. Those of projects aren't on the PATH of a service. */
function findProgramFolders(searched: string): string[] {
  return searched
    .split(path.delimiter)
    .filter(
      (folder) => path.isAbsolute(folder) && !folder.includes('/node_modules/') && existsSync(path.join(folder, 'npm')),
    )
    .slice(0, 1);
}

/** @throws UsageError when the service's user couldn't read the server's programs */
function requireReadable(command: readonly string[]): void {
  for (const file of command.filter((word) => path.isAbsolute(word))) {
    const closed = closedFolder(file);
    if (closed === undefined) continue;
    throw new UsageError(
      `The user ${SERVICE.user} can't read ${file}, because ${closed} is private. Install Berth for all users, with \`npm install -g --ignore-scripts berth-server berth-cli\`, and try again.`,
    );
  }
}

async function makeUser(user: string, dataFolder: string): Promise<void> {
  if ((await tryProgram('getent', ['passwd', user])) !== undefined) return;
  const words = [
    '--system',
    '--user-group',
    '--no-create-home',
    '--home-dir',
    dataFolder,
    '--shell',
    '/usr/sbin/nologin',
  ];
  await runProgram('useradd', [...words, '--comment', 'Berth', user]);
}

/**
 * Makes the data folder for the user. After `uninstall` a new user of the same name may have another number; it gets the files of the former.
 * @throws UsageError when the data is that of a server with other rights: the owners of its files couldn't be told apart
 */
async function makeDataFolder(user: string, dataFolder: string): Promise<void> {
  await mkdir(dataFolder, { recursive: true, mode: 0o700 });
  const [uid = 0, gid = 0] = (await runProgram('getent', ['passwd', user])).split(':').slice(2, 4).map(Number);
  const former = await stat(path.join(dataFolder, 'place.json')).then(
    (found) => found.uid,
    () => undefined,
  );
  if (former !== undefined && (former === 0) !== (uid === 0)) {
    throw new UsageError(
      `The data in ${dataFolder} is that of a server that ${former === 0 ? 'was root: add --root' : 'was not root: leave out --root'}. To change that, restore a backup into a new folder.`,
    );
  }
  if (former !== undefined && former !== uid) {
    await runProgram('chown', ['--recursive', '--no-dereference', `--from=${former}`, `${uid}:${gid}`, dataFolder]);
  }
  await chown(dataFolder, uid, gid);
  await chmod(dataFolder, 0o700);
}
