import { type DeploySettings, parseDeployForm } from '@berth/contract';
import { expect, it } from 'vitest';
import { describeChanges } from './describe-changes.ts';

function settings(fields: Record<string, string>): DeploySettings {
  const result = parseDeployForm({ fields: { function_name: 'a', volumes: '{}', ...fields }, hasArchive: true });
  if ('issues' in result) throw new Error(JSON.stringify(result.issues));
  return result.settings;
}

it('tells each volume made, a raised cpu, and a schedule set', () => {
  const input = {
    areMountsSure: true,
    isDeclared: true,
    settings: settings({ memory: '5Gi', cpu: '0.5', schedule: '{"cron":"*/5 * * * *","timezone":"Europe/Oslo"}' }),
    previous: null,
    createdVolumes: ['one', 'two'],
  };
  expect(describeChanges(input)).toEqual([
    'CPU raised from 0.5 to 2: 5Gi of memory requires it.',
    'Volume created: one',
    'Volume created: two',
    'Schedule set: */5 * * * * (Europe/Oslo)',
  ]);
});

it('tells a schedule removed once, and nothing when nothing changes', () => {
  const bare = settings({});
  const previous = settings({ schedule: '0 5 * * *' });
  const removed = describeChanges({
    areMountsSure: true,
    isDeclared: true,
    settings: bare,
    previous,
    createdVolumes: [],
  });
  expect(removed).toEqual(['Schedule removed: 0 5 * * * (UTC)']);
  expect(
    describeChanges({ areMountsSure: true, isDeclared: true, settings: bare, previous: bare, createdVolumes: [] }),
  ).toEqual([]);
});

it('of a rollback or a change of environment or settings tells only what differs', () => {
  const daily = settings({ schedule: '@daily', memory: '5Gi' });
  const announce = (now: DeploySettings, previous: DeploySettings) =>
    describeChanges({ areMountsSure: true, isDeclared: false, settings: now, previous, createdVolumes: [] });
  expect(announce(daily, daily)).toEqual([]);
  expect(announce(daily, settings({ schedule: '@hourly' }))).toEqual([
    'CPU raised from 1 to 2: 5Gi of memory requires it.',
    expect.stringMatching(/^Schedule set: @daily/),
  ]);
  expect(announce(settings({}), daily)).toEqual(['Schedule removed: @daily (UTC)']);
});

it('tells where volumes are when a mount path may be taken', () => {
  const common = { isDeclared: true, previous: null, createdVolumes: [], areMountsSure: false };
  const withVolume = settings({ volumes: '{"/data":"v"}' });
  expect(describeChanges({ ...common, settings: withVolume })).toEqual([expect.stringContaining('BERTH_VOLUMES')]);
  expect(describeChanges({ ...common, settings: settings({}) })).toEqual([]);
});
