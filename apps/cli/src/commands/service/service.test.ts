import { describe, expect, test } from 'vitest';
import { readUnit } from '../../service/read-unit.ts';
import { renderUnit } from '../../service/render-unit.ts';
import { hasLowPort, mergeSettings } from '../../service/settings-file.ts';
import { runInProcess } from '../../testing/run-in-process.ts';

const nowhere = { url: 'http://localhost:1' };
const run = (...words: readonly string[]) => runInProcess(nowhere, ['service', ...words]);
const unitOf = (changes: Partial<Parameters<typeof renderUnit>[0]> = {}) =>
  renderUnit({
    user: 'berth',
    dataFolder: '/var/lib/berth',
    command: ['/opt/node', '--flag', '/opt/main.js'],
    programFolders: [],
    groups: [],
    hasLowPort: false,
    ...changes,
  });

describe('the unit', () => {
  test('is printed by --dry-run, as text or as JSON, and nothing is written', async () => {
    const { code, stdout } = await run('install', '--dry-run', '--data', '/srv/berth');
    expect([code, stdout]).toEqual([0, expect.stringContaining('ReadWritePaths=/srv/berth\n')]);
    const json = await run('install', '--dry-run', '--data', '/srv/berth', '--json');
    expect(JSON.parse(json.stdout)).toMatchObject({ unit: stdout, unit_file: '/etc/systemd/system/berth.service' });
  });

  // Fails when a setting that a file name ends up in isn't quoted.
  test('holds every path as one word', () => {
    const unit = unitOf({ dataFolder: '/srv/my data', command: ['/opt/a "b"/node', '/opt/100%/$HOME/main.js'] });
    expect(unit).toContain('ReadWritePaths="/srv/my data"\n');
    expect(unit).toContain('ExecStart="/opt/a \\"b\\"/node" /opt/100%%/$$HOME/main.js\n');
    expect(readUnit(unit)).toEqual({ user: 'berth', dataFolder: '/srv/my data', groups: [] });
  });

  test('gives a plain user no capability, but for low ports, and root a list of them', () => {
    expect(unitOf()).toMatch(/^CapabilityBoundingSet=\nAmbientCapabilities=\nNoNewPrivileges=yes$/m);
    expect(unitOf({ hasLowPort: true })).toMatch(/^AmbientCapabilities=CAP_NET_BIND_SERVICE$/m);
    const root = unitOf({ user: 'root' });
    expect(root).toMatch(/^CapabilityBoundingSet=CAP_CHOWN .*CAP_SETFCAP$/m);
    expect(root).not.toMatch(/CAP_SYS_MODULE|CAP_SYS_RAWIO|CAP_SYS_BOOT|CAP_SYS_TIME/);
  });

  test('hides homes unless the server is in one', () => {
    expect(unitOf()).toContain('ProtectHome=yes');
    expect(unitOf({ command: ['/root/.nvm/node'] })).toContain('ProtectHome=read-only');
  });
});

test.each([
  ['a line break', ['--data', '/srv/x\nExecStartPre=/bin/evil']],
  ['another name', ['--set', 'PATH=/tmp']],
  ['a line break in a setting', ['--set', 'BERTH_DOMAIN=a\nLD_PRELOAD=/tmp/x.so']],
  ['the data folder as a setting', ['--set', 'BERTH_DATA=/']],
])('refuses %s', async (_what, words) => {
  const { code, stdout } = await run('install', '--dry-run', ...words);
  expect([code, stdout]).toEqual([2, '']);
});

// Fails when a unit that someone wrote by hand is taken for ours, and replaced or removed.
test('knows its own units only', () => {
  const groups = ['docker'];
  expect(readUnit(unitOf({ groups }))).toEqual({ user: 'berth', dataFolder: '/var/lib/berth', groups });
  expect(readUnit(unitOf().split('\n').slice(1).join('\n'))).toBeUndefined();
  expect(readUnit('')).toBeUndefined();
});

// Fails when an installation that names one setting loses the others, or a low port that an earlier one named.
test('keeps the settings of an earlier installation', () => {
  const former = ['# mine', 'BERTH_PORT="80"', 'BERTH_DOMAIN="a.test"'];
  const lines = mergeSettings(former, new Map([['BERTH_DOMAIN', 'b "c"']]));
  expect(lines).toEqual(['# mine', 'BERTH_PORT="80"', 'BERTH_DOMAIN="b \\"c\\""']);
  expect([hasLowPort(lines), hasLowPort(['BERTH_TLS_PORT=443']), hasLowPort(['BERTH_PORT="8080"'])]).toEqual([
    true,
    true,
    false,
  ]);
});
